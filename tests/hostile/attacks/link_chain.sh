#!/bin/sh
# A link to a link, by way of a folder of the store that is a link itself.
# Version 0.1.0: it succeeded.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=told
without=origin,links

plant()
{
	ln -s $home_from_store way
	ln -s way/.claude next
	ln -s next/.credentials.json state.json
}

attack "$@"
