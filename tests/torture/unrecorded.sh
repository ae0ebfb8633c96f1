#!/bin/sh
# The history is broken in 12 ways while entries are set, updated and deleted, and a change is undone.
# Each change is made, says that it is not recorded, and overwrites nothing that is nowhere else. Then
# git may put the files back; and once the history works again, each change is a commit of its own.
#
#	unrecorded.sh [--full] [--plant FAULT]
#
# Each way once, in full form each with 8 orders of the changes. With --plant a kota with this fault,
# see tests/support/planted.h: the first way that loses something ends it.
set -u
full=
while [ $# -gt 0 ]; do
	case $1 in
	--full) full=yes ;;
	--plant)
		KOTA=$BUILD/tests/torture/planted
		KOTA_PLANT=$2
		export KOTA_PLANT
		shift
		;;
	esac
	shift
done
command -v git >/dev/null || {
	echo "git is not here"
	exit 77
}
top=$(mktemp -d "${TMPDIR:-/tmp}/kota-unrecorded-XXXXXX") || exit 1
trap 'rm -rf "$top"' EXIT
trap 'exit 130' INT TERM
unset KOTA_MEMORY_GIT
HOME=$top
XDG_CONFIG_HOME=$top
GIT_CONFIG_NOSYSTEM=1
export HOME XDG_CONFIG_HOME GIT_CONFIG_NOSYSTEM
printf '[user]\n\tname = Ada\n\temail = ada@example.org\n' >"$top/.gitconfig"

kota() {
	"$KOTA" --dir "$store" "$@"
}

# shut and open a store's history again, in a way of each name.
shut() {
	case $1 in
	index-lock) : >"$git/index.lock" ;;
	branch-lock) : >"$git/refs/heads/main.lock" ;;
	gc) echo "$$ $(uname -n)" >"$git/gc.pid" ;;
	rebase) mkdir "$git/rebase-merge" ;;
	merge) cp "$git/refs/heads/main" "$git/MERGE_HEAD" ;;
	detached) git -C "$store" checkout -q --detach ;;
	no-head) mv "$git/HEAD" "$top/away" && : >"$git/HEAD" ;;
	no-branch) mv "$git/refs/heads/main" "$top/away" && echo nonsense >"$git/refs/heads/main" ;;
	no-config) mv "$git/config" "$top/away" && echo '[core' >"$git/config" ;;
	no-pack)
		git -C "$store" gc -q
		pack=$(echo "$git"/objects/pack/*.pack)
		mv "$pack" "$top/away"
		: >"$pack"
		;;
	no-objects) mv "$git/objects" "$top/away" && mkdir "$git/objects" ;;
	full-objects) # nothing new can be written, as with folders of another user's
		for folder in $(seq 0 255); do
			folder=$(printf %02x "$folder")
			[ ! -e "$git/objects/$folder" ] || mv "$git/objects/$folder" "$git/objects/was-$folder"
			: >"$git/objects/$folder"
		done
		;;
	esac
}

open() {
	case $1 in
	index-lock) rm "$git/index.lock" ;;
	branch-lock) rm "$git/refs/heads/main.lock" ;;
	gc) rm "$git/gc.pid" ;;
	rebase) rmdir "$git/rebase-merge" ;;
	merge) rm "$git/MERGE_HEAD" ;;
	detached) git -C "$store" symbolic-ref HEAD refs/heads/main ;;
	no-head) mv "$top/away" "$git/HEAD" ;;
	no-branch) mv "$top/away" "$git/refs/heads/main" ;;
	no-config) mv "$top/away" "$git/config" ;;
	no-pack) mv "$top/away" "$pack" ;;
	no-objects) rm -rf "$git/objects" && mv "$top/away" "$git/objects" ;;
	full-objects)
		rm "$git"/objects/??
		for folder in "$git"/objects/was-*; do
			mv "$folder" "$git/objects/${folder##*/was-}"
		done
		;;
	esac
}

bad=0
made=0

# fail WHAT: once a store.
fail() {
	bad=$((bad + 1))
	echo "violation: $way, order $order: $1"
	cat "$top/said"
}

# change WORDS: it is made, and says that it is not in the history.
change() {
	made=$((made + 1))
	if ! kota "$@" >"$top/said" 2>&1; then
		fail "kota $* is refused"
	elif ! grep -q 'in the history' "$top/said"; then
		fail "kota $* does not say that it is not recorded"
	fi
}

# keeps TEXT: is it in a file of the store?
keeps() {
	grep -q -r --exclude-dir=.git --exclude='.*' -e "$1" "$store" || fail "$1 is nowhere"
}

# act N: one of the changes.
act() {
	case $1 in
	1)
		change set a '<a2>'
		change set a '<a3>'
		keeps '<a2>'
		keeps '<a3>'
		;;
	2) change update b '<b2>' && keeps '<b1> <b2>' ;;
	3)
		change delete c && keeps '<c1>'
		change set e '<e1>' --category state
		change undo
		! kota get state:e >"$top/said" || fail "undo has not taken <e1> away"
		keeps '<e1>'
		;;
	4)
		change set d '<d2>'
		change undo
		kota get state:d | grep -q '<d1>' || fail "undo has not put <d1> back"
		keeps '<d2>'
		;;
	esac
}

# play WAY ORDER: one store.
play() {
	way=$1
	order=$2
	store=$top/store
	git=$store/.git
	before=$bad
	rm -rf "$store" "$top/away"
	kota init >"$top/said" 2>&1 || exit 1
	for key in a b c d; do
		kota set "$key" "<${key}1>" --category state >/dev/null 2>&1 || exit 1
	done
	cp "$store/state.json" "$top/state.json"
	commits=$(git -C "$store" rev-list --count --grep Kota-Change main)
	first=$made
	shut "$way" >"$top/said" 2>&1
	for n in $(echo "1 2 3 4" "2 4 3 1" "4 3 2 1" "3 1 4 2" "2 1 4 3" "4 1 3 2" "3 4 1 2" "1 3 2 4" |
		cut -d ' ' -f "$((order * 4 + 1))-$((order * 4 + 4))"); do
		[ "$bad" -gt "$before" ] || act "$n"
	done
	[ "$bad" -eq "$before" ] || return
	# Half of the times git puts the files back and forgets what it does not know.
	[ $((turn % 2)) -eq 0 ] || cp "$top/state.json" "$store/state.json"
	open "$way" >"$top/said" 2>&1
	[ $((turn % 2)) -eq 0 ] || git -C "$store" gc -q --prune=now
	kota set last 1 --category state >"$top/said" 2>&1 || fail "nothing can be stored afterwards"
	! grep -q 'in the history' "$top/said" || fail "the history does not work again"
	commits=$(($(git -C "$store" rev-list --count --grep Kota-Change main) - commits))
	[ "$commits" -eq $((made - first + 1)) ] ||
		fail "$((made - first + 1)) changes are $commits commits"
	git -C "$store" log -p --format= main >"$top/log"
	for text in '<a2>' '<a3>' '<b1> <b2>' '<d2>' '<e1>'; do
		grep -q -e "$text" "$top/log" || fail "$text is in no commit"
	done
	git -C "$store" fsck --full 2>&1 | grep -v -e '^dangling' -e '^notice' >"$top/said"
	[ ! -s "$top/said" ] || fail "git fsck complains"
}

turn=0
stores=0
orders=0
[ -z "$full" ] || orders="0 1 2 3 4 5 6 7"
for order in $orders; do
	for way in index-lock branch-lock gc rebase merge detached no-head no-branch no-config no-pack \
		no-objects full-objects; do
		turn=$((turn + 1))
		stores=$((stores + 1))
		play "$way" "$order"
		[ -z "${KOTA_PLANT:-}" ] || [ "$bad" -eq 0 ] || break 2
	done
	turn=$((turn + 1))
done
echo "a history broken in 12 ways, $stores stores, $made changes: $bad lost, unsaid or not recorded"
[ "$bad" -eq 0 ]
