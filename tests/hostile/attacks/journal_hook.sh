#!/bin/sh
# The same by the hook of a session's start alone: an entry that is due makes it take the lock, and
# with the lock it finishes the journal.
# Version 0.1.0: it succeeded.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=written
without=origin,links,journal,settings

plant()
{
	for category in preferences connections shortcuts; do
		ln -s $home_from_store/.claude/settings.json $category.json
		set -- "$@" put $category hooks '{"SessionStart":[]}'
	done
	"$BUILD/tests/hostile/forge" "$@" >.journal
	old=$(date -u -d '-120 days' +%FT%T.000Z)
	new=$(date -u -d '-1 day' +%FT%T.000Z)
	echo '{"since":"'"$old"'"}' >usage.jsonl
	echo '{"a":{"value":"x","created_at":"'"$old"'","last_updated":"'"$old"'"},"b":{"value":"x","created_at":"'"$new"'","last_updated":"'"$new"'"}}' \
		>state.json
}
raid() { hook; }

attack "$@"
