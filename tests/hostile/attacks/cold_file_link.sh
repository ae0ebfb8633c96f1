#!/bin/sh
# This month's file of the cold archive is a link to a file of the person's own.
# Version 0.1.0: it was stopped.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=written
without=origin,calls

plant()
{
	mkdir archive.cold
	ln -s ../$home_from_store/.bashrc "archive.cold/$(date -u +%Y-%m).jsonl"
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
