#!/bin/sh
# `kota doctor --fix`, which an agent may run, would finish, merge and tidy what came with a
# repository.
# Version 0.1.0: it succeeded.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=worked
without=origin
forms=clone

plant()
{
	"$BUILD/tests/hostile/forge" put connections boss '"ATTACKER"' >.journal
	echo '{"planted":"ATTACKER"}' >.state.json.prev
	rm .kota
}
raid()
{
	kota doctor --fix
	kota doctor --record
	kota doctor --fix --json
}
worked() { grep -q ATTACKER "$store/connections.json" 2>/dev/null; }

attack "$@"
