#!/bin/sh
# The folder of the cold archive is a link to a folder of the person's own.
# Version 0.1.0: it was stopped.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=written
without=origin,calls

plant()
{
	ln -s $home_from_store/Documents archive.cold
	echo '{"git":"off"}' >config.json
}
raid()
{
	kota set colour blue
	kota set colour green
	kota delete colour
	kota archived
}

attack "$@"
