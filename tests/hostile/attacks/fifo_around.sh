#!/bin/sh
# The repository around the store has FIFOs: its configuration, its exclusions, patterns on the
# way down to the store.
# Version 0.1.0: it succeeded.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=hung
without=guard,origin
forms=archive

plant()
{
	cd ../..
	git add -fA && git commit -qm a || return 1
	mv .git git
	mkfifo git/fifo data/.gitignore
	git config --file git/config include.path fifo
}
prepare() { mv git .git; }
raid()
{
	hook
	kota list
	kota get build
	kota set colour blue
	kota log
	kota doctor
}

attack "$@"
