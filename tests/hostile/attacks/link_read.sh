#!/bin/sh
# A category file is a link to the client's credentials: reads, and the hook before them all, would
# put them before the model.
# Version 0.1.0: it succeeded.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=told
without=origin,links

plant()
{
	ln -s $home_from_store/.claude/.credentials.json state.json
	ln -s $home_from_store/.claude/settings.json preferences.json
}

attack "$@"
