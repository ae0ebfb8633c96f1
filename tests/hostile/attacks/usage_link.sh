#!/bin/sh
# usage.jsonl is a link to a file of the person's own: a lookup would append to it.
# Version 0.1.0: it was stopped.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=written
without=origin,calls

plant() { ln -s $home_from_store/.bashrc usage.jsonl; }
raid()
{
	kota get build
	kota get build
	kota list
}

attack "$@"
