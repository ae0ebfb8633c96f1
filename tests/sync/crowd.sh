#!/bin/sh
# Machines that sync at the same moment: all get in, nobody's change is lost, the history is a
# straight line.
#
#	tests/sync/crowd.sh [MACHINES [ROUNDS]]		make check: 4 1
set -eu
. "${srcdir:-.}/tests/sync/machines.sh"
machines=${1:-4}
rounds=${2:-1}

new_hub
number=1
while [ $number -le "$machines" ]; do
	new "m$number"
	m "m$number" sync --remote "$hub" >"$dir/said" 2>&1 || fail "begin: $(cat "$dir/said")"
	number=$((number + 1))
done
round=1
while [ $round -le "$rounds" ]; do
	for number in $(seq "$machines"); do
		m "m$number" set "k$number" "said by $number in $round" --category state >/dev/null
		m "m$number" set "all" "all: said by $number in $round" --category shortcuts >/dev/null
	done
	begun=$(date +%s)
	pids=
	for number in $(seq "$machines"); do
		(m "m$number" --json sync >"$dir/said$number" 2>&1) &
		pids="$pids $!"
	done
	for pid in $pids; do
		wait "$pid" || fail "round $round: a sync has not got in: $(cat "$dir"/said[0-9]*)"
	done
	took=$(($(date +%s) - begun))
	[ $took -le 120 ] || fail "round $round: $took s"
	for number in $(seq "$machines"); do
		m "m$number" sync >"$dir/said" 2>&1 || fail "round $round, at the end: $(cat "$dir/said")"
	done
	for number in $(seq 2 "$machines"); do
		same m1 "m$number" "round $round"
	done
	for number in $(seq "$machines"); do
		value m1 "state:k$number" "said by $number in $round" "round $round"
		grep -q "all: said by $number in $round" "$dir/m1/store/shortcuts.json" "$dir/m1/store/archive.json" ||
			grep -rq "all: said by $number in $round" "$dir/m1/store/archive.cold" ||
			fail "round $round: what $number said is lost"
	done
	round=$((round + 1))
done
[ -z "$(git -C "$hub" log --merges --format=%h main)" ] || fail "the history is no straight line"
tries=$(cat "$dir"/said[0-9]* | sed -n 's/.*"tries": *//p' | sort -n | tail -n 1)
echo "$machines machines, $rounds rounds: the last round took $took s, at most $tries tries, $failed failed"
[ $failed = 0 ]
