#!/bin/sh
# A person works with git in the store while four writers change it: 22 commands that put files back,
# move the branch away, stop half way, and remove objects. Afterwards no acknowledged value is nowhere:
# each is in a file or in a commit; and git fsck finds the repository whole. At the end of a round
# git gc --prune=now comes between the objects of a commit and the branch that is to name them.
#
#	git_at_work.sh [--full] [--plant FAULT]
#
# One round of the commands, in full form 30. With --plant a kota with this fault, see
# tests/support/planted.h: up to 10 rounds, the first that loses something ends it.
set -u
rounds=1
most=1
while [ $# -gt 0 ]; do
	case $1 in
	--full) rounds=30 ;;
	--plant)
		KOTA=$BUILD/tests/torture/planted
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
unset KOTA_MEMORY_GIT
HOME=$top
XDG_CONFIG_HOME=$top
GIT_CONFIG_NOSYSTEM=1
GIT_EDITOR=true
GIT_SEQUENCE_EDITOR='sed -i 1s/pick/edit/'
export HOME XDG_CONFIG_HOME GIT_CONFIG_NOSYSTEM GIT_EDITOR GIT_SEQUENCE_EDITOR
printf '[user]\n\tname = Ada\n\temail = ada@example.org\n[advice]\n\tdetachedHead = false\n' >"$top/.gitconfig"

# Overwrites one key of its own again and again; what was acknowledged goes to a list.
write() {
	i=0
	while [ ! -e "$top/over" ]; do
		i=$((i + 1))
		"$KOTA" --dir "$store" set "writer $1" "<$1-$i>" --category state >/dev/null 2>&1 &&
			echo "<$1-$i>" >>"$top/acknowledged"
	done
}

# Whatever stopped half way goes, and the branch is main.
back() {
	for what in rebase merge cherry-pick revert am; do
		git -C "$store" "$what" --abort
	done
	git -C "$store" bisect reset
	git -C "$store" checkout -q -f main
}

# at_work N: one of the commands.
at_work() {
	g="git -C $store"
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
	21) $g maintenance run -q --task=gc --task=loose-objects ;;
	22) $g worktree add -q -f "$top/other" side && $g worktree remove -f "$top/other" ;;
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
	store=$top/store$round
	rm -f "$top/over" "$top/acknowledged"
	: >"$top/acknowledged"
	"$KOTA" --dir "$store" init >/dev/null 2>&1 || exit 1
	for n in 1 2 3 4 5 6; do
		"$KOTA" --dir "$store" set first "<0-$n>" --category state >/dev/null 2>&1 &&
			echo "<0-$n>" >>"$top/acknowledged"
	done
	for n in 1 2 3 4; do
		write "$n" &
	done
	n=0
	while [ "$n" -lt 22 ]; do
		n=$((n + 1))
		at_work "$n" >>"$top/said" 2>&1
	done
	touch "$top/over"
	wait
	back >>"$top/said" 2>&1
	for n in 1 2 3; do
		KOTA_PLANT=${KOTA_PLANT:-gc-within} "$BUILD/tests/torture/planted" --dir "$store" \
			set within "<5-$n>" --category state >/dev/null 2>&1 &&
			echo "<5-$n>" >>"$top/acknowledged"
	done
	"$KOTA" --dir "$store" set last 1 --category state >"$top/last" 2>&1
	everywhere 2>/dev/null | grep -a -o '<[0-9]*-[0-9]*>' | sort -u >"$top/found"
	sort -u "$top/acknowledged" | comm -23 - "$top/found" >"$top/lost"
	git -C "$store" fsck --full >"$top/fsck" 2>&1
	grep -v -e '^dangling' -e '^notice' "$top/fsck" >"$top/broken"
	lost=$(wc -l <"$top/lost")
	acknowledged=$((acknowledged + $(wc -l <"$top/acknowledged")))
	if [ "$lost" -gt 0 ] || [ -s "$top/broken" ] || grep -q 'in the history' "$top/last"; then
		bad=$((bad + 1))
		echo "violation: round $round: $lost are nowhere: $(head -n 5 "$top/lost" | tr '\n' ' ')"
		head -n 5 "$top/broken" "$top/last"
		[ -z "${TORTURE_KEEP:-}" ] || cp -a "$store" "$TORTURE_KEEP"
	fi
	[ -n "${KOTA_PLANT:-}" ] || rm -rf "$store"
done
echo "$round rounds of 22 commands beside four writers, $acknowledged acknowledged values: $bad rounds lost one or broke the repository"
[ "$bad" -eq 0 ] && [ "$acknowledged" -gt $((round * 20)) ]
