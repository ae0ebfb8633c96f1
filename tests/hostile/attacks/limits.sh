#!/bin/sh
# Limits of the repository's settings that hold one entry: everything else would be sent away.
# Version 0.1.0: it succeeded.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=worked
without=origin,settings
forms="clone pull archive"

plant()
{
	dated_entries >state.json
	echo '{"limits":{"entries_per_category":1,"total_bytes":300}}' >config.json
}
raid()
{
	hook
	kota set colour blue
	kota set plan x --category state
}
worked() { [ "$(grep -o kept "$store/state.json" | wc -l)" -lt 12 ]; }

attack "$@"
