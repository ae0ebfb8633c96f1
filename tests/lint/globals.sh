#!/bin/sh
# No mutable globals: nothing of ours may stand in a writable section. Constant tables of pointers
# are in .data.rel.ro, which is read-only once the program runs.
#
#	tests/lint/globals.sh LIBRARY
set -eu
found=$(nm -f sysv --defined-only "${1:-libkota.a}" | awk -F'|' '
	{ gsub(/ /, "", $7); gsub(/ /, "", $1) }
	$7 ~ /^(\.data|\.bss|\.tdata|\.tbss|\*COM\*)$/ && $1 !~ /^(__|\.)/ { print "  " $1 " in " $7 }')
if [ -n "$found" ]; then
	printf 'mutable globals:\n%s\n' "$found"
	exit 1
fi
echo "globals: none"
