#!/bin/sh
# An expiry of a day, and counts of use that make everything due: reading would empty the store.
# Version 0.1.0: it succeeded.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=worked
without=origin,settings

plant()
{
	dated_entries >state.json
	echo '{"limits":{"expiry_days":1}}' >config.json
	echo '{"since":"2020-01-01T00:00:00.000Z"}' >usage.jsonl
	new=$(date -u +%FT%T.000Z)
	echo '{"new":{"value":"x","created_at":"'"$new"'","last_updated":"'"$new"'"}}' >connections.json
}
raid()
{
	hook
	kota list
	kota get build
	serve "$(call memory_list '{}')"
}
worked() { [ "$(grep -o kept "$store/state.json" | wc -l)" -lt 12 ]; }

attack "$@"
