#!/bin/sh
# Hostile stores put together at random: any of what the scripts of tests/hostile/attacks plant, in a
# project that comes in any way, under any operations. Nothing of the victim's home is changed or
# told, nothing is run, and nothing takes longer than 10 s.
#
#	hostile_stores.sh [--full] [--plant DEFENCES]
#
# 20 stores, in full form 200. With --plant a kota without these defences, see
# tests/hostile/undefended.c: then one store of 400 has to do harm, the first that does ends it.
. "${srcdir:-.}/tests/hostile/lab.sh"
stores=20
while [ $# -gt 0 ]; do
	case $1 in
	--full) stores=200 ;;
	--plant)
		KOTA=$BUILD/tests/hostile/undefended
		HOSTILE_WITHOUT=$2
		export HOSTILE_WITHOUT
		limit=2
		stores=400
		shift
		;;
	esac
	shift
done
seed=${TORTURE_SEED:-$(date +%s)}

# below N: a random number from 0 on, by the seed, the store and how many were drawn before.
below()
{
	drawn=$((drawn + 1))
	random=$(((random * 69069 + 12345 + drawn) % 2147483648))
	below=$((random / 65536 % $1))
}

chance()
{
	below "$1"
	[ "$below" -eq 0 ]
}

# One of the words.
pick()
{
	below $#
	shift "$below"
	picked=$1
}

victim()
{
	vault=
	if chance 2; then
		vault=yes
		echo '{"notes_dir":"'"$HOME"'/vault"}' >.config/kota-memory/config.json
	fi
	mkdir other && cd other && git init -q . && echo a >a && git add a && git commit -qm a
}

# A link to something of the victim's, in the place of a file of the store.
plant_links()
{
	for file in preferences.json connections.json shortcuts.json state.json archive.json \
		relations.json synonyms.json metadata.json config.json usage.jsonl .pending .lock \
		.journal .gitignore .state.json.prev .state.json.tmp .patterns.json.held-1; do
		chance 5 || continue
		pick .claude/settings.json .claude/.credentials.json .token .bashrc \
			Documents/state.json Documents/preferences.json vault/todo.md Documents
		pick "$home_from_store/$picked" "$HOME/$picked" "/proc/self/root$HOME/$picked"
		ln -sf "$picked" "$file"
	done
	for folder in archive.cold notes; do
		chance 4 || continue
		pick Documents vault .ssh other
		ln -s "$home_from_store/$picked" "$folder"
	done
}

plant_texts()
{
	if chance 3 && [ ! -L state.json ]; then dated_entries >state.json; fi
	chance 2 && [ ! -L .journal ] && "$BUILD/tests/hostile/forge" \
		put preferences hooks '{"SessionStart":[]}' put state evil '"x"' \
		note_add state evil.md text note_remove state todo.md '# CANARY-in-vault
' >.journal
	if chance 2 && [ ! -L config.json ]; then
		pick '{"secrets":"off"}' '{"limits":{"expiry_days":1}}' '{"limits":{"total_bytes":300}}' \
			'{"notes_dir":"way"}' '{"git":"own"}' '{"notes_dir":"../../.."}'
		echo "$picked" >config.json
		ln -sf $home_from_store/vault way
	fi
	if chance 3 && [ ! -L usage.jsonl ]; then
		echo '{"since":"2020-01-01T00:00:00.000Z"}' >usage.jsonl
	fi
	chance 8 && rm -f .kota
	true
}

plant()
{
	plant_links
	plant_texts
}

# What git does not carry.
prepare()
{
	case $form in
	archive | inited) ;;
	*) return 0 ;;
	esac
	if chance 3; then
		echo "gitdir: $HOME/other/.git" >"$store/.git"
	elif chance 3; then
		ln -s "$HOME/other/.git" "$store/.git"
	elif chance 2; then
		git init -q "$store"
		git -C "$store" config core.fsmonitor "touch '$lab/ran'"
		git -C "$store" config core.hooksPath "$store"
		chance 2 && rm -f "$store/.git/info/exclude" && mkfifo "$store/.git/info/exclude"
		chance 2 && mkfifo "$store/.git/fifo" && git config --file "$store/.git/config" include.path fifo
	fi
	for file in .state.json.tmp synonyms.json .gitignore relations.json; do
		chance 6 && [ ! -e "$store/$file" ] && [ ! -L "$store/$file" ] && mkfifo "$store/$file"
	done
	true
}

raid()
{
	for turn in 1 2 3 4 5; do
		pick hook list get search set delete prime export log doctor fix purge notes promote serve report
		done="$done $picked"
		case $picked in
		hook) hook ;;
		get) kota get kept1 ;;
		search) kota search token ;;
		set) kota set "colour $turn" blue --category preferences ;;
		delete) kota delete permissions ;;
		fix) kota doctor --fix ;;
		purge) kota purge env --yes ;;
		notes) kota notes "said $turn" ;;
		# Into the vault of the person's own settings it may go.
		promote) [ "$vault" ] || kota promote build --force --no-dry-run ;;
		serve)
			serve "$(call memory_get '{"query":"diary"}')" \
				"$(call memory_set '{"key":"editor","value":"vim"}')" \
				'"method":"resources/list"'
			;;
		*) kota "$picked" ;;
		esac
	done
}

# Whether a store did any harm; 0: none.
try_store()
{
	random=$(((seed + $1 * 7919) % 2147483648))
	drawn=0
	done=
	wanted="told written ran hung died"
	pick clone pull archive inited
	found=$(try_form "$picked") && return 0
	status=$?
	echo "store $1 of seed $seed:"
	echo "$found"
	return $status
}

bad=0
number=0
while [ "$number" -lt "$stores" ]; do
	number=$((number + 1))
	(try_store "$number") || bad=$((bad + 1))
	[ "$bad" -eq 0 ] || [ -z "${HOSTILE_WITHOUT:-}" ] || break
done
echo "$number hostile stores put together at random, $bad did harm"
[ "$bad" -eq 0 ]
