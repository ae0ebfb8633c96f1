#!/bin/sh
# .lock is a link to a file of the person's own: taking the lock would write a line there.
# Version 0.1.0: it was stopped.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=written
without=origin,calls

plant() { ln -s $home_from_store/.bashrc .lock; }
raid()
{
	kota set colour blue
	kota doctor --fix
	kota set colour green
}

attack "$@"
