#!/bin/sh
# A start stays light: the loader has few places of the program to fill in, only who keeps a history
# loads libgit2, and that reads no certificates, which are for connections that kota never makes.
#
#	KOTA=/path/to/kota tests/light.sh
set -eu
KOTA=${KOTA:-${BUILD:-.}/kota}
status=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME="$work/state"
# Nothing can be told of leaks under strace.
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"

skip() {
	echo "light: skipped: $1"
	exit 77
}

for tool in readelf strace; do
	command -v $tool >/dev/null || skip "$tool is not installed"
done
strace -o "$work/trace" true 2>/dev/null || skip "strace may not trace"

wrong() {
	echo "light: $1"
	status=1
}

# A table of pointers costs 24 bytes and a place to fill in for each.
case ${HARDENED_BY:-} in
*-fsanitize=* | *--coverage*) ;;
*)
	places=$(readelf -rW "$KOTA" | grep -c _RELATIVE || true)
	[ "$places" -lt 6000 ] || wrong "the loader fills in $places places with each start"
	;;
esac

# opened MODE: the files that a set opens.
opened() {
	KOTA_MEMORY_GIT=$1 strace -f -qq -o "$work/trace" -e trace=open,openat \
		"$KOTA" --dir "$work/$1" set key value >/dev/null 2>&1
	grep -v ENOENT "$work/trace" || true
}

opened off | grep libgit2 && wrong "a set without a history loads libgit2"
opened own | grep -q libgit2 || skip "no libgit2"
grep -E '/ssl/|cert' "$work/trace" && wrong "a set with a history reads certificates"
[ $status -ne 0 ] || echo "light: few places to fill in, no certificates"
exit $status
