#!/bin/sh
# kota doctor, and with --fix, on hostile stores: something that is no file of ours in each place in
# turn. It neither blocks nor crashes nor hangs, and files of entries keep their bytes.
set -u
passed=0
failed=0
work=$(mktemp -d "${TMPDIR:-/tmp}/kota-hostile-XXXXXX")
trap 'rm -rf "$work"' EXIT
export HOME="$work/home" XDG_DATA_HOME="$work/data" XDG_STATE_HOME="$work/state"
export XDG_CONFIG_HOME="$work/config" KOTA_MEMORY_GIT=own KOTA_MEMORY_DIR="$work/store"
unset CLAUDE_CONFIG_DIR CODEX_HOME CLAUDE_PROJECT_DIR
mkdir -p "$HOME" "$work/here"
cd "$work/here" || exit 1

lay_out()
{
	rm -rf "$work/store" "$HOME" "$work/here" "$work/config" "$work/outside" "$work/outside.d"
	mkdir -p "$HOME/.cursor" "$HOME/.claude" "$HOME/.codex" "$work/here" "$work/outside.d"
	cp -R "$work/first" "$work/store"
	echo '{"zz": 1}' >"$work/outside"
	cd "$work/here" || exit 1
}

# What is put in the place of $2, by its kind $1.
put()
{
	mkdir -p "$(dirname "$2")"
	rm -rf "$2"
	case $1 in
	fifo) mkfifo "$2" ;;
	folder) mkdir "$2" ;;
	loop) ln -s "$(basename "$2")" "$2" ;;
	dangling) ln -s nowhere/at/all "$2" ;;
	zero) ln -s /dev/zero "$2" ;;
	outside) ln -s "$work/outside" "$2" ;;
	outside.d) ln -s "$work/outside.d" "$2" ;;
	large) truncate -s 100M "$2" ;;
	nonsense) printf '\377\000{"a":\n[[[' >"$2" ;;
	blank) : >"$2" ;;
	esac
}

complain()
{
	failed=$((failed + 1))
	echo "$*"
}

# Runs doctor with these options; the states of doctor are 0, 1 and 65.
look()
{
	timeout -k 1 120 "$KOTA" doctor "$@" >"$work/out" 2>"$work/err" </dev/null
	status=$?
	case $status in
	0 | 1 | 65) passed=$((passed + 1)) ;;
	*) complain "$kind for $name: doctor $*: status $status: $(tail -1 "$work/err")" ;;
	esac
}

entries()
{
	for file in preferences connections patterns shortcuts state; do
		if [ -f "$work/store/$file.json" ] && [ ! -L "$work/store/$file.json" ] &&
			[ "$name" != "store/$file.json" ]; then
			cksum <"$work/store/$file.json"
		fi
	done
	cat "$work/outside"
}

try()
{
	kind=$1
	name=$2
	lay_out
	put "$kind" "$work/$name"
	before=$(entries)
	look
	look --fix --json
	[ "$(entries)" = "$before" ] || complain "$kind for $name: entries changed"
}

KOTA_MEMORY_DIR="$work/first" "$KOTA" set editor vim --category preferences >/dev/null
KOTA_MEMORY_DIR="$work/first" "$KOTA" notes a >/dev/null
KOTA_MEMORY_DIR="$work/first" "$KOTA" notes b >/dev/null

# Every name meets every kind with KOTA_HOSTILE=all; else each meets a few, in turn.
try_kinds()
{
	name=$1
	shift
	for kind; do
		turn=$((turn + 1))
		if [ "${KOTA_HOSTILE:-}" = all ] || [ "$kind" = fifo ] || [ $((turn % 4)) -eq 0 ]; then
			try "$kind" "$name"
		fi
	done
}

turn=0
for name in state.json archive.json relations.json archive.cold archive.cold/2026-11.jsonl notes \
	notes/a.md metadata.json usage.jsonl config.json synonyms.json .kota .gitignore .lock .journal \
	.pending .purge .state.json.prev .state.json.tmp .journal.tmp .kota.tmp .git .git/HEAD \
	.git/index .git/index.lock .git/objects .git/refs/heads/main; do
	try_kinds "store/$name" fifo folder loop dangling zero outside outside.d nonsense blank large
done
for name in home/.claude.json home/.claude/settings.json home/.codex/config.toml \
	home/.cursor/mcp.json here/.mcp.json here/.vscode/mcp.json config/kota-memory/config.json \
	state/kota-memory/hook; do
	try_kinds "$name" fifo folder loop zero nonsense large
done
for kind in fifo loop folder nonsense; do
	try "$kind" store
done

# A store that came with a repository, with $1 in the place of $2: nothing outside is opened, and
# nothing is changed.
try_foreign()
{
	kind=$1
	name="clone/data/kota_memory/$2"
	lay_out
	rm -rf "$work/clone"
	mkdir -p "$work/clone/data"
	cp -R "$work/first" "$work/clone/data/kota_memory"
	for made in .git .lock .gitignore .pending usage.jsonl metadata.json; do
		rm -rf "$work/clone/data/kota_memory/$made"
	done
	git init -q "$work/clone"
	git init -q --bare "$work/outside.d"
	git -C "$work/clone" add -f data/kota_memory/preferences.json
	mkfifo "$work/outside.d/fifo"
	put "$kind" "$work/$name"
	before=$(ls -lAR "$work/clone/data" "$work/outside.d"; cat "$work/outside")
	cd "$work/clone" || exit 1
	for how in "" --fix --record; do
		timeout -k 1 120 ${STRACE:+$STRACE -o "$work/trace"} "$KOTA" doctor $how >"$work/out" \
			2>"$work/err" </dev/null
		status=$?
		case $status in
		1 | 65 | 69 | 73) passed=$((passed + 1)) ;;
		*) complain "$kind for $name: doctor $how: status $status: $(tail -1 "$work/err")" ;;
		esac
		if [ -n "$STRACE" ] && grep "$work/outside" "$work/trace" | grep -v 'readlink'; then
			complain "$kind for $name: doctor $how: looked outside"
		fi
	done
	[ "$(ls -lAR "$work/clone/data" "$work/outside.d"; cat "$work/outside")" = "$before" ] ||
		complain "$kind for $name: something changed"
}

STRACE=
command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null &&
	STRACE='strace -f -y -e trace=%file'
[ -n "$STRACE" ] || echo "skipped: what is opened outside needs strace (package strace)"
if command -v git >/dev/null; then
	unset KOTA_MEMORY_DIR
	for file in state.json archive.json relations.json archive.cold notes notes/a.md \
		usage.jsonl config.json synonyms.json .kota .lock .journal .pending .purge \
		.state.json.prev .git .git/HEAD .git/config; do
		for what in fifo outside outside.d; do
			try_foreign "$what" "$file"
		done
	done
else
	echo "skipped: a store that came with a repository needs git (package git)"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
