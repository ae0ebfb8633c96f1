#!/bin/sh
# A forged journal that names notes outside of any folder of notes. It never was believed: such
# names are none.
# Version 0.1.0: it was stopped.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=written
without=none

plant()
{
	mkdir notes
	echo note >notes/a.md
	"$BUILD/tests/hostile/forge" \
		note_add state "../../../../../Documents/evil.md" 'text' \
		note_add state "$HOME/Documents/evil.md" 'text' \
		note_remove state "../../../../../vault/todo.md" '# CANARY-in-vault
' >.journal
}

attack "$@"
