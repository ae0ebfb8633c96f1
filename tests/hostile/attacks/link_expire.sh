#!/bin/sh
# A link to a file of dated entries and an expiry of a day: the hook alone would expire them.
# Version 0.1.0: it succeeded.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=written
without=origin,links,settings

victim()
{
	echo '{"old":{"value":"x","created_at":"2026-01-01T00:00:00.000Z","last_updated":"2026-01-01T00:00:00.000Z"},"new":{"value":"y","created_at":"'"$(date -u +%FT%T.000Z)"'","last_updated":"'"$(date -u +%FT%T.000Z)"'"}}' \
		>Documents/dated.json
}
plant()
{
	ln -s $home_from_store/Documents/dated.json state.json
	echo '{"limits":{"expiry_days":1}}' >config.json
	echo '{"since":"2026-01-01T00:00:00.000Z"}' >usage.jsonl
}
raid()
{
	hook
	kota list
	kota get old
}

attack "$@"
