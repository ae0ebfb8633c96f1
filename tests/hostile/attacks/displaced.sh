#!/bin/sh
# Displaced texts of a category file are planted, to be merged into what the person has. They never
# were, since only the inode that was displaced counts.
# Version 0.1.0: it was stopped.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=worked
without=none

plant()
{
	echo '{"planted":"ATTACKER"}' >.state.json.prev
	echo '{"planted":"ATTACKER"}' >.state.json.held-1
	echo '{"planted":"ATTACKER"}' >.state.json.tmp
	printf 'held 1 state.json\n' >.lock
}
raid()
{
	hook
	kota set colour blue
	kota doctor --fix
	kota list
}
worked() { grep -q ATTACKER "$store/state.json" 2>/dev/null; }

attack "$@"
