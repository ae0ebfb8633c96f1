#!/bin/sh
# .pending is a link to a file of the person's own: a change with a history would append to it.
# Version 0.1.0: it was stopped.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=written
without=origin,calls
forms=archive

plant() { ln -s $home_from_store/.bashrc .pending; }
raid()
{
	kota set colour blue
	kota set colour green
}

attack "$@"
