#!/bin/sh
# Where a store comes from, what is done with it, and what is planted in it: whatever meets, kota
# opens no file but the store's, the state folder's, the person's own settings and what it needs to
# run; it changes nothing else, starts nothing, and changes nothing at all in a store that came with
# a repository. strace tells what is opened.
#
#	table.sh [--full]
#
# All that is planted at once; with --full each alone as well. Controls: for each thing that is
# planted a kota without the defences against it, which some operation has to make break the rules.
. "${srcdir:-.}/tests/hostile/lab.sh"
command -v strace >/dev/null || { echo "skipped: strace is not installed (package strace)"; exit 77; }
strace -o /dev/null true 2>/dev/null || { echo "skipped: strace may not trace here"; exit 77; }
operations="get list search set hook prime doctor export serve log"
kinds="all"
[ "${1:-}" != --full ] || kinds="all link journal usage config git"

# ---- what is planted

plant_link()
{
	ln -s $home_from_store/Documents/preferences.json preferences.json
	ln -s $home_from_store/.ssh/config.json connections.json
	ln -s $home_from_store/Documents archive.cold
	ln -s $home_from_store/.token synonyms.json
	ln -s $home_from_store/.token .state.json.prev
	ln -s $home_from_store/vault notes
}

plant_journal()
{
	"$BUILD/tests/hostile/forge" note_add state evil.md text put state evil '"ATTACKER"' >.journal
}

plant_usage()
{
	if [ "$planted" = usage ]; then
		ln -s $home_from_store/.bashrc usage.jsonl
	else
		echo '{"since":"2020-01-01T00:00:00.000Z"}' >usage.jsonl
	fi
}

plant_config()
{
	if [ "$planted" = config ]; then
		ln -s $home_from_store/.token config.json
	else
		echo '{"limits":{"entries_per_category":1,"expiry_days":1}}' >config.json
	fi
}

# Of a folder that a repository names git itself carries none.
plant_git() { :; }

plant()
{
	dated_entries >state.json
	for one in link journal usage config git; do
		case $planted in
		all | "$one") plant_$one ;;
		esac
	done
}

# What git does not carry, and nobody puts into a store of the person's own.
plant_late()
{
	case $1-$planted in
	unreviewed-all | unreviewed-git | foreign-all | foreign-git) echo "gitdir: $HOME/other/.git" >"$store/.git" ;;
	esac
}

victim()
{
	echo '{"key":"CANARY-in-ssh"}' >.ssh/config.json
	echo '{"notes_dir":"'"$HOME"'/vault"}' >.config/kota-memory/config.json
	mkdir other && cd other && git init -q . && echo a >a && git add a && git commit -qm a
}

# ---- where the store comes from

bring()
{
	case $1 in
	own)
		innocent
		rm -rf .git
		cp -a "$up" "$project" && cd "$project" && git init -q . || exit 2
		"$BUILD/tests/own" "$store" || exit 2
		cd "$store" && plant || exit 2
		may_change=yes
		;;
	unreviewed) deliver inited ;;
	foreign) deliver clone ;;
	tracked) deliver pull ;;
	esac
	plant_late "$1"
}

# The folder stays the same, so that it is known.
restore()
{
	find "$store" -mindepth 1 -delete
	cp -a "$lab/template/." "$store"
}

# ---- what is done

traced()
{
	timeout -k 1 20 strace -f -qq -y -e trace=file,process -o "$lab/trace" "$KOTA" "$@" >>"$out" 2>&1
}

operate()
{
	case $1 in
	get) traced get kept1 </dev/null ;;
	search) traced search token </dev/null ;;
	set) traced set colour blue </dev/null ;;
	hook)
		printf '{"session_id":"s","hook_event_name":"SessionStart","source":"startup","cwd":"%s"}' \
			"$PWD" | traced hook session-start
		;;
	serve)
		printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}' \
			'{"jsonrpc":"2.0","method":"notifications/initialized"}' \
			'{"jsonrpc":"2.0","id":2,'"$(call memory_get '{"query":"kept1"}')}" \
			'{"jsonrpc":"2.0","id":3,'"$(call memory_set '{"key":"a","value":"b"}')}" \
			'{"jsonrpc":"2.0","id":4,"method":"resources/list"}' \
			'{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"memory://category/preferences"}}' |
			traced serve
		;;
	*) traced "$1" </dev/null ;;
	esac
}

# ---- what must not be

# The files that were opened, by their real names.
opened()
{
	sed -n 's/^[0-9]* *open[a-z0-9]*(.*) = [0-9]*<\(.*\)>$/\1/p' "$lab/trace" | sort -u
}

outside()
{
	opened | while read -r path; do
		case $path in
		"$store" | "$store"/* | "$project"/.git/* | "$project"/.gitignore) ;;
		"$project" | "$project"/data | "$project"/.git | "$project"/data/.gitignore) ;;
		"$HOME"/.local | "$HOME"/.local/state | "$HOME"/.local/state/kota-memory | "$HOME"/.local/state/kota-memory/*) ;;
		"$HOME"/.config/kota-memory | "$HOME"/.config/kota-memory/* | "$HOME"/.gitconfig | "$HOME"/.config/git/*) ;;
		/usr | /usr/* | /lib/* | /lib64/* | /etc | /etc/* | /proc | /proc/* | /sys/* | /dev/null | /dev/urandom) ;;
		# Notes are where the person's own settings say, and promoted ones are searched.
		"$HOME"/vault | "$HOME"/vault/*.md) ;;
		# doctor looks which clients know the program.
		"$HOME"/.claude.json | "$HOME"/.claude/settings.json) [ "$1" = doctor ] || echo "opened $path" ;;
		# Where a link of an own store leads is found out before it is compared.
		"$HOME"/Documents | "$HOME"/.ssh) [ "$origin" = own ] || echo "opened $path" ;;
		*)
			# A folder on the way up is only asked where it is.
			case $project/ in
			"${path%/}"/*) ;;
			*) echo "opened $path" ;;
			esac
			;;
		esac
	done
}

violations()
{
	outside "$1"
	grep -c 'execve(' "$lab/trace" | grep -qx 1 || grep 'execve(' "$lab/trace"
	digest >"$lab/after"
	diff "$lab/before" "$lab/after" | grep '^[<>]'
	grep -a CANARY "$out" | cut -c1-200
}

cell()
{
	restore
	: >"$out"
	: >"$lab/trace"
	digest >"$lab/before"
	cd "$project" || exit 2
	operate "$1"
	[ $? -ne 124 ] || echo "hung"
	# The operation has run: something of the store was looked at.
	opened | grep -qF "$project" || echo "nothing of the project was opened"
	violations "$1"
}

cells=0
failed=0
for planted in $kinds; do
	for origin in own unreviewed foreign tracked; do
		found=$(
			exec 3>&1 >&2
			make_home
			bring "$origin"
			cp -a "$store" "$lab/template"
			for operation in $operations; do
				found=$(cell "$operation")
				[ -z "$found" ] || printf 'FAILED %s, %s, %s:\n%s\n' "$origin" "$operation" \
					"$planted" "$(echo "$found" | head -8 | sed 's/^/	/')" >&3
			done
		)
		cells=$((cells + 10))
		[ -z "$found" ] || failed=$((failed + $(echo "$found" | grep -c '^FAILED')))
		[ -z "$found" ] || echo "$found"
	done
done

# The controls: what has to be found for each thing that is planted.
KOTA=$BUILD/tests/hostile/undefended
for control in link:origin,links,calls journal:origin,journal usage:origin,calls \
	config:origin,links,calls git:origin,guard; do
	planted=${control%%:*}
	HOSTILE_WITHOUT=${control#*:}
	export HOSTILE_WITHOUT
	found=$(
		exec 3>&1 >&2
		make_home
		bring unreviewed
		cp -a "$store" "$lab/template"
		for operation in get set; do
			cell "$operation" >&3
		done
	)
	cells=$((cells + 1))
	if [ -z "$found" ]; then
		echo "FAILED control: $planted without $HOSTILE_WITHOUT: nothing was found"
		failed=$((failed + 1))
	fi
done
echo "$cells cells, $failed failed"
[ "$failed" -eq 0 ]
