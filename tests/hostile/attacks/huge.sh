#!/bin/sh
# A file of 100 MB of a repository: a read is over at once.
# Version 0.1.0: it succeeded.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=worked
without=origin,size
forms=clone

plant()
{
	{
		printf '{"a":"x"'
		head -c 100000000 /dev/zero | tr '\0' ' '
		printf '}\n'
	} >state.json
}
raid()
{
	hook
	kota list
	strace -qq -f -o "$lab/trace" "$KOTA" get a >>"$out" 2>&1
}
# 2 MB of it were read.
worked()
{
	[ "$(sed -n 's/.*p\{0,1\}read64\{0,1\}(.*= \([0-9]*\)$/\1/p' "$lab/trace" | awk '{n += $1} END {print n + 0}')" -gt 2000000 ]
}
command -v strace >/dev/null || { echo "skipped: strace is not installed (package strace)"; exit 77; }

attack "$@"
