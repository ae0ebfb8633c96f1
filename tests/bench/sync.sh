#!/bin/sh
# What kota sync costs: without news, with commits that are made again, after a long time apart.
# And of its merge, and of the driver for git, from start to end. Prints seconds and the largest
# memory; git's own share is what its fetch takes alone.
#
#	tests/bench/sync.sh [CHANGES [APART]]		500 2000
#
# Bars, on an idle machine, built with -O2: without news 60 ms and git's share; 500 changes made
# again 2 s; 2,000 on each side 10 s and 64 MiB; a merge of two full stores 5 ms, the driver 5 ms.
set -eu
. "${srcdir:-.}/tests/sync/machines.sh"
changes=${1:-500}
apart=${2:-2000}

# timed WHAT MACHINE WORDS...
timed() {
	what=$1
	shift
	machine=$1
	shift
	HOME=$dir/$machine XDG_STATE_HOME=$dir/$machine/state /usr/bin/time -f "%e s, %M KB" -o "$dir/took" \
		"$kota" --dir "$dir/$machine/store" "$@" >"$dir/said" 2>&1 || fail "$what: $(cat "$dir/said")"
	echo "$what: $(cat "$dir/took")"
}

# change MACHINE COUNT NAME CATEGORY: so many changes, each a commit, by a server.
change() {
	{
		echo '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18",' \
			'"capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}'
		seq "$2" | awk -v name="$3" -v category="$4" '{
			printf "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"memory_set\"," \
				"\"arguments\":{\"category\":\"%s\",\"key\":\"%s%d\",\"value\":\"%s says %d\"}}}\n",
				$1, category, name, $1 % 90, name, $1
		}'
	} | m "$1" serve >/dev/null 2>&1
}

new a b
new_hub
m a set editor nano --category preferences >/dev/null 2>&1
m a sync --remote "$hub" >/dev/null
m b sync --remote "$hub" >/dev/null
timed "no news" a sync
timed "no news, again" a sync
git init -q --bare "$dir/own.git"
/usr/bin/time -f "git fetch alone: %e s" git -C "$dir/own.git" fetch -q "$hub" main
change a "$changes" x state
m b set pet "a cat" --category patterns >/dev/null
m b sync >/dev/null
timed "$changes commits made again" a sync
echo "objects: $(git -C "$dir/a/store" count-objects -v | tr '\n' ' ')"
m b sync >/dev/null
change a "$apart" y state
change b "$apart" z patterns
m b sync >/dev/null
timed "$apart changes on each side" a sync
timed "the same, taken" b sync

# A category of a hundred entries, of which each side has changed every third text and every time:
# all of them have to be merged member by member.
category() {
	awk -v side="$1" -v name="$2" 'BEGIN {
		print "{"
		for (i = 0; i < 100; i++)
			printf "  \"%s %d\": {\n    \"value\": \"what stands there: %s\",\n    \"created_at\": " \
				"\"2026-11-01T10:00:00.000+00:00\",\n    \"last_updated\": \"2026-11-02T10:00:0%d.000+00:00\"\n  }%s\n",
				name, i, side && i % 3 == side ? "side " side : "as it was", side, i < 99 ? "," : ""
		print "}"
	}'
}
store() {
	printf '{'
	for name in preferences connections patterns shortcuts state; do
		printf '"%s":%s,' $name "$(category "$1" $name | tr -d '\n')"
	done
	printf '"archive":{},"cold":[],"relations":{}}'
}
category 0 state >"$dir/base.json"
category 1 state >"$dir/ours.json"
category 2 state >"$dir/theirs.json"
/usr/bin/time -f "the driver, 200 times: %e s, of which %U + %S s of the processor" sh -c 'for i in $(seq 200); do
	cp "$1/ours.json" "$1/now.json"
	"$2" merge-driver "$1/base.json" "$1/now.json" "$1/theirs.json" state.json
done' sh "$dir" "$kota"
[ "$(grep -c side "$dir/now.json")" = 66 ] || fail "the driver has not merged: $(grep -c side "$dir/now.json")"
/usr/bin/time -f "without it, 200 times: %e s, of which %U + %S s of the processor" sh -c 'for i in $(seq 200); do
	cp "$1/ours.json" "$1/now.json"
done' sh "$dir"
printf '[%s,%s,%s]\n' "$(store 0)" "$(store 1)" "$(store 2)" >"$dir/triple"
for i in $(seq 100); do cat "$dir/triple"; done >"$dir/triples"
/usr/bin/time -f "100 merges of full stores of $(store 0 | wc -c) bytes, with reading and writing: %e s, of which %U s of the processor" \
	"$BUILD/tests/merge/merge_triples" <"$dir/triples" >/dev/null
[ $failed = 0 ]
