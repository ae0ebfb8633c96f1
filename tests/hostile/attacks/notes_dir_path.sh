#!/bin/sh
# notes_dir of the repository's settings is a path out of the store. It never was allowed to be.
# Version 0.1.0: it was stopped.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=written
without=none
forms="pull archive"

plant() { echo '{"notes_dir":"'"$home_from_store"'/vault"}' >config.json; }
raid()
{
	kota set plan "to write it down"
	kota promote plan --force --no-dry-run
	kota promote build --force --no-dry-run
	kota search todo
	kota doctor --fix
}

attack "$@"
