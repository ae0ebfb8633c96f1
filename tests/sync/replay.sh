#!/bin/sh
# Many changes that are made again on top of another machine's: each is still one, with who made it
# and when; of more than 500 the older ones become one. Nothing is written object by object.
#
#	tests/sync/replay.sh
set -eu
. "${srcdir:-.}/tests/sync/machines.sh"

# history COUNT: so many commits on machine a, each with a state of its own.
history() {
	head=$(git -C "$dir/a/store" rev-parse HEAD)
	now=$(date -u +%Y-%m-%dT%H:%M:%S.000+00:00)
	i=0
	while [ $i -lt "$1" ]; do
		i=$((i + 1))
		echo "commit refs/heads/main"
		echo "author Ada <ada@desk> $((1795000000 + i)) +0100"
		echo "committer kota-memory <kota-memory@localhost> $((1795000000 + i)) +0100"
		printf 'data <<.\nstep %d\n.\n' $i
		[ $i -gt 1 ] || echo "from $head"
		printf 'M 100644 inline state.json\ndata <<.\n'
		printf '{\n  "a%d": {"value": "says %d", "last_updated": "%s"},\n' $((i % 7)) $i "$now"
		printf '  "b%d": {"value": "says %d", "last_updated": "%s"}\n}\n.\n' $((i % 5)) $i "$now"
	done | git -C "$dir/a/store" fast-import --quiet --force
	git -C "$dir/a/store" reset -q --hard
}

loose() {
	find "$dir/a/store/.git/objects/"?? -type f | wc -l
}

# made_again COUNT OLDER: COUNT changes are made again, of which OLDER become one.
made_again() {
	what="$1 changes"
	new a b
	new_hub
	m a set editor nano --category preferences >/dev/null 2>&1
	m a sync --remote "$hub" >/dev/null
	m b sync --remote "$hub" >/dev/null
	history "$1"
	m b set pet "a cat" --category patterns >/dev/null 2>&1
	m b sync >/dev/null
	m a get preferences:editor >/dev/null
	before=$(loose)
	m a sync >"$dir/said" 2>&1 || fail "$what: $(cat "$dir/said")"
	[ "$(loose)" -le "$before" ] || fail "$what: $(($(loose) - before)) objects lie by themselves"
	m b sync >/dev/null
	same a b "$what"
	value a patterns:pet "a cat" "$what"
	grep -q "\"says $1\"" "$dir/a/store/state.json" || fail "$what: the last is not there"
	git -C "$dir/hub.git" log --format='%an %at %s' --reverse main >"$dir/log"
	i=$2
	while [ $i -lt "$1" ]; do
		i=$((i + 1))
		echo "Ada $((1795000000 + i)) step $i"
	done >"$dir/wanted"
	grep "^Ada" "$dir/log" | cmp -s - "$dir/wanted" || fail "$what: they are not what they were: $(head "$dir/log")"
	[ "$2" = 0 ] || says "$dir/log" "kota-memory $((1795000000 + $2)) sync of $2 changes" "$what"
	[ "$(grep -c sync "$dir/log")" = $(($2 > 0)) ] || fail "$what: there are syncs that change nothing: $(grep sync "$dir/log")"
	[ -z "$(git -C "$hub" log --merges --format=%h main)" ] || fail "$what: the history is no straight line"
	git -C "$hub" fsck --strict >"$dir/said" 2>&1 || fail "$what: $(cat "$dir/said")"
}

# Who has pulled with git has a line that does not come by what both know: one change, which leads
# to all that were made here.
pulled() {
	new a b
	new_hub
	m a set editor nano --category preferences >/dev/null 2>&1
	m a sync --remote "$hub" >/dev/null
	m b sync --remote "$hub" >/dev/null
	m b set pet "a cat" --category patterns >/dev/null 2>&1
	m b sync >/dev/null
	m a set tea green --category preferences >/dev/null 2>&1
	git -C "$dir/a/store" -c user.name=Ada -c user.email=ada@desk -c core.editor=true \
		-c "merge.kota.driver=$kota merge-driver %O %A %B %P" pull -q --no-rebase "$hub" main
	m a set bread rye --category preferences >/dev/null 2>&1
	ours=$(git -C "$dir/a/store" rev-parse HEAD)
	m b set pet "two cats" --category patterns >/dev/null 2>&1
	m b sync >/dev/null
	theirs=$(git -C "$hub" rev-parse main)
	m a sync >"$dir/said" 2>&1 || fail "after a pull: $(cat "$dir/said")"
	m b sync >/dev/null
	same a b "after a pull"
	value b preferences:tea green "after a pull"
	value b preferences:bread rye "after a pull"
	value b patterns:pet "two cats" "after a pull"
	[ "$(git -C "$hub" log -1 --format=%P main)" = "$theirs $ours" ] || fail "after a pull: $(git -C "$hub" log -1 --format=%P main)"
	m b set more "after it" --category state >/dev/null 2>&1
	m b sync >"$dir/said" 2>&1 || fail "after a pull, next: $(cat "$dir/said")"
	m a sync >/dev/null
	same a b "after a pull, next"
}

pulled
made_again 3 0
made_again 500 0
made_again 620 120
echo "$checks checks, $failed failed"
[ $failed = 0 ]
