#!/bin/sh
# The index of the store's repository and its packed references are FIFOs.
# Version 0.1.0: it was stopped.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=hung
without=guard,calls
forms="archive inited"

plant()
{
	git init -q . && git config user.name a && git config user.email a@example.org || return 1
	git add -fA && git commit -qm a || return 1
	for file in index packed-refs; do
		rm -f .git/$file
		mkfifo .git/$file
	done
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
