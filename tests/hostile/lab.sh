# What every script of tests/hostile/attacks begins with: a victim's home to be robbed, and ways for
# a project to come into it. Nothing of the real home is seen or touched.
#
# A script sets
#	aim      what the attack is after: told (a secret of the victim's stands in the output),
#	         written (a file of theirs is another), ran (a command was run), hung (longer than
#	         10 s), died (by a signal), or worked (the function `worked` of the script says so)
#	without  the defences of undefended.c that have to be off for it to succeed, by commas
#	forms    how the project comes: clone (git clone), pull (git pull, after the store that was
#	         cloned first was trusted), archive (unpacked, no repository), inited (the same,
#	         and the victim makes a repository of it)
# and defines
#	plant    puts it there, in data/kota_memory of the project
#	victim   what the victim has beside the usual, in $HOME (may be missing)
#	raid     what the victim does then, in the project (may be missing: everything)
# and then calls: attack "$@"
#
# With a form as an argument, only that one; with --control behind it, kota without these defences.
# Exit status 0: stopped; 1: the attack succeeded; 2: nothing could be tried; 77: not here.
set -u
BUILD=${BUILD:-.}
BUILD=$(cd "$BUILD" && pwd)
KOTA=${KOTA:-$BUILD/kota}
aim=written
without=origin
forms="clone pull archive"
limit=10
PATH=$PATH:/usr/sbin:/sbin

# Without them an attack would be another one, and what it shows nothing.
for program in "$KOTA" "$BUILD/tests/own" "$BUILD/tests/hostile/forge" "$BUILD/tests/hostile/undefended"; do
	[ -x "$program" ] && continue
	echo "$program is not built: make kota tests/own tests/hostile/forge tests/hostile/undefended"
	exit 2
done

victim() { :; }
prepare() { :; }

# ---- the victim

make_home()
{
	# In memory where that is possible: it is made and removed some hundred times.
	if [ -z "${TMPDIR:-}" ] && [ -w /dev/shm ]; then
		TMPDIR=/dev/shm
	fi
	lab=$(mktemp -d "${TMPDIR:-/tmp}/kota-hostile-XXXXXX") || exit 2
	if [ "${HOSTILE_KEEP:-}" ]; then
		echo "kept: $lab"
	else
		trap 'chmod -R u+rwX "$lab"; rm -rf "$lab"' EXIT
	fi
	HOME=$lab/home
	out=$lab/out
	up=$lab/upstream
	project=$HOME/src/project
	store=$project/data/kota_memory
	TMPDIR=$lab/tmp
	export HOME TMPDIR
	unset XDG_STATE_HOME XDG_DATA_HOME XDG_CONFIG_HOME KOTA_MEMORY_DIR KOTA_MEMORY_GIT \
		CLAUDE_PROJECT_DIR CLAUDE_CONFIG_DIR CODEX_HOME
	mkdir -p "$HOME/.claude" "$HOME/.config/kota-memory" "$HOME/.local/state" "$HOME/.ssh" \
		"$HOME/Documents" "$HOME/vault" "$HOME/src" "$TMPDIR" || exit 2
	: >"$out"
	cd "$HOME" || exit 2
	cat >.claude/settings.json <<-'J'
		{
		  "model": "opus",
		  "permissions": {"deny": ["Read(./.env)", "Bash(curl:*)"], "allow": []},
		  "env": {"ANTHROPIC_API_KEY": "CANARY-in-settings"}
		}
	J
	echo '{"claudeAiOauth":{"accessToken":"CANARY-of-credentials","expiresAt":1}}' \
		>.claude/.credentials.json
	echo 'CANARYtokenAb3dEf6hIj9 and more' >.token
	echo '# CANARY-in-bashrc' >.bashrc
	echo '{"diary":{"value":"CANARY-in-documents"}}' >Documents/state.json
	echo '{"diary":"CANARY-in-documents"}' >Documents/preferences.json
	printf '# CANARY-in-vault\n' >vault/todo.md
	printf '[user]\n\tname = v\n\temail = v@example.org\n[init]\n\tdefaultBranch = main\n' \
		>.gitconfig
	victim || exit 2
}

# A file of the home, as a link in the store has to name it.
home_from_store=../../../..

# Names, kinds, modes and contents of all that is not to change.
digest()
{
	cd "$HOME" || exit 2
	if [ "$may_change" = yes ]; then
		set -- -path ./src/project/data/kota_memory -prune -o
	else
		set --
	fi
	find . -path ./.local/state/kota-memory -prune -o "$@" -printf '%p %y %m %l\n' | sort
	find . -path ./.local/state/kota-memory -prune -o "$@" -type f -print0 | sort -z |
		xargs -0 sha256sum
}

# ---- the project

# Where chance has planted nothing, there is nothing to commit either.
commit()
{
	git add -fA && git commit -q --allow-empty -m "$1" || exit 2
}

# A project with a memory that is what it seems to be.
innocent()
{
	mkdir -p "$up/data/kota_memory" && cd "$up" || exit 2
	echo "A project" >README
	printf 'kota-memory data directory, format 1\n' >data/kota_memory/.kota
	echo '{"build":"make"}' >data/kota_memory/patterns.json
	git init -q . && git config user.name a && git config user.email a@example.org || exit 2
}

# Twelve entries kept1 ... that are a month old, as a category file.
dated_entries()
{
	seq 12 | awk -v at="$(date -u -d '-30 days' +%FT%T.000Z)" '
		{
			printf "%s\"kept%d\":{\"value\":\"of the project\",", NR == 1 ? "{" : ",", NR
			printf "\"created_at\":\"%s\",\"last_updated\":\"%s\"}", at, at
		}
		END { print "}" }'
}

planted()
{
	cd "$up/data/kota_memory" || exit 2
	plant || exit 2
	cd "$up" || exit 2
}

deliver()
{
	innocent
	may_change=yes
	case $1 in
	clone)
		planted
		commit planted
		git -c protocol.file.allow=always clone -q --recurse-submodules "$up" "$project" 2>>"$lab/git" || exit 2
		[ "${HOSTILE_BEFORE:-}" ] || may_change=no
		;;
	pull)
		commit innocent
		git clone -q "$up" "$project" || exit 2
		"$BUILD/tests/own" "$store" || exit 2
		planted
		commit planted
		git -C "$project" pull -q || exit 2
		;;
	archive | inited)
		planted
		rm -rf .git
		cp -a "$up" "$project" || exit 2
		[ "$1" = archive ] || git -C "$project" init -q
		;;
	esac
	cd "$project" || exit 2
}

# ---- what the victim does

hung=
died=
note_end()
{
	case $1 in
	124 | 137) hung="$hung $2" ;;
	13[0-9] | 14[0-9]) died="$died $2" ;;
	esac
}

# One command of the program.
kota()
{
	timeout -k 1 "$limit" "$KOTA" "$@" >>"$out" 2>&1 </dev/null
	note_end $? "$1"
}

# The hook of a session's start.
hook()
{
	printf '{"session_id":"s","hook_event_name":"SessionStart","source":"startup","cwd":"%s"}' \
		"$PWD" | timeout -k 1 "$limit" "$KOTA" hook session-start >>"$out" 2>&1
	note_end $? hook
}

# A session of the server: each argument is the method and parameters of a request.
serve()
{
	id=1
	{
		echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}'
		echo '{"jsonrpc":"2.0","method":"notifications/initialized"}'
		for call; do
			id=$((id + 1))
			printf '{"jsonrpc":"2.0","id":%d,%s}\n' "$id" "$call"
		done
	} | timeout -k 1 "$limit" "$KOTA" serve >>"$out" 2>&1
	note_end $? serve
}

# call TOOL ARGUMENTS: what serve is given for a call of a tool.
call()
{
	printf '"method":"tools/call","params":{"name":"%s","arguments":%s}' "$1" "$2"
}

raid()
{
	hook
	kota list
	kota get build
	kota get claudeAiOauth
	kota search accessToken
	kota prime
	kota export
	kota report
	serve "$(call memory_get '{"query":"diary"}')" "$(call memory_list '{}')" \
		"$(call memory_search '{"query":"env"}')" \
		"$(call memory_set '{"key":"preferred editor","value":"vim"}')" \
		"$(call memory_delete '{"key":"model"}')" \
		"$(call memory_save_conversation_notes '{"summary":"said"}')" \
		'"method":"resources/list"' '"method":"prompts/list"'
	kota set colour blue
	kota delete build
	kota log
	kota doctor
	hook
}

# ---- the verdict

happened()
{
	case $1 in
	told) grep -aq CANARY "$out" ;;
	written)
		digest >"$lab/after"
		! cmp -s "$lab/before" "$lab/after"
		;;
	ran) [ -e "$lab/ran" ] ;;
	hung) [ -n "$hung" ] ;;
	died) [ -n "$died" ] ;;
	worked) worked ;;
	esac
}

# What shows it.
evidence()
{
	case $1 in
	told) grep -a CANARY "$out" | cut -c1-300 | head -3 ;;
	written) diff "$lab/before" "$lab/after" | head -10 ;;
	hung) echo "hung:$hung" ;;
	died) echo "died:$died" ;;
	worked) tail -c 600 "$out" ;;
	esac | sed 's/^/	/'
}

try_form()
{
	form=$1
	make_home
	deliver "$form"
	prepare || exit 2
	digest >"$lab/before"
	cd "$project" || exit 2
	raid
	verdict=0
	for what in $wanted; do
		if happened "$what"; then
			echo "$form: $what"
			evidence "$what"
			verdict=1
		fi
	done
	return $verdict
}

attack()
{
	wanted="told written ran hung died"
	[ "$aim" != worked ] || wanted="$wanted worked"
	[ -z "${HOSTILE_BEFORE:-}" ] || wanted=$aim
	if [ "${2:-}" = --control ]; then
		KOTA=$BUILD/tests/hostile/undefended
		HOSTILE_WITHOUT=$without
		export HOSTILE_WITHOUT
		limit=2
		wanted=$aim
	fi
	for form in ${1:-$forms}; do
		(try_form "$form")
		status=$?
		[ "$status" -eq 0 ] || exit "$status"
	done
	exit 0
}
