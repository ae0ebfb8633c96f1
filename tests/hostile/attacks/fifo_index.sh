#!/bin/sh
# The index of the repository around the store is a FIFO: where the store comes from is read
# there.
# Version 0.1.0: it was stopped.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=hung
without=calls,guard
forms=archive

plant()
{
	cd ../..
	mv .git git
	rm -f git/index
	mkfifo git/index
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
