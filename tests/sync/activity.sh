#!/bin/sh
# When entries of a store on two machines expire: not while one of them uses them, not while nothing
# is known of the other, and then on both.
#
#	tests/sync/activity.sh
set -eu
. "${srcdir:-.}/tests/sync/machines.sh"

# late TIME MACHINE WORDS...: kota there, at that time.
late() {
	echo "$1" >"$dir/clock"
	shift
	KOTA_CLOCK=$dir/clock kota=$clocked m "$@"
}

# active MACHINE TIME REF WHAT, gone ...: is it in the list there?
active() {
	checks=$((checks + 1))
	late "$2" "$1" list --json | grep -q "\"$3\"" || fail "$4: $3 is not active on $1"
}
gone() {
	checks=$((checks + 1))
	! late "$2" "$1" list --json | grep -q "\"$3\"" || fail "$4: $3 is active on $1"
}

new a b c
new_hub
for what in used unused; do
	late 2026-11-01T12:00:00Z a set $what yes --category patterns >/dev/null 2>&1
done
late 2026-11-01T12:00:00Z a sync --remote "$hub" >/dev/null
late 2026-11-01T12:00:00Z b sync --remote "$hub" >/dev/null
late 2026-11-01T12:00:00Z c set used yes --category patterns >/dev/null 2>&1

# ---- a machine that was off, or did not sync, takes out nothing
for day in 2027-01-10 2027-03-10; do
	late "${day}T12:00:00Z" a get patterns:used >/dev/null
	late "${day}T12:00:00Z" b set other $day --category state >/dev/null
	late "${day}T12:00:00Z" c set other $day --category state >/dev/null 2>&1
done
active b 2027-03-11T12:00:00Z patterns:used "before a sync"
late 2027-03-11T12:00:00Z b doctor >"$dir/said" || :
says "$dir/said" "expiry waits for a sync; the last was 2026-11-01" "doctor"
# The control: on one machine alone it has expired.
gone c 2027-03-11T12:00:00Z patterns:used "control"

# ---- one machine tells the other what it used, and what neither used goes on both
late 2027-03-11T13:00:00Z a sync >/dev/null || fail "sync of a"
[ "$(cat "$dir/a/store/activity.json")" = '{
  "patterns:used": "2027-03-10"
}' ] || fail "activity.json: $(cat "$dir/a/store/activity.json")"
git -C "$hub" log -1 --format=%s main >"$dir/said"
says "$dir/said" "^sync activity" "what is told is a change of its own"
active b 2027-03-11T13:30:00Z patterns:unused "before its sync"
late 2027-03-11T14:00:00Z b sync >/dev/null || fail "sync of b"
active b 2027-03-11T15:00:00Z patterns:used "what the other machine uses"
gone b 2027-03-11T15:00:00Z patterns:unused "what nobody uses"
grep -q '"unused"' "$dir/b/store/archive.json" || fail "what expired is not in the archive"
late 2027-03-11T16:00:00Z b sync >/dev/null
late 2027-03-11T17:00:00Z a sync >/dev/null
late 2027-03-11T18:00:00Z b sync >/dev/null
gone a 2027-03-11T18:00:00Z patterns:unused "an expiry travels"
active a 2027-03-11T18:00:00Z patterns:used "what was used"
same a b "after an expiry"

# ---- nothing is told twice, nor for a use a few days later; of two days the later one counts
before=$(git -C "$hub" rev-parse main)
late 2027-03-15T12:00:00Z a get patterns:used >/dev/null
late 2027-03-15T13:00:00Z a sync >/dev/null
[ "$(git -C "$hub" rev-parse main)" = "$before" ] || fail "a use a few days later is told"
late 2027-04-10T12:00:00Z a get patterns:used >/dev/null
late 2027-04-20T12:00:00Z b get patterns:used >/dev/null
late 2027-04-21T12:00:00Z a sync >/dev/null
late 2027-04-21T13:00:00Z b sync >/dev/null
late 2027-04-21T14:00:00Z a sync >/dev/null
same a b "both used it"
grep -q '"patterns:used": "2027-04-20"' "$dir/a/store/activity.json" ||
	fail "not the later day: $(cat "$dir/a/store/activity.json")"

# ---- undo passes what sync has told; a purge takes the name out of it, and out of the history
late 2027-04-21T15:00:00Z a set mine yes --category patterns >/dev/null
late 2027-05-20T12:00:00Z a get patterns:used >/dev/null
late 2027-05-20T12:10:00Z a sync >/dev/null
late 2027-05-20T12:20:00Z a undo >/dev/null || fail "undo"
gone a 2027-05-20T12:30:00Z patterns:mine "undo takes back the last change, not what sync told"
late 2027-05-20T12:40:00Z a purge --yes patterns:used >/dev/null || fail "purge"
! grep -q "patterns:used" "$dir/a/store/activity.json" || fail "a purge leaves the name in activity.json"
git -C "$dir/a/store" log -p -- activity.json >"$dir/said"
! grep -q "patterns:used" "$dir/said" || fail "a purge leaves the name in the history of activity.json"

# ---- the control: where nobody tells, what only the other machine uses goes
new a b
new_hub
late 2026-11-01T12:00:00Z a set used yes --category patterns >/dev/null 2>&1
late 2026-11-01T12:00:00Z a sync --remote "$hub" >/dev/null
late 2026-11-01T12:00:00Z b sync --remote "$hub" >/dev/null
late 2027-03-10T12:00:00Z a get patterns:used >/dev/null
(
	clocked=$careless
	KOTA_CARELESS=silent
	export KOTA_CARELESS
	late 2027-03-11T12:00:00Z a sync >/dev/null
)
late 2027-03-11T13:00:00Z b sync >/dev/null
gone b 2027-03-11T14:00:00Z patterns:used "control"

# ---- over a limit only together: who merges makes room, by the uses of both; what a person wrote over it stays
held() {
	checks=$((checks + 1))
	[ "$(grep -c '"value"' "$dir/$1/store/$2.json")" = "$3" ] || fail "$4: $2 of $1: $(cat "$dir/$1/store/$2.json")"
}
new a b
new_hub
late 2027-01-01T12:00:00Z a set old yes --category patterns >/dev/null 2>&1
for i in 1 2 3; do
	late 2027-01-02T12:00:00Z a set "k$i" yes --category patterns >/dev/null
done
printf '{"limits": {"entries_per_category": 5}}\n' >"$dir/a/store/config.json"
printf '{"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}\n' >"$dir/a/store/state.json"
late 2027-01-03T12:00:00Z a sync --remote "$hub" >/dev/null
late 2027-01-03T12:00:00Z b sync --remote "$hub" >/dev/null
late 2027-02-10T12:00:00Z b get patterns:old >/dev/null
late 2027-02-11T12:00:00Z b set b1 yes --category patterns >/dev/null
late 2027-02-11T13:00:00Z b sync >/dev/null
late 2027-02-11T14:00:00Z a set a1 yes --category patterns >/dev/null
held a patterns 5 "before they meet"
held b patterns 5 "before they meet"
late 2027-02-11T15:00:00Z a sync >"$dir/said" || fail "over a limit: $(cat "$dir/said")"
says "$dir/said" "patterns:k1" "what made room is told"
held a patterns 5 "over a limit together"
late 2027-02-11T16:00:00Z b sync >/dev/null
same a b "over a limit together"
for ref in old k2 k3 a1 b1; do
	active a 2027-02-11T17:00:00Z "patterns:$ref" "what was used longest ago made room"
done
grep -q '"evicted"' "$dir/b/store/archive.json" || fail "what made room is not in the archive"
grep -c '"h[1-6]"' "$dir/b/store/state.json" | grep -qx 1 || fail "a person's entries over a limit: $(cat "$dir/b/store/state.json")"

echo "activity: $checks checks, $failed failed"
[ "$failed" = 0 ]
