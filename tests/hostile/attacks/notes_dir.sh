#!/bin/sh
# notes_dir of the repository's settings leads out of the store, by a link on the
# way.
# Version 0.1.0: it was stopped.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=written
without=origin,calls

plant()
{
	ln -s $home_from_store/vault way
	echo '{"notes_dir":"way"}' >config.json
}
raid()
{
	kota set plan "to write it down"
	kota promote plan --force --no-dry-run
	kota promote build --force --no-dry-run
	kota search todo
}

attack "$@"
