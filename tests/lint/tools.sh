#!/bin/sh
# clang-tidy and cppcheck over the sources, where they are installed; any finding fails.
#
#	tests/lint/tools.sh [--deep] [COMPILER_FLAGS]
#
# The analyzer of clang follows few paths of a function, and none into another; with --deep it follows
# all that its own limits allow, in seven times the time.
set -eu
status=0
jobs=$(nproc)
depth="--extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=mode=shallow"
if [ "${1:-}" = --deep ]; then
	depth=
	shift
fi

if command -v clang-tidy >/dev/null 2>&1; then
	find src -name '*.c' | sort |
		xargs -P "$jobs" -n 1 sh -c 'clang-tidy --quiet $0 "$2" -- -std=c11 $1 2>/dev/null' "$depth" "$*" || status=1
	echo "clang-tidy: done"
else
	echo "clang-tidy: skipped, not installed (package clang-tidy)"
fi

if command -v cppcheck >/dev/null 2>&1; then
	cppcheck --quiet -j "$jobs" --std=c11 --enable=warning,performance,portability --inline-suppr \
		--suppress=missingInclude --suppress=unknownMacro --error-exitcode=1 \
		-D_GNU_SOURCE -Isrc src || status=1
	echo "cppcheck: done"
else
	echo "cppcheck: skipped, not installed (package cppcheck)"
fi
exit $status
