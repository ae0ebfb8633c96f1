#!/bin/sh
# A category file is a link to the client's settings: an ordinary set would write there.
# Version 0.1.0: it succeeded.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=written
without=origin,links

plant() { ln -s $home_from_store/.claude/settings.json preferences.json; }
raid() { serve "$(call memory_set '{"key":"preferred editor","value":"vim"}')"; }

attack "$@"
