#!/bin/sh
# The store belongs to another user, who can change it at any time.
# Version 0.1.0: it succeeded.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=worked
without=origin
forms="archive inited"

[ "$(id -u)" -eq 0 ] || { echo "skipped: not root"; exit 77; }

plant() { echo '{"style":{"value":"ATTACKER says","pinned":true}}' >preferences.json; }
prepare() { chown -R 65534 "$store"; }
raid()
{
	hook
	kota prime
}
worked() { grep -aq ATTACKER "$out"; }

attack "$@"
