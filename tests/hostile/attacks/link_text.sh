#!/bin/sh
# A link to a file that is no JSON, a token: a sentence about what is wrong with it would tell it.
# Version 0.1.0: it succeeded.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=told
without=origin,links

plant()
{
	for file in preferences connections state archive relations config synonyms; do
		ln -s $home_from_store/.token $file.json
	done
}

attack "$@"
