#!/bin/sh
# data/kota_memory is a link to a folder of the person's own.
# Version 0.1.0: it succeeded.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=told
without=place,origin

plant()
{
	cd ..
	rm -r kota_memory
	ln -s ../../../Documents kota_memory
}

attack "$@"
