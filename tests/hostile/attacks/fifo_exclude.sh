#!/bin/sh
# The exclusions of the store's repository are a FIFO, and so are the patterns beside it.
# Version 0.1.0: it succeeded.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=hung
without=guard
forms="archive inited"

plant()
{
	git init -q . && git config user.name a && git config user.email a@example.org || return 1
	git add -fA && git commit -qm a || return 1
	rm -f .git/info/exclude .gitignore
	mkdir -p .git/info
	mkfifo .git/info/exclude .gitignore
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
