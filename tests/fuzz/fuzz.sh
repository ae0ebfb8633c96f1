#!/bin/sh
# Builds the fuzz targets for libFuzzer, with AddressSanitizer and UndefinedBehaviorSanitizer, and
# runs each; a line a target says how it went. What works on a store runs once more with a history, a
# twentieth as often.
#
#	fuzz.sh BUILD SOURCES WORK RUNS [TARGET...]
#
# A target ends after FUZZ_LIMIT seconds (3,600) at the latest, and its line says how far it came: some
# work on a store, and would take days for a million runs.
#
# BUILD has the same targets for replaying, which unpack the corpora to begin with.
# WORK keeps the build and what each target has found: WORK/TARGET is its growing corpus,
# WORK/TARGET.log what it said, WORK/TARGET-crash-* an input with a finding; with a history each begins
# with TARGET-history.
set -eu
programs=$1/tests/fuzz
sources=$2
work=$3
runs=$4
shift 4
rm -rf "$work/new"
mkdir -p "$work/build" "$work/sources" "$work/new"
# Of its own, because nothing is built beside sources that were configured in their folder.
(cd "$sources" && tar -cf - --exclude=./fuzz-work --exclude=./.git --exclude=./config.status \
	--exclude=./config.h --exclude=./stamp-h1 --exclude='*.[oa]' --exclude=.deps .) |
	tar -xf - -C "$work/new"
# A file that has changed is new from now on: it may have changed while it was compiled the last time.
(cd "$work/new" && find . -type f) | while read -r file; do
	cmp -s "$work/new/$file" "$work/sources/$file" && continue
	mkdir -p "$(dirname "$work/sources/$file")"
	cp --preserve=mode "$work/new/$file" "$work/sources/$file"
done
rm -rf "$work/new"
cd "$work/build"
[ -f Makefile ] || "$work/sources/configure" --quiet --enable-fuzz CC="${CLANG:-clang}" \
	CFLAGS='-g -O2' >"$work/configure.log" 2>&1
make -s -j"$(nproc)" fuzz-programs >"$work/make.log" 2>&1 || {
	tail -n 20 "$work/make.log"
	exit 1
}
failed=0
export ASAN_OPTIONS=malloc_context_size=8:quarantine_size_mb=16
memory=/dev/shm
[ -w $memory ] || memory=${TMPDIR:-/tmp}
TMPDIR=$(mktemp -d "$memory/kota-fuzz-XXXXXX")
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT

# fuzz TARGET NAME RUNS: what it keeps goes by this name.
fuzz() {
	begun=$(date +%s)
	verdict=ok
	leaks=$sources/tests/fuzz/$1.supp
	[ -e "$leaks" ] || leaks=$sources/tests/leaks.supp
	export LSAN_OPTIONS="suppressions=$leaks:print_suppressions=0"
	mkdir -p "$work/$2" "$work/seeds/$1"
	"$programs/$1" --unpack "$sources/tests/fuzz/corpus/$1.txt" "$work/seeds/$1" >/dev/null
	"tests/fuzz/$1" -runs="$3" -max_total_time="${FUZZ_LIMIT:-3600}" -timeout=10 \
		-rss_limit_mb=2048 -max_len=1024 -entropic=0 -print_final_stats=1 \
		-artifact_prefix="$work/$2-" "$work/$2" "$work/seeds/$1" \
		>"$work/$2.log" 2>&1 || verdict=FAILED
	[ "$verdict" = ok ] || failed=1
	done=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/$2.log")
	printf '%-6s %-16s %s runs, %s inputs kept [%d s]\n' "$verdict" "$2" "${done:-0}" \
		"$(ls "$work/$2" | wc -l)" $(($(date +%s) - begun))
}

for program in tests/fuzz/*; do
	target=$(basename "$program")
	[ -f "$program" ] && [ -x "$program" ] || continue
	case " ${*:-$target} " in
	*" $target "*) ;;
	*) continue ;;
	esac
	fuzz "$target" "$target" "$runs"
	if grep -q fuzz_store.h "$sources/tests/fuzz/$target.c"; then
		export FUZZ_HISTORY=1
		fuzz "$target" "$target-history" $(((runs + 19) / 20))
		unset FUZZ_HISTORY
	fi
done
exit $failed
