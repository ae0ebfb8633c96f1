#!/bin/sh
# Notes of promoted entries are links to the person's own texts: a change would record them in the
# store's history, and show them from there.
# Version 0.1.0: it succeeded.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=worked
without=origin,calls
forms="archive"

plant()
{
	mkdir notes
	ln -s ../$home_from_store/vault/todo.md notes/todo.md
	echo '{"todo":{"value":"todo","status":"promoted","promoted_to":"notes/todo.md"}}' >state.json
	git init -q . && git config user.name a && git config user.email a@example.org || return 1
	git add -fA && git commit -qm a
}
raid()
{
	kota set todo "to do"
	kota set colour blue
	kota search todo
	kota show todo
	kota diff todo
	kota report
	kota doctor
}
worked()
{
	git -C "$store" rev-list --all --objects 2>/dev/null | cut -d' ' -f1 |
		git -C "$store" cat-file --batch 2>/dev/null | grep -aq CANARY
}

attack "$@"
