#!/bin/sh
# All other files of a store are links to files of the person's own.
# Version 0.1.0: it succeeded.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=told
without=origin,links,calls

plant()
{
	ln -s $home_from_store/Documents/state.json relations.json
	ln -s $home_from_store/Documents/state.json archive.json
	ln -s $home_from_store/.token config.json
	ln -s $home_from_store/.token synonyms.json
	ln -s $home_from_store/.bashrc metadata.json
	ln -s $home_from_store/.token .gitignore
	ln -s $home_from_store/.token .state.json.prev
	ln -s $home_from_store/.token .state.json.held-1
}

attack "$@"
