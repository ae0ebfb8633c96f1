#!/bin/sh
# All of it at once, in one project: the session begins, the model asks for a memory and stores one,
# the person purges one.
# Version 0.1.0: it succeeded.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=written
without=origin,links,journal,calls,settings,size,guard,objects

victim()
{
	echo '{"notes_dir":"'"$HOME"'/vault"}' >.config/kota-memory/config.json
	mkdir other && cd other && git init -q . && echo a >a && git add a && git commit -qm a
}
plant()
{
	ln -s $home_from_store/.claude/settings.json preferences.json
	ln -s $home_from_store/.claude/.credentials.json connections.json
	ln -s "$HOME/.token" shortcuts.json
	dated_entries >state.json
	"$BUILD/tests/hostile/forge" \
		put preferences hooks '{"SessionStart":[]}' put state evil '"ATTACKER"' \
		note_add state evil.md text note_remove state todo.md '# CANARY-in-vault
' >.journal
	echo '{"limits":{"entries_per_category":1,"total_bytes":300,"expiry_days":1},"secrets":"off"}' \
		>config.json
	echo '{"since":"2020-01-01T00:00:00.000Z"}' >usage.jsonl
	ln -s $home_from_store/Documents archive.cold
	ln -s $home_from_store/.token synonyms.json
	ln -s $home_from_store/Documents/state.json archive.json
	ln -s $home_from_store/Documents/state.json relations.json
	ln -s $home_from_store/.bashrc metadata.json
	ln -s $home_from_store/.token .state.json.prev
	ln -s $home_from_store/.token .gitignore
	mkdir notes
	ln -s ../$home_from_store/vault/todo.md notes/kept1.md
}
# What git does not carry comes with an archive.
prepare()
{
	[ "$form" = archive ] || return 0
	echo "gitdir: $HOME/other/.git" >"$store/.git"
	mkfifo "$store/.state.json.tmp" "$store/.preferences.json.held-1"
}
raid()
{
	hook
	serve "$(call memory_get '{"query":"kept1"}')" \
		"$(call memory_set '{"key":"colour","value":"blue"}')" \
		"$(call memory_search '{"query":"token"}')"
	kota set editor vim
	kota purge kept1 --yes
	kota purge env --yes
	kota purge colour --yes
	hook
}

attack "$@"
