#!/bin/sh
# data is a link to a folder of the person's own that has a store in it.
# Version 0.1.0: it succeeded.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=told
without=place,origin

victim()
{
	mkdir -p other/data/kota_memory
	echo '{"diary":"CANARY of another project"}' >other/data/kota_memory/state.json
}
plant()
{
	cd ../..
	rm -r data
	ln -s ../../other/data data
}

attack "$@"
