#!/bin/sh
# Replays the corpus of each fuzz target, and then once more with a fault planted, which the target
# has to notice. What works on a store is replayed with a history, too.
set -u
here=${srcdir:-.}/tests/fuzz
build=${BUILD:-.}/tests/fuzz
failed=0
memory=/dev/shm
[ -w $memory ] || memory=${TMPDIR:-/tmp}
TMPDIR=$(mktemp -d "$memory/kota-replay-XXXXXX")
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT

# replay WHAT TARGET CORPUS
replay() {
	leaks=$here/$2.supp
	[ -e "$leaks" ] || leaks=$here/../leaks.supp
	export LSAN_OPTIONS="suppressions=$leaks:print_suppressions=0"
	if output=$("$build/$2" "$3" 2>&1); then
		echo "ok     $1: $output"
	else
		failed=1
		echo "FAILED $1: $output"
	fi
	if noticed=$(ulimit -c 0; FUZZ_PLANT=1 "$build/$2" "$3" 2>&1 | grep -m 1 broken); then
		echo "ok       control: $noticed"
	else
		failed=1
		echo "FAILED $1 does not notice the planted fault"
	fi
}

for corpus in "$here"/corpus/*.txt; do
	target=$(basename "$corpus" .txt)
	replay "$target" "$target" "$corpus"
	if grep -q fuzz_store.h "$here/$target.c"; then
		export FUZZ_HISTORY=1
		replay "$target with a history" "$target" "$corpus"
		unset FUZZ_HISTORY
	fi
done
exit $failed
