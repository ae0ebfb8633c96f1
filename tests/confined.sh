#!/bin/sh
# The real server, confined to its files: all that it does goes on working, and nothing else can be
# reached. Needs a kernel with landlock; parts of it need git, strace and root.
set -eu
dir=$(mktemp -d "${TMPDIR:-/tmp}/kota-confined-XXXXXX")
trap 'umount "$dir/mount" 2>/dev/null || true; rm -rf "$dir"' EXIT
# What the environment of the tests says of the history, and where things are, is not for here.
unset KOTA_MEMORY_GIT KOTA_MEMORY_DIR CLAUDE_PROJECT_DIR XDG_DATA_HOME XDG_CONFIG_HOME XDG_STATE_HOME
export HOME="$dir/home" GIT_CONFIG_NOSYSTEM=1
mkdir "$HOME"
passed=0
failed=0

if ! "$KOTA" doctor --all 2>&1 | grep -q "confined.*by landlock"; then
	"$KOTA" doctor --all | grep "not confined" || true
	echo "confined.sh: skipped, there is no landlock here"
	exit 77
fi

# expect WHAT WANTED GOT: the second is a pattern of case.
expect() {
	# shellcheck disable=SC2254
	case $3 in
	$2) passed=$((passed + 1)) ;;
	*)
		failed=$((failed + 1))
		printf '%s: expected %s, got:\n%s\n' "$1" "$2" "$3"
		;;
	esac
}

# serve STORE: begins a server there, or in the person's own place; $pid is its number.
serve() {
	rm -f "$dir/in" "$dir/out"
	mkfifo "$dir/in" "$dir/out"
	$RUN "$KOTA" serve ${1:+--dir "$1"} <"$dir/in" >"$dir/out" 2>"$dir/err" &
	pid=$!
	exec 3>"$dir/in" 4<"$dir/out"
	echo '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}' >&3
	read -r reply <&4
}
RUN=

# call TOOL ARGUMENTS: $reply is the line that comes back.
call() {
	echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"$1\",\"arguments\":$2}}" >&3
	read -r reply <&4 || reply="the server has gone: $(cat "$dir/err")"
}

# ok WHAT TOOL ARGUMENTS: the call succeeds and has nothing to complain of.
ok() {
	call "$2" "$3"
	expect "$1" '*"isError":false*' "$reply"
	case $reply in
	*ermission* | *"start the server again"* | *"not in the history"*)
		failed=$((failed + 1))
		echo "$1: complains: $reply"
		;;
	esac
}

stop() {
	exec 3>&- 4<&-
	wait "$pid" || true
}

file_has() {
	expect "$1" "*$3*" "$(cat "$2" 2>&1)"
}

# ---- what a store does by itself, with a history

store="$dir/plain"
"$KOTA" init --dir "$store" >/dev/null 2>&1 || mkdir -p "$store"
export TZ=Asia/Kathmandu
serve "$store"
expect "the process has given up privileges" '*NoNewPrivs:?1*' "$(cat "/proc/$pid/status")"
ok "set" memory_set '{"key":"editor","value":"vim","category":"preferences"}'
expect "TZ" '*+05:45*' "$reply"
ok "set again" memory_set '{"key":"editor","value":"emacs","category":"preferences"}'
ok "history" memory_history '{"key":"preferences:editor","diff":true}'
expect "history: both" '*vim*' "$reply"
ok "get" memory_get '{"query":"editr"}'
file_has "usage" "$store/usage.jsonl" '"hit":"preferences:editor"'
ok "undo" memory_revert '{"key":"preferences:editor"}'
ok "get after undo" memory_get '{"query":"editor"}'
expect "undone" '*vim*' "$reply"
ok "promote" memory_promote '{"ref":"preferences:editor","force":true,"dry_run":false}'
expect "the note" '*.md' "$(ls "$store/notes")"
ok "notes of a conversation" memory_save_conversation_notes '{"summary":"one"}'
ok "notes again" memory_save_conversation_notes '{"summary":"two"}'
ok "clear state" memory_clear_state '{}'
ok "archived" memory_list_archived '{}'
ref=$(printf '%s' "$reply" | sed 's/.*"refs":\["\(state:conversation_notes@[^"]*\)".*/\1/')
ok "restore" memory_restore "{\"key\":\"$ref\"}"
ok "delete" memory_delete '{"key":"state:conversation_notes"}'
n=0
while [ "$n" -lt 40 ]; do
	ok "many changes" memory_set "{\"key\":\"n\",\"value\":\"$n\",\"category\":\"state\"}"
	n=$((n + 1))
done
ok "all of the history" memory_history '{"limit":100}'
stop
unset TZ
if command -v git >/dev/null 2>&1; then
	expect "recorded" "set state:n" "$(git -C "$store" log -1 --format=%s)"
	expect "sound" "" "$(git -C "$store" fsck --no-dangling 2>&1 | grep -v '^notice:' || true)"
fi

# ---- packing: a history that has grown is packed by the server

if command -v git >/dev/null 2>&1; then
	store="$dir/packed"
	serve "$store"
	ok "begin" memory_set '{"key":"n","value":"0","category":"state"}'
	stop
	blob=1
	while [ "$blob" -le 2100 ]; do
		echo "blob
mark :$blob
data <<END
$blob
END"
		blob=$((blob + 1))
	done | git -C "$store" -c fastimport.unpackLimit=100000 fast-import --quiet
	before=$(find "$store/.git/objects" -name '*.pack' | wc -l)
	serve "$store"
	ok "a change that packs" memory_set '{"key":"n","value":"1","category":"state"}'
	ok "a change after it" memory_set '{"key":"n","value":"2","category":"state"}'
	stop
	expect "packed" "[1-9]*" "$(find "$store/.git/objects" -name '*.pack' | wc -l)"
	expect "not packed before" 0 "$before"
	expect "sound" "" "$(git -C "$store" fsck --no-dangling 2>&1 | grep -v '^notice:' || true)"
fi

# ---- a library that lies elsewhere, and is loaded after the confinement

library=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null | sed -n 's|.*=> \(/.*/libgit2\.so\.[0-9.]*\)$|\1|p' | head -1)
if [ -n "$library" ]; then
	mkdir "$dir/lib"
	cp "$library" "$dir/lib"
	export LD_LIBRARY_PATH="$dir/lib"
	serve "$dir/library"
	ok "make the store" memory_set '{"key":"a","value":"b","category":"state"}'
	stop
	serve "$dir/library"
	ok "set" memory_set '{"key":"a","value":"c","category":"state"}'
	file_has "the library" "/proc/$pid/maps" "$dir/lib/libgit2"
	stop
	unset LD_LIBRARY_PATH
else
	echo "a library that lies elsewhere: skipped, ldconfig knows no libgit2"
fi

# ---- expiry and the cold archive, without a history

export KOTA_MEMORY_GIT=off
store="$dir/old"
mkdir "$store"
cat >"$store/state.json" <<'END'
{
  "old": {"value": "gone", "created_at": "2020-01-01T00:00:00.000+00:00", "last_updated": "2020-01-01T00:00:00.000+00:00", "accessed_at": "2020-01-01T00:00:00.000+00:00"},
  "new": "here"
}
END
echo '{"since":"2020-01-01T00:00:00.000+00:00"}' >"$store/usage.jsonl"
serve "$store"
ok "expiry" memory_list '{}'
ok "first" memory_set '{"key":"new","value":"there","category":"state"}'
ok "undo from the cold archive" memory_revert '{"key":"state:new"}'
ok "back" memory_get '{"query":"new"}'
expect "undone without a history" '*here*' "$reply"
stop
expect "the cold archive" '*.jsonl' "$(ls "$store/archive.cold")"
unset KOTA_MEMORY_GIT

# ---- files that lie elsewhere

export KOTA_MEMORY_GIT=off
store="$HOME/.local/share/kota_memory"
mkdir -p "$store" "$dir/elsewhere/again"
echo '{"colour": "green"}' >"$dir/elsewhere/again/mine.json"
ln -s again/mine.json "$dir/elsewhere/mine.json"
ln -s "$dir/elsewhere/mine.json" "$store/preferences.json"
cd "$HOME"
serve ""
ok "read through a link" memory_get '{"query":"colour"}'
expect "what it leads to" '*green*' "$reply"
ok "write through a link" memory_set '{"key":"colour","value":"blue","category":"preferences"}'
file_has "written through" "$dir/elsewhere/again/mine.json" '"blue"'
expect "the link stays" "$dir/elsewhere/mine.json" "$(readlink "$store/preferences.json")"
stop
cd "$OLDPWD"

store="$dir/noted"
mkdir "$store" "$dir/vault"
echo "# Tea

Brewed for three minutes." >"$dir/vault/tea.md"
export KOTA_MEMORY_NOTES_DIR="$dir/vault"
serve "$store"
ok "search the vault" memory_search '{"query":"brewed","scope":["notes"]}'
expect "the vault's note" '*tea.md*' "$reply"
ok "set" memory_set '{"key":"editor","value":"vim","category":"preferences"}'
ok "promote" memory_promote '{"ref":"preferences:editor","force":true,"dry_run":false}'
expect "a note in the vault" '*editor*' "$(ls "$dir/vault")"
stop
mv "$dir/vault" "$dir/gone"
serve "$store"
mv "$dir/gone" "$dir/vault"
call memory_search '{"query":"brewed","scope":["notes"]}'
expect "a vault that came later" '*start the server again*' "$reply"
stop
unset KOTA_MEMORY_NOTES_DIR

# ---- a project's store

if command -v git >/dev/null 2>&1; then
	unset KOTA_MEMORY_GIT
	git init -q "$dir/project"
	mkdir -p "$dir/project/data/kota_memory"
	serve "$dir/project/data/kota_memory"
	call memory_set '{"key":"editor","value":"vim","category":"preferences"}'
	expect "the project is seen" '*lies in the repository*' "$reply"
	stop
	echo "data/" >"$dir/project/.gitignore"
	git -C "$dir/project" -c user.name=p -c user.email=p@e commit -q --allow-empty -m first
	git -C "$dir/project" worktree add -q "$dir/tree" -b side 2>/dev/null
	cp "$dir/project/.gitignore" "$dir/tree"
	mkdir -p "$dir/tree/data/kota_memory"
	serve "$dir/tree/data/kota_memory"
	ok "ignored by a linked work tree" memory_set '{"key":"editor","value":"vim","category":"preferences"}'
	stop
	expect "so it has a history" "set preferences:editor" "$(git -C "$dir/tree/data/kota_memory" log -1 --format=%s 2>&1)"
	expect "the project has none of it" 1 "$(git -C "$dir/project" rev-list --all --count)"

	# A repository that is made around a store while it is served cannot be read.
	mkdir -p "$dir/late/store"
	serve "$dir/late/store"
	git init -q "$dir/late"
	call memory_set '{"key":"editor","value":"vim","category":"preferences"}'
	expect "a repository that came later" '*start the server again*' "$reply"
	expect "and the memory is kept" '*"isError":false*' "$reply"
	expect "none of its own" no "$([ -e "$dir/late/store/.git" ] && echo yes || echo no)"
	stop

	# A store that is a work tree of another repository.
	git init -q "$dir/main"
	git -C "$dir/main" -c user.name=p -c user.email=p@e commit -q --allow-empty -m first
	git -C "$dir/main" worktree add -q "$dir/branch" -b side 2>/dev/null
	"$BUILD/tests/own" "$dir/branch"
	serve "$dir/branch"
	ok "set in a work tree" memory_set '{"key":"a","value":"b","category":"state"}'
	stop
	expect "recorded in the other repository" "set state:a" "$(git -C "$dir/main" log -1 --format=%s side)"

	# The person's name, out of an included file; and settings that are replaced meanwhile.
	mkdir "$HOME/dotfiles"
	printf '[user]\n\tname = Ada\n\temail = ada@example.org\n' >"$HOME/dotfiles/me"
	printf '[include]\n\tpath = ~/dotfiles/me\n' >"$HOME/.gitconfig"
	store="$dir/person"
	serve "$store"
	ok "set" memory_set '{"key":"a","value":"b","category":"state"}'
	echo '{"lunch": "noon"}' >"$store/patterns.json"
	ok "set after an edit" memory_set '{"key":"a","value":"c","category":"state"}'
	expect "who edited" 'Ada*' "$(git -C "$store" log -1 --format='%an' -- patterns.json)"
	git config --global user.email new@example.org
	rm -rf "$store/.git"
	ok "set with new settings of git" memory_set '{"key":"a","value":"d","category":"state"}'
	ok "set once more" memory_set '{"key":"a","value":"e","category":"state"}'
	expect "a new history" "set state:a" "$(git -C "$store" log -1 --format=%s 2>&1)"
	stop
	rm -rf "$HOME/.gitconfig" "$HOME/dotfiles"
fi
export KOTA_MEMORY_GIT=off

# ---- a store that is made, and one that is replaced

store="$dir/made"
serve "$store"
expect "not yet" '*NoNewPrivs:?0*' "$(cat "/proc/$pid/status")"
ok "nothing there" memory_list '{}'
expect "still not" '*NoNewPrivs:?0*' "$(cat "/proc/$pid/status")"
ok "made" memory_set '{"key":"a","value":"b","category":"state"}'
expect "with the store" '*NoNewPrivs:?1*' "$(cat "/proc/$pid/status")"
ok "and again" memory_set '{"key":"a","value":"c","category":"state"}'
mv "$store" "$dir/away"
call memory_set '{"key":"a","value":"d","category":"state"}'
expect "gone: says so" '*was replaced*start the server again*' "$reply"
expect "gone: fails" '*"isError":true*' "$reply"
expect "gone: none made" no "$([ -e "$store" ] && echo yes || echo no)"
cp -r "$dir/away" "$store"
call memory_get '{"query":"a"}'
expect "replaced: says so" '*was replaced*start the server again*' "$reply"
rm -rf "$store"
mv "$dir/away" "$store"
ok "back again" memory_get '{"query":"a"}'
expect "with what it had" '*"value":"c"*' "$reply"
stop

# ---- the person's settings

mkdir -p "$HOME/.config/kota-memory" "$HOME/dotfiles"
echo '{"limits": {"entry_bytes": 200}}' >"$HOME/dotfiles/kota.json"
ln -s ../../dotfiles/kota.json "$HOME/.config/kota-memory/config.json"
serve "$store"
call memory_set "{\"key\":\"long\",\"value\":\"$(printf '%0300d' 0)\",\"category\":\"state\"}"
expect "settings behind a link" '*200*' "$reply"
stop
rm -rf "$HOME/.config/kota-memory"
serve "$store"
mkdir -p "$HOME/.config/kota-memory"
echo '{}' >"$HOME/.config/kota-memory/config.json"
call memory_set '{"key":"a","value":"e","category":"state"}'
expect "settings that came later" '*config.json*start the server again*' "$reply"
stop
rm -rf "$HOME/.config" "$HOME/dotfiles"

# ---- a store that can only be read; another file system for what is beside it

if [ "$(id -u)" = 0 ] && mkdir "$dir/mount" && mount -t tmpfs -o mode=0700 tmpfs "$dir/mount" 2>/dev/null; then
	cp -r "$store" "$dir/mount/store"
	XDG_STATE_HOME="$dir/mount/state"
	export XDG_STATE_HOME
	serve "$store"
	ok "the state on another file system" memory_set '{"key":"a","value":"f","category":"state"}'
	stop
	expect "the state folder" 'kota-memory' "$(ls "$dir/mount/state")"
	unset XDG_STATE_HOME
	mount -o remount,ro "$dir/mount"
	serve "$dir/mount/store"
	call memory_get '{"query":"a"}'
	expect "a read-only store is read" '*"isError":false*' "$reply"
	call memory_set '{"key":"a","value":"g","category":"state"}'
	expect "and not changed" '*read but not changed*' "$reply"
	stop
	umount "$dir/mount"
else
	echo "a read-only file system: skipped, it takes root and a mount"
fi

# ---- the attack: a link, made when the server is up, to a file of the person's

store="$dir/attacked"
serve "$store"
ok "before" memory_set '{"key":"a","value":"b","category":"state"}'
mkdir "$HOME/.client"
echo '{"token": "confidential", "hooks": "none"}' >"$HOME/.client/settings.json"
cp "$HOME/.client/settings.json" "$dir/before"
ln -s ../home/.client/settings.json "$store/preferences.json"
call memory_get '{"query":"token"}'
expect "attack: nothing is told" 0 "$(printf '%s' "$reply" | grep -c confidential || true)"
expect "attack: but why" '*preferences.json is a link*' "$reply"
call memory_set '{"key":"hooks","value":"run this","category":"preferences"}'
expect "attack: nothing is written" '*"isError":true*' "$reply"
call memory_set '{"key":"c","value":"d","category":"state"}'
expect "attack: the rest works" '*"isError":false*' "$reply"
stop
expect "attack: the file is as it was" "" "$(cmp "$dir/before" "$HOME/.client/settings.json" 2>&1)"
expect "attack: nothing beside it" settings.json "$(ls -A "$HOME/.client")"

# ---- the hook, and no program but this

# The confinement, or a file of the store that is read before; stores.json is the person's.
first_opened() {
	grep -oE "landlock_restrict_self|openat\([0-9]+, \"[a-z.]+(json|kota)\", O_RDONLY" "$dir/trace" |
		grep -v stores.json | head -1
}

printf '{"editor": "vim"}\n' >"$dir/plain/shortcuts.json"
expect "the hook" '*additionalContext*' "$("$KOTA" hook session-start --dir "$dir/plain" </dev/null)"
if command -v strace >/dev/null 2>&1 && strace -o /dev/null true 2>/dev/null; then
	# Who traces a process keeps the leak sanitizer from its work.
	export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
	strace -f -o "$dir/trace" "$KOTA" hook session-start --dir "$dir/plain" </dev/null >/dev/null
	# All that is opened below the store comes after the confinement.
	expect "the hook is confined first" "landlock*" \
		"$(first_opened)"
	expect "the hook: nothing was refused" "" "$(grep -E 'EACCES|EPERM' "$dir/trace" | grep -v AT_EACCES || true)"
	RUN="strace -f -o $dir/trace"
	export KOTA_MEMORY_GIT=own
	serve "$dir/plain"
	ok "traced" memory_set '{"key":"traced","value":"yes","category":"state"}'
	stop
	expect "the server is confined first" "landlock*" \
		"$(first_opened)"
	expect "the server: nothing was refused" "" "$(grep -E 'EACCES|EPERM' "$dir/trace" | grep -v AT_EACCES || true)"
	RUN=
else
	echo "the order of calls: skipped, strace is not installed (package strace)"
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
