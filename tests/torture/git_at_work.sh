#!/bin/sh
# A person works with git in the store while two servers and two loops of commands change it: 22
# commands that put files back, move the branch away, stop half way, and remove objects; and 7 other
# tools that copy the store, put files back, save as editors do, empty a file (jq . a.json >a.json) or
# fill the disk. Afterwards no acknowledged value is nowhere: each is in a file or in a commit; and git
# fsck finds the repository whole. At the end of a round git gc --prune=now comes between the objects
# of a commit and the branch that is to name them.
#
# As root the store is another user's, on a disk of 24 MB, so that `sudo git gc` and a full disk are
# among the commands. rsync and jq are left out where they are not installed.
#
#	git_at_work.sh [--full] [--plant FAULT]
#
# One round of the commands, in full form 30. With --plant a kota with this fault, see
# tests/support/planted.h: up to 10 rounds, the first that loses something ends it.
set -u
commands=29
if [ "$(id -u)" -eq 0 ] && [ -z "${KOTA_OWN_MOUNTS:-}" ] && unshare -m true 2>/dev/null; then
	KOTA_OWN_MOUNTS=1 exec unshare -m "$0" "$@"
fi
program=kota
rounds=1
most=1
while [ $# -gt 0 ]; do
	case $1 in
	--full) rounds=30 ;;
	--plant)
		program=planted
		KOTA_PLANT=$2
		export KOTA_PLANT
		most=10
		shift
		;;
	esac
	shift
done
command -v git >/dev/null || {
	echo "git is not here"
	exit 77
}
top=$(mktemp -d "${TMPDIR:-/tmp}/kota-git-XXXXXX") || exit 1
# The writers end by themselves: one that is killed leaves its last command at work in the store.
trap 'touch "$top/over"; wait; rm -rf "$top"' EXIT
trap 'exit 130' INT TERM
unset KOTA_MEMORY_GIT XDG_STATE_HOME
HOME=$top
XDG_CONFIG_HOME=$top
GIT_CONFIG_NOSYSTEM=1
GIT_EDITOR=true
GIT_SEQUENCE_EDITOR='sed -i 1s/pick/edit/'
export HOME XDG_CONFIG_HOME GIT_CONFIG_NOSYSTEM GIT_EDITOR GIT_SEQUENCE_EDITOR
printf '[user]\n\tname = Ada\n\temail = ada@example.org\n[advice]\n\tdetachedHead = false\n[safe]\n\tdirectory = *\n' \
	>"$top/.gitconfig"

# The user whose store it is, where that is another one, and the disk, where it is one of its own.
as=
disk=
mkdir "$top/disk"
cp "$KOTA" "$top/kota"
cp "$BUILD/tests/torture/planted" "$top"
# For the merge driver.
PATH=$top:$PATH
if [ -n "${KOTA_OWN_MOUNTS:-}" ]; then
	chmod 711 "$top"
	as='setpriv --reuid=65534 --regid=65534 --clear-groups'
	$as "$top/$program" --version >/dev/null 2>&1 || as=
	mount -t tmpfs -o size=24m none "$top/disk" 2>/dev/null && disk=yes
	[ -z "$as" ] || chown 65534:65534 "$top" "$top/disk"
	trap 'touch "$top/over"; wait; umount "$top/disk" 2>/dev/null; rm -rf "$top"' EXIT
fi
kota="$as $top/$program"

# request N VALUE: as a client of the protocol without a handshake sends it.
request() {
	meta='"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}'
	printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_set","arguments":{"key":"writer %s","value":"%s","category":"state"},"_meta":{%s}}}\n' \
		"$1" "$2" "$meta"
}

# The same as write() in one server, which must not go away.
serve() {
	rm -f "$top/in$1" "$top/out$1"
	mkfifo "$top/in$1" "$top/out$1"
	$kota serve --dir "$store" <"$top/in$1" >"$top/out$1" 2>/dev/null &
	exec 5>"$top/in$1" 6<"$top/out$1"
	i=0
	while [ ! -e "$top/over" ]; do
		i=$((i + 1))
		request "$1" "<$1-$i>" >&5
		read -r reply <&6 || {
			echo "server $1 is gone" >>"$top/gone"
			break
		}
		case $reply in *'"isError":false'*) echo "<$1-$i>" >>"$top/acknowledged" ;; esac
	done
	exec 5>&- 6<&-
	wait
}

# Overwrites one key of its own again and again; what was acknowledged goes to a list.
write() {
	i=0
	while [ ! -e "$top/over" ]; do
		i=$((i + 1))
		$kota --dir "$store" set "writer $1" "<$1-$i>" --category state >/dev/null 2>&1 &&
			echo "<$1-$i>" >>"$top/acknowledged"
	done
}

# Whatever stopped half way goes, and the branch is main.
back() {
	for what in rebase merge cherry-pick revert am; do
		$as git -C "$store" "$what" --abort
	done
	$as git -C "$store" bisect reset
	$as git -C "$store" checkout -q -f main
}

# The disk is full while some changes are asked for; who removes something has room again.
fill() {
	[ -n "$disk" ] || return 0
	head -c 30000000 /dev/zero >"$top/disk/full"
	for n_full in 1 2 3 4 5 6 7 8; do
		$kota --dir "$store" set full "<6-$n_full>" --category state && echo "<6-$n_full>" >>"$top/acknowledged"
	done
	rm "$top/disk/full"
}

# Empties the file. Until it is put back changes are refused, and say why; a change that was under way
# may have put its text in the place already.
slip() {
	$as sh -c 'jq . "$1" >"$1"' - "$file"
	$kota --dir "$store" set slip 1 --category state >"$top/slip" 2>&1 ||
		grep -q 'state.json is empty.*kota doctor --fix' "$top/slip" ||
		echo "an emptied file: $(cat "$top/slip")" >>"$top/gone"
	$kota doctor --dir "$store" --fix
}

# at_work N: one of the commands.
at_work() {
	g="$as git -C $store"
	file=$store/state.json
	case $1 in
	1) $g gc -q --prune=now ;;
	2) $g checkout -q -- . ;;
	3) $g reset -q --hard ;;
	4) $g stash -q && $g stash pop -q ;;
	5) $g stash -q -u && $g stash drop -q ;;
	6) $g commit -q -a -m "by hand" ;;
	7) $g commit -q --amend -m "again" ;;
	8) $g checkout -q -f -B side HEAD~2 ;;
	9) $g merge -q -X ours -m merged side ;;
	10) $g rebase -q -i HEAD~2 && $g rebase --abort ;;
	11) $g rebase -q -i HEAD~3 ; $g rebase --continue ;;
	12) $g cherry-pick -x side ;;
	13) $g revert --no-edit HEAD~1 ;;
	14) $g checkout -q -f --detach HEAD~1 ;;
	15) $g bisect start HEAD HEAD~4 ;;
	16) $g repack -q -a -d ;;
	17) $g pack-refs --all --prune ;;
	18) $g add -A && $g reset -q ;;
	19) $g rm -q --cached state.json ;;
	20) $g clean -q -f -d ;;
	21) $g maintenance run --quiet --task=gc --task=loose-objects ;;
	22) $g worktree add -q -f "$top/other" side && $g worktree remove -f "$top/other" ;;
	23) cp -a "$store" "$top/copy"; rm -rf "$top/copy" ;;
	24) $as rsync -a --exclude='.*' "$store/" "$top/backup" && $as rsync -a "$top/backup/" "$store" ;;
	25) $as sh -c 'jq . "$1" >"$1.new" && mv "$1.new" "$1"' - "$file" ;;
	26) $as sh -c 'text=$(cat "$1"); printf "%s\n" "$text" >"$1"' - "$file" ;;
	27) slip ;;
	28) [ -z "$as" ] || git -C "$store" gc -q --prune=now ;;
	29) fill ;;
	esac
	back
}

# What is in a file or in a commit, also in one that only a reflog has: git reads where a branch is
# before it takes its lock, and sets it back to there.
everywhere() {
	find "$store" -name .git -prune -o -type f ! -name '.*' -print | while read -r file; do
		cat "$file"
	done
	git -C "$store" rev-list --objects --all --reflog | cut -d ' ' -f 1 |
		git -C "$store" cat-file --batch
}

bad=0
round=0
acknowledged=0
while [ "$round" -lt "$rounds" ] || { [ -n "${KOTA_PLANT:-}" ] && [ "$round" -lt "$most" ]; }; do
	[ "$bad" -eq 0 ] || break
	round=$((round + 1))
	store=$top/disk/store$round
	rm -f "$top/over" "$top/acknowledged"
	: >"$top/acknowledged"
	$kota --dir "$store" init >/dev/null 2>&1 || exit 1
	for n in 1 2 3 4 5 6; do
		$kota --dir "$store" set first "<0-$n>" --category state >/dev/null 2>&1 &&
			echo "<0-$n>" >>"$top/acknowledged"
	done
	for n in 1 2; do
		write "$n" &
		serve "$((n + 2))" &
	done
	n=0
	while [ "$n" -lt "$commands" ]; do
		n=$((n + 1))
		at_work "$n" >>"$top/said" 2>&1
	done
	touch "$top/over"
	wait
	back >>"$top/said" 2>&1
	for n in 1 2 3; do
		KOTA_PLANT=${KOTA_PLANT:-gc-within} $as "$top/planted" --dir "$store" \
			set within "<5-$n>" --category state >/dev/null 2>&1 &&
			echo "<5-$n>" >>"$top/acknowledged"
	done
	$kota --dir "$store" set last 1 --category state >"$top/last" 2>&1
	everywhere 2>/dev/null | grep -a -o '<[0-9]*-[0-9]*>' | sort -u >"$top/found"
	sort -u "$top/acknowledged" | comm -23 - "$top/found" >"$top/lost"
	git -C "$store" fsck --full >"$top/fsck" 2>&1
	grep -v -e '^dangling' -e '^notice' "$top/fsck" >"$top/broken"
	lost=$(wc -l <"$top/lost")
	acknowledged=$((acknowledged + $(wc -l <"$top/acknowledged")))
	if [ "$lost" -gt 0 ] || [ -s "$top/broken" ] || [ -e "$top/gone" ] || grep -q 'in the history' "$top/last"; then
		bad=$((bad + 1))
		echo "violation: round $round: $lost are nowhere: $(head -n 5 "$top/lost" | tr '\n' ' ')"
		head -n 5 "$top/broken" "$top/last" "$top/gone" 2>/dev/null
		[ -z "${TORTURE_KEEP:-}" ] || cp -a "$store" "$TORTURE_KEEP"
	fi
	[ -n "${KOTA_PLANT:-}" ] || rm -rf "$store"
done
echo "$round rounds of $commands commands beside four writers, $acknowledged acknowledged values: $bad rounds lost one or broke the repository"
[ "$bad" -eq 0 ] && [ "$acknowledged" -gt $((round * 20)) ]
