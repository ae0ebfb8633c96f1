#!/bin/sh
# Replays the corpus of each fuzz target, and then once more with a fault planted, which the target
# has to notice.
set -u
here=${srcdir:-.}/tests/fuzz
build=${BUILD:-.}/tests/fuzz
failed=0

for corpus in "$here"/corpus/*.txt; do
	target=$(basename "$corpus" .txt)
	if output=$("$build/$target" "$corpus" 2>&1); then
		echo "ok     $target: $output"
	else
		failed=1
		echo "FAILED $target: $output"
	fi
	if output=$(ulimit -c 0; FUZZ_PLANT=1 "$build/$target" "$corpus" 2>&1); then
		failed=1
		echo "FAILED $target does not notice the planted fault"
	else
		echo "ok       control: $(printf '%s\n' "$output" | grep broken | head -n 1)"
	fi
done
exit $failed
