#!/bin/sh
# .kota is a link to a text of the person's own, the token that a sentence about it would tell. It
# never was told, link followed or not: what is said of a .kota that is none quotes nothing of it.
# Version 0.1.0: it was stopped.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=worked
without=none

plant()
{
	rm .kota
	ln -s $home_from_store/.token .kota
}
worked() { grep -aq CANARY "$out"; }

attack "$@"
