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
# Who is late every time, and how often: by a git that lets m2 push before m1 does.
mkdir "$dir/bin"
cat >"$dir/bin/git" <<'GIT'
#!/bin/sh
PATH=$REAL_PATH
for word; do
	[ "$word" = push ] && [ "$(cat "$LATE")" -gt 0 ] || continue
	echo $(($(cat "$LATE") - 1)) >"$LATE"
	HOME=$M2 XDG_STATE_HOME=$M2/state "$KOTA_BESIDE" --dir "$M2/store" set faster "$(cat "$LATE")" --category state
	HOME=$M2 XDG_STATE_HOME=$M2/state "$KOTA_BESIDE" --dir "$M2/store" sync
done >/dev/null 2>&1
exec git "$@"
GIT
chmod +x "$dir/bin/git"
# late COUNT WORDS...: sync of m1, of which so many pushes come late.
late() {
	echo "$1" >"$dir/late"
	shift
	m m1 set slow "again, $(cat "$dir/late")" --category state >/dev/null
	REAL_PATH=$PATH PATH="$dir/bin:$PATH" LATE=$dir/late M2=$dir/m2 KOTA_BESIDE=$kota m m1 --json sync "$@" >"$dir/said" 2>&1
}
late 2 || fail "who is late every time does not get in: $(cat "$dir/said")"
says "$dir/said" '"tries": 3' "who is late tries again"
m m2 sync >/dev/null
same m1 m2 "who was late"
# The control: without another try it is not in.
status=0
late 1 --limit 0 || status=$?
[ $status = 75 ] || fail "control: who does not try again gets in: status $status: $(cat "$dir/said")"

# Nine times late: in time, however often that is. The waits between the tries are some 25 s, so the
# short form goes without them.
nine() {
	sober=$kota
	[ "$machines" -ge 20 ] && [ "$1" != eight ] || kota=$careless
	status=0
	date -u +%Y-%m-%dT%H:%M:%SZ >"$dir/clock"
	KOTA_CLOCK=$dir/clock KOTA_CARELESS=$1 late 9 --limit 600 || status=$?
	kota=$sober
}
nine hasty
[ $status = 0 ] || fail "who is late nine times does not get in: status $status: $(cat "$dir/said")"
says "$dir/said" '"tries": 10' "who is late nine times tries again"
m m2 sync >/dev/null
same m1 m2 "who was late nine times"
# The control: with eight tries it is not in.
nine eight
[ $status = 75 ] || fail "control: who tries eight times gets in: status $status: $(cat "$dir/said")"

[ -z "$(git -C "$hub" log --merges --format=%h main)" ] || fail "the history is no straight line"
tries=$(cat "$dir"/said[0-9]* | sed -n 's/.*"tries": *//p' | sort -n | tail -n 1)
echo "$machines machines, $rounds rounds: the last round took $took s, at most $tries tries, $failed failed"
[ $failed = 0 ]
