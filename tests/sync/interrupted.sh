#!/bin/sh
# A sync that is cut off at any moment: the next command finds the state before or after, finishes
# what was begun, and takes nothing that came from another machine for an edit.
#
#	tests/sync/interrupted.sh [KILLS]		make check: 5
set -eu
. "${srcdir:-.}/tests/sync/machines.sh"
kills=${1:-5}
seed=7

draw() {
	seed=$(((seed * 1103515245 + 12345) % 2147483648))
	drawn=$((seed / 65536 % $1))
}

edits() {
	git -C "$dir/$1/store" log --format=%s | grep -c "^edit" || :
}

# ---- each set of files that can be in place when the branch has not moved yet
apart
cp -a "$dir/b" "$dir/before"
m b sync >/dev/null
from=$(git -C "$dir/before/store" rev-parse HEAD)
to=$(git -C "$dir/b/store" rev-parse HEAD)
mv "$dir/b" "$dir/after"
files="preferences.json state.json patterns.json archive.json"
# cut SET NOTE: the store as it was, with the objects, the files of that set, and perhaps the note.
cut() {
	rm -rf "$dir/b"
	cp -a "$dir/before" "$dir/b"
	cp -a "$dir/after/store/.git/objects/." "$dir/b/store/.git/objects/"
	bit=1
	for file in $files; do
		[ $(($1 & bit)) = 0 ] || cp "$dir/after/store/$file" "$dir/b/store/$file"
		bit=$((bit * 2))
	done
	[ "$2" = none ] || printf '{"from":"%s","to":"%s"}\n' "$from" "$to" >"$dir/b/store/.sync"
}
set=0
while [ $set -lt 16 ]; do
	cut $set note
	m b set later "after the cut" --category connections >/dev/null 2>&1 || fail "set $set: no change can be made"
	for file in $files; do
		cmp -s "$dir/b/store/$file" "$dir/after/store/$file" || fail "set $set: $file is not as it was to be"
	done
	[ ! -e "$dir/b/store/.sync" ] || fail "set $set: .sync is left"
	[ "$(git -C "$dir/b/store" rev-parse HEAD^)" = "$to" ] || fail "set $set: the branch is not where it was to be"
	[ "$(edits b)" = 0 ] || fail "set $set: what came is taken for an edit"
	[ -z "$(git -C "$dir/b/store" status --porcelain)" ] || fail "set $set: $(git -C "$dir/b/store" status --porcelain)"
	checks=$((checks + 1))
	set=$((set + 1))
done

# The control: without the note it is taken for an edit.
cut 3 none
m b set later "after the cut" --category connections >/dev/null 2>&1
[ "$(edits b)" != 0 ] || fail "control: a cut without the note is not noticed"

# ... nor with a branch that is moved before the files are there.
cut 3 note
git -C "$dir/b/store" update-ref refs/heads/main "$to"
m b set later "after the cut" --category connections >/dev/null 2>&1
[ "$(edits b)" != 0 ] || fail "control: a branch before the files is not noticed"

# An edit in between stays, and is one; a branch that somebody has moved is left alone.
cut 1 note
sed -i 's/"changed on b"/"by hand, in between"/' "$dir/b/store/state.json" "$dir/b/store/preferences.json"
printf '{"hand": 1}\n' >"$dir/b/store/shortcuts.json"
m b set later "after the cut" --category connections >/dev/null 2>&1
value b shortcuts:hand 1 "an edit in between"
grep -q "by hand, in between" "$dir/b/store/preferences.json" || fail "an edit of a file that was in place is lost"
value b state:n1 "new on a" "an edit in between"
cut 0 note
git -C "$dir/b/store" -c user.name=x -c user.email=x@x commit -q --allow-empty -m "somebody's"
m b set later "after the cut" --category connections >/dev/null 2>&1
[ ! -e "$dir/b/store/.sync" ] || fail "a moved branch: .sync is left"
value b state:n2 "new on b" "a moved branch"

# ---- what a killed git has left in the folder for the transport
apart
for lock in "$dir"/b/state/kota-memory/sync/*.git/refs/kota; do
	: >"$lock/have.lock"
	echo nothing >"$lock/at-00000000"
done
m b sync >"$dir/said" 2>&1 || fail "a lock is left: $(cat "$dir/said")"

# ---- who is told to end ends git and what it has started first
printf '#!/bin/sh\necho $$ >%s\nexec sleep 600\n' "$dir/pid" >"$dir/hang"
chmod +x "$dir/hang"
rm -f "$dir/pid"
HOME=$dir/b XDG_STATE_HOME=$dir/b/state GIT_SSH_COMMAND="$dir/hang" timeout 60 \
	"$kota" --dir "$dir/b/store" sync --remote nowhere:x </dev/null >"$dir/said" 2>&1 &
waiter=$!
while [ ! -s "$dir/pid" ] && kill -0 $waiter 2>/dev/null; do :; done
kill -TERM $waiter
wait $waiter 2>/dev/null || :
case $(ps -o stat= -p "$(cat "$dir/pid")") in
"" | Z*) ;;
*)
	fail "what git has started outlives kota"
	kill "$(cat "$dir/pid")"
	;;
esac

# ---- started by somebody who does not want to hear of children
apart
if command -v python3 >/dev/null 2>&1; then
	HOME=$dir/b XDG_STATE_HOME=$dir/b/state python3 -c 'import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])' "$kota" --dir "$dir/b/store" sync --limit 20 >"$dir/said" 2>&1 ||
		fail "with SIGCHLD ignored: $(cat "$dir/said")"
fi

# ---- killed at any moment
apart
round=0
left=0
while [ $round -lt "$kills" ]; do
	round=$((round + 1))
	m a set "a$round" "said on a $round" --category connections >/dev/null 2>&1
	m a set both "a says $round" --category shortcuts >/dev/null 2>&1
	m a sync >/dev/null || fail "round $round: sync of a"
	m b set "b$round" "said on b $round" --category connections >/dev/null 2>&1
	m b set both "b says $round" --category shortcuts >/dev/null 2>&1
	draw 400
	HOME=$dir/b XDG_STATE_HOME=$dir/b/state timeout -s KILL "0.$(printf %03d $((drawn + 1)))" \
		"$kota" --dir "$dir/b/store" sync >/dev/null 2>&1 || left=$((left + 1))
	m b set "c$round" "said after $round" --category connections >/dev/null 2>&1 || fail "round $round: no change can be made"
	m b sync >"$dir/said" 2>&1 || fail "round $round: sync after a kill: $(cat "$dir/said")"
	m a sync >/dev/null || fail "round $round: sync of a after a kill"
	same a b "round $round"
	for text in "said on a $round" "said on b $round" "said after $round" "a says $round" "b says $round"; do
		grep -qF "\"$text\"" "$dir/a/store/connections.json" "$dir/a/store/shortcuts.json" \
			"$dir/a/store/archive.json" || grep -qrF "\"$text\"" "$dir/a/store/archive.cold" ||
			fail "round $round: \"$text\" is lost"
	done
	[ "$(edits b)" = 0 ] || fail "round $round: what came is taken for an edit"
done
[ $left -gt 0 ] || fail "no sync was killed"

echo "$checks checks, $left of $round syncs killed, $failed failed"
[ $failed = 0 ]
