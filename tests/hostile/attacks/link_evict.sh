#!/bin/sh
# A link to the client's settings and limits that hold next to nothing: a set would send
# permissions.deny to the repository's archive.
# Version 0.1.0: it succeeded.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=worked
without=origin,links,settings

plant()
{
	ln -s $home_from_store/.claude/settings.json preferences.json
	echo '{"limits":{"total_bytes":260}}' >config.json
}
raid() { serve "$(call memory_set '{"key":"preferred editor","value":"vim"}')"; }
worked() { ! grep -q deny "$HOME/.claude/settings.json"; }

attack "$@"
