#!/bin/sh
# A forged journal that changes what the person has stored in a memory that was never reviewed.
# Version 0.1.0: it succeeded.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=worked
without=journal,origin
forms="archive inited pull"

plant()
{
	"$BUILD/tests/hostile/forge" put connections boss '"ATTACKER"' >.journal
}
worked() { grep -q ATTACKER "$store/connections.json" 2>/dev/null; }
raid()
{
	hook
	kota list
	kota set colour blue
	kota set colour green
	kota delete colour
}

attack "$@"
