#!/bin/sh
# Nobody who has a memory already is stopped by what protects them from the memories of others: each
# kind of store that an earlier version, another program or another machine has left works unasked,
# for set, get and the hook, and loses nothing.
#
# With --control, a kota to which every store is somebody else's: each kind has to fail.
. "${srcdir:-.}/tests/hostile/lab.sh"
passed=0
failed=0
control=
if [ "${1:-}" = --control ]; then
	control=yes
	KOTA=$BUILD/tests/hostile/undefended
	HOSTILE_WITHOUT=welcome
	export HOSTILE_WITHOUT
fi

fail()
{
	failed=$((failed + 1))
	echo "FAILED $name: $*"
	tail -n 5 "$out" | cut -c1-400 | sed 's/^/	/'
}

ok() { passed=$((passed + 1)); }

# says WORDS COMMAND...: succeeds and says so.
says()
{
	words=$1
	shift
	: >"$out"
	if ! timeout 10 "$KOTA" "$@" >>"$out" 2>&1 </dev/null; then
		fail "$* has failed"
	elif ! grep -aqF "$words" "$out"; then
		fail "$* does not say $words"
	else
		ok
	fi
}

hook_says()
{
	: >"$out"
	hook
	if grep -aqF "$1" "$out"; then ok; else fail "the hook does not say $1"; fi
}

holds()
{
	if grep -aqF "$2" "$1"; then ok; else fail "$1 does not hold $2"; fi
}

# What must work everywhere; the first argument is what the hook says.
works()
{
	says vim get editor
	says "set preferences:colour" set colour blue --category preferences
	says blue get colour
	says vim get editor
	hook_says "$1"
	serve "$(call memory_set '{"key":"served","value":"by the server","category":"state"}')"
	says "by the server" get served
}

begin()
{
	name=$1
	make_home
	mkdir -p "$project" && cd "$project" || exit 2
}

# ---- the kinds

original()
{
	mkdir -p data/kota_memory
	echo '{"editor":"vim"}' >data/kota_memory/preferences.json
	echo '{"plan":{"value":"ship","created_at":"2026-11-01T00:00:00.000Z"}}' >data/kota_memory/state.json
}

original_folder()
{
	begin "a folder of the original handler"
	original
	works "entries lies in this folder"
	holds data/kota_memory/state.json ship
}

original_in_repository()
{
	begin "the same in a repository that does not name it"
	git init -q .
	original
	works "editor: vim"
}

# 300 entries, limits that the person has raised.
project_store()
{
	begin "a project's store with raised limits and 300 entries"
	git init -q .
	original
	printf 'kota-memory data directory, format 1\n' >data/kota_memory/.kota
	echo '{"limits":{"entries_per_category":500,"total_bytes":500000,"expiry_days":900}}' \
		>data/kota_memory/config.json
	seq 300 | awk -v at="$(date -u -d '-400 days' +%FT%T.000Z)" '
		{
			printf "%s\"many%d\":{\"value\":\"v%d\",", NR == 1 ? "{" : ",", NR, NR
			printf "\"created_at\":\"%s\",\"last_updated\":\"%s\"}\n", at, at
		}
		END { print "}" }' >data/kota_memory/shortcuts.json
	works "editor: vim"
	says v1 get shortcuts:many1
	says v300 get shortcuts:many300
	for key in a b c; do
		says set set "new $key" x --category shortcuts
	done
	if [ "$(grep -c '"many' data/kota_memory/shortcuts.json)" -eq 300 ]; then
		ok
	else
		fail "entries have gone"
	fi
}

own_history()
{
	begin "a project's store with a history of its own"
	original
	cd data/kota_memory || exit 2
	git init -q . && git add -A && git -c user.name=kota-memory -c user.email=k@k commit -qm old
	cd "$project" || exit 2
	works "entries lies in this folder"
	says old log --limit 50
	says "set preferences:colour" log --limit 50
}

personal()
{
	begin "the person's own place, with a linked file"
	mkdir -p "$HOME/.local/share/kota_memory" "$HOME/dotfiles"
	echo '{"editor":"vim"}' >"$HOME/dotfiles/preferences.json"
	ln -s "$HOME/dotfiles/preferences.json" "$HOME/.local/share/kota_memory/preferences.json"
	printf 'kota-memory data directory, format 1\n' >"$HOME/.local/share/kota_memory/.kota"
	works "editor: vim"
	holds "$HOME/dotfiles/preferences.json" blue
	if [ -L "$HOME/.local/share/kota_memory/preferences.json" ]; then
		ok
	else
		fail "the link has gone"
	fi
}

personal_journal()
{
	begin "the person's own place, with a change that was not finished"
	store=$HOME/.local/share/kota_memory
	mkdir -p "$store"
	echo '{"editor":"vim"}' >"$store/preferences.json"
	printf 'kota-memory data directory, format 1\n' >"$store/.kota"
	"$BUILD/tests/hostile/forge" put state unfinished '"now finished"' >"$store/.journal"
	works "editor: vim"
	says "now finished" get unfinished
}

named()
{
	begin "a store that KOTA_MEMORY_DIR names"
	original
	mv data/kota_memory "$HOME/memory"
	rmdir data
	KOTA_MEMORY_DIR=$HOME/memory
	export KOTA_MEMORY_DIR
	works "editor: vim"
	holds "$HOME/memory/preferences.json" blue
}

# Made here, and copied with all its times: in a container, from a backup, to another machine.
made_here()
{
	git init -q . && git commit -q --allow-empty -m first
	"$KOTA" init >"$out" 2>&1 || fail "init"
	"$KOTA" set editor vim --category preferences >>"$out" 2>&1 || fail "set"
	ln -s "$HOME/dotfiles/shortcuts.json" data/kota_memory/shortcuts.json
}

container()
{
	begin "a store made here, its project copied to other inodes"
	made_here
	rm data/kota_memory/shortcuts.json
	cp -a "$project" "$project.copy"
	mv "$project" "$project.gone"
	mv "$project.copy" "$project"
	cd "$project" || exit 2
	works "editor: vim"
}

two_machines()
{
	begin "a copied home at the same path"
	made_here
	rm data/kota_memory/shortcuts.json
	mkdir -p "$HOME/.local/share/kota_memory" "$HOME/dotfiles"
	echo '{"editor":"vim"}' >"$HOME/dotfiles/preferences.json"
	ln -s "$HOME/dotfiles/preferences.json" "$HOME/.local/share/kota_memory/preferences.json"
	(cd "$HOME" && "$KOTA" get editor) >>"$out" 2>&1 || fail "the first sight of the link"
	cp -a "$HOME" "$lab/other"
	mv "$HOME" "$lab/gone"
	mv "$lab/other" "$HOME"
	cd "$project" || exit 2
	works "editor: vim"
	cd "$HOME" || exit 2
	works "editor: vim"
	holds "$HOME/dotfiles/preferences.json" blue
}

unharmed=
for kind in original_folder original_in_repository project_store own_history personal \
	personal_journal named container two_machines; do
	before=$failed
	counts=$(
		if [ "$control" ]; then $kind >/dev/null; else $kind >&2; fi
		echo "$passed $failed"
	)
	passed=${counts% *}
	failed=${counts#* }
	[ "$failed" -gt "$before" ] || unharmed="$unharmed $kind"
done
echo "$passed passed, $failed failed"
if [ "$control" ]; then
	[ -z "$unharmed" ] || echo "not stopped:$unharmed"
	[ -z "$unharmed" ]
else
	[ "$failed" -eq 0 ]
fi
