#!/bin/sh
# data/kota_memory is a link to a folder of the person's own, which a set would make a store of.
# Version 0.1.0: it succeeded.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=written
without=place,origin

plant()
{
	cd ..
	rm -r kota_memory
	ln -s ../../../Documents kota_memory
}
raid()
{
	hook
	kota set colour blue --category preferences
	serve "$(call memory_set '{"key":"editor","value":"vim"}')"
}

attack "$@"
