#!/bin/sh
# The folder of notes is a link to the person's vault: promote would write there.
# Version 0.1.0: it was stopped.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=written
without=origin,calls

plant() { ln -s $home_from_store/vault notes; }
raid()
{
	kota set plan "to write it down"
	kota promote plan --force --no-dry-run
	kota promote build --force --no-dry-run
}

attack "$@"
