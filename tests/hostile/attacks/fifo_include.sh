#!/bin/sh
# The configuration of the store's repository includes a FIFO.
# Version 0.1.0: it succeeded.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=hung
without=guard
forms="archive inited"

plant()
{
	git init -q . && git config user.name a && git config user.email a@example.org || return 1
	git add -fA && git commit -qm a || return 1
	mkfifo .git/fifo
	git config --file .git/config include.path fifo
}
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
