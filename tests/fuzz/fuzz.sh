#!/bin/sh
# Builds the fuzz targets for libFuzzer, with AddressSanitizer and UndefinedBehaviorSanitizer, and
# runs each; a line a target says how it went.
#
#	fuzz.sh BUILD SOURCES WORK RUNS [TARGET...]
#
# BUILD has the same targets for replaying, which unpack the corpora to begin with.
# WORK keeps the build and what each target has found: WORK/TARGET is its growing corpus,
# WORK/TARGET.log what it said, WORK/TARGET-crash-* an input with a finding.
set -eu
programs=$1/tests/fuzz
sources=$2
work=$3
runs=$4
shift 4
mkdir -p "$work/build" "$work/sources"
# Of its own, because nothing is built beside sources that were configured in their folder.
(cd "$sources" && tar -cf - --exclude=./fuzz-work --exclude=./.git --exclude=./config.status \
	--exclude=./config.h --exclude=./stamp-h1 --exclude='*.[oa]' --exclude=.deps .) |
	tar -xf - -C "$work/sources"
cd "$work/build"
[ -f Makefile ] || "$work/sources/configure" --quiet --enable-fuzz CC="${CLANG:-clang}" \
	CFLAGS='-g -O2' >"$work/configure.log" 2>&1
make -s fuzz-programs >"$work/make.log" 2>&1 || {
	tail -n 20 "$work/make.log"
	exit 1
}
failed=0
export ASAN_OPTIONS=malloc_context_size=8:quarantine_size_mb=16
for program in tests/fuzz/*; do
	target=$(basename "$program")
	[ -f "$program" ] && [ -x "$program" ] || continue
	case " ${*:-$target} " in
	*" $target "*) ;;
	*) continue ;;
	esac
	begun=$(date +%s)
	verdict=ok
	mkdir -p "$work/$target" "$work/seeds/$target"
	"$programs/$target" --unpack "$sources/tests/fuzz/corpus/$target.txt" \
		"$work/seeds/$target" >/dev/null
	"$program" -runs="$runs" -timeout=10 -rss_limit_mb=2048 -max_len=1024 -entropic=0 -print_final_stats=1 \
		-artifact_prefix="$work/$target-" "$work/$target" "$work/seeds/$target" \
		>"$work/$target.log" 2>&1 || verdict=FAILED
	[ "$verdict" = ok ] || failed=1
	done=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/$target.log")
	printf '%-6s %-10s %s runs, %s inputs kept [%d s]\n' "$verdict" "$target" "${done:-0}" \
		"$(ls "$work/$target" | wc -l)" $(($(date +%s) - begun))
done
exit $failed
