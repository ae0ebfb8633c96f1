#!/bin/sh
# The store is a submodule: the project's index names the folder alone.
# Version 0.1.0: it succeeded.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=told
without=origin,links
forms=clone

plant()
{
	cd ../..
	rm -r data/kota_memory
	git init -q "$lab/sub" && cd "$lab/sub" || return 1
	git config user.name a && git config user.email a@example.org
	printf 'kota-memory data directory, format 1\n' >.kota
	ln -s $home_from_store/.claude/.credentials.json state.json
	"$BUILD/tests/hostile/forge" put state evil '"x"' >.journal
	git add -fA && git commit -qm sub || return 1
	cd "$up" && git -c protocol.file.allow=always submodule --quiet add "$lab/sub" data/kota_memory
}

attack "$@"
