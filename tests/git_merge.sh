#!/bin/sh
# Two people share a store through a repository and change it at will. With kota setup git, nothing
# that git does with their changes (merge, rebase, cherry-pick, stash pop) needs a person: there are
# no markers, all files can be read, and every text that the other had not seen is still there.
# Without it, the same changes end in conflicts.
#
#	tests/git_merge.sh [ROUNDS [SEED]]	make check: 12 1; all of it: 5000
set -eu
command -v git >/dev/null 2>&1 || {
	echo "skipped: git is not installed (package git)"
	exit 77
}
rounds=${1:-12}
first_seed=${2:-1}
dir=$(mktemp -d "${TMPDIR:-/tmp}/kota-merge-XXXXXX")
dir=$(cd "$dir" && pwd -P)
trap 'rm -rf "$dir"' EXIT
kota=$(cd "$(dirname "$KOTA")" && pwd)/$(basename "$KOTA")
own=$(cd "$BUILD" && pwd)/tests/own
HOME=$dir XDG_STATE_HOME=$dir/state KOTA_MEMORY_GIT=off GIT_CONFIG_NOSYSTEM=1
GIT_AUTHOR_NAME=p GIT_AUTHOR_EMAIL=p@example.org GIT_COMMITTER_NAME=p GIT_COMMITTER_EMAIL=p@example.org
export HOME XDG_STATE_HOME KOTA_MEMORY_GIT GIT_CONFIG_NOSYSTEM
export GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL
store=data/kota_memory
seed=$first_seed
each=
token=0
failed=0

fail() {
	failed=$((failed + 1))
	echo "FAILED $*"
}

# draw LIMIT: a number below it in $drawn, the same ones in each run.
draw() {
	seed=$(((seed * 1103515245 + 12345) % 2147483648))
	drawn=$((seed / 65536 % $1))
}

# One change in the store of the clone that we stand in.
change() {
	token=$((token + 1))
	draw 5
	key=k$drawn
	draw 10
	case $drawn in
	[0-3]) "$kota" set "$key" "says t$token." --category state ;;
	[45]) "$kota" update "state:$key" "more t$token." || "$kota" set "$key" "t$token." --category state ;;
	6) "$kota" delete "state:$key" || : ;;
	7) "$kota" relate "state:k0" "state:k1" || : ;;
	8) sed -i "s/by hand[^\"]*\"/by hand t$token.\"/" $store/shortcuts.json ;;
	9) "$kota" set "own t$token." "t$token." --category connections ;;
	esac >/dev/null 2>&1
}

# The texts that stand in the files of a commit.
tokens() {
	git grep -haoE 't[0-9]+\.' "$1" -- $store | sort -u
}

# Two clones that have the same store, and what the first begins with.
make_clones() {
	rm -rf "$dir/a" "$dir/b" "$dir/state"
	git init -q "$dir/a"
	cd "$dir/a"
	mkdir data
	"$kota" --dir $store init >/dev/null
	"$kota" set k0 "says t0." --category state >/dev/null
	printf '{\n  "mine":   "by hand"\n}\n' >$store/shortcuts.json
	[ "$1" = plain ] || "$kota" setup git >/dev/null
	git add -A
	git commit -qm "a store"
	git clone -q "$dir/a" "$dir/b"
	cd "$dir/b"
	[ "$1" = plain ] || "$kota" setup git >/dev/null
	"$own" "$dir/a/$store"
	"$own" "$dir/b/$store"
}

# Some changes in a clone, as many as $each says, a commit each; "loose" leaves them for the stash.
work() {
	cd "$dir/$1"
	draw 3
	for _ in $(seq ${each:-$((drawn + 1))}); do
		change
		[ "$2" = loose ] || { git add -A && git diff --cached --quiet || git commit -qm "change $token"; }
	done
	git add -A
}

# What the first did is brought into the second clone, in one of git's ways.
bring() {
	cd "$dir/b"
	git fetch -q "$dir/a" HEAD
	case $1 in
	merge) git merge -q -m merge FETCH_HEAD ;;
	rebase) git rebase -q FETCH_HEAD ;;
	cherry-pick)
		[ "$(git rev-parse FETCH_HEAD)" = "$base" ] ||
			git cherry-pick --allow-empty --keep-redundant-commits "$base..FETCH_HEAD"
		;;
	stash)
		git stash -q || :
		git merge -q --ff-only FETCH_HEAD
		[ -z "$(git stash list)" ] || git stash pop -q
		git add -A
		git diff --cached --quiet || git commit -qm "from the stash"
		;;
	esac >"$dir/said" 2>&1
}

# Is all there, in files that can be read?
check() {
	if grep -rlE '^(<<<<<<<|=======|>>>>>>>)' $store; then
		fail "$1: there are markers"
	fi
	"$kota" doctor --json >"$dir/doctor" 2>/dev/null || :
	if grep -q '"broken' "$dir/doctor"; then
		fail "$1: a file cannot be read: $(cat "$dir/doctor")"
	fi
	tokens HEAD >"$dir/after"
	lost=$(sort -u "$dir/before_a" "$dir/before_b" | comm -23 - "$dir/before" | comm -23 - "$dir/after")
	[ -z "$lost" ] || fail "$1: lost" $lost
}

# One round in one way; 1 when git wants a person.
play() {
	base=$(git -C "$dir/a" rev-parse HEAD)
	work a committed
	[ "$1" = stash ] && work b loose || work b committed
	cd "$dir/b"
	tokens "$base" >"$dir/before"
	git -C "$dir/a" rev-parse HEAD >/dev/null
	(cd "$dir/a" && tokens HEAD) >"$dir/before_a"
	grep -rhoE --exclude='.*' 't[0-9]+\.' $store | sort -u >"$dir/before_b"
	bring "$1" || return 1
	check "round $round, $1"
	head=$(git rev-parse HEAD)
	cd "$dir/a"
	git fetch -q "$dir/b" HEAD
	git reset -q --hard "$head"
}

way_of() {
	case $(($1 % 4)) in 0) echo merge ;; 1) echo rebase ;; 2) echo cherry-pick ;; 3) echo stash ;; esac
}

make_clones driver
round=0
while [ $round -lt "$rounds" ]; do
	if ! play "$(way_of $round)"; then
		fail "round $round, $(way_of $round): git wants a person: $(cat "$dir/said")"
		break
	fi
	round=$((round + 1))
done
kept=$(grep -rhoE '"conflict"' "$dir/b/$store" | wc -l)
changes=$token
[ "$kept" -gt 0 ] || fail "nothing was changed on both sides"

# Pulls after so many changes on each side: git never wants a person.
pulls=
for each in 1 2 3 5; do
	wanted=0
	round=0
	while [ $round -lt $((rounds / 4)) ] && [ $round -lt 12 ]; do
		round=$((round + 1))
		if ! play merge; then
			wanted=$((wanted + 1))
			git -C "$dir/b" merge --abort
		fi
	done
	[ $wanted = 0 ] || fail "pulls of $each changes a side: git wants a person in $wanted of $round"
	pulls="$pulls $wanted"
done
each=

# The control: the same changes, merged as texts.
seed=1
token=0
make_clones plain
round=0
while [ $round -lt "$rounds" ] && play merge; do
	round=$((round + 1))
done
plain=$round
[ $round -lt "$rounds" ] || fail "control: without the driver nothing was in conflict"

# What is in conflict now, resolve merges; a file that a person has begun to mend is left alone.
# The last round of the control ended in conflicts, in the clone that we stand in.
cd "$dir/b"
unmerged=$(git diff --name-only --diff-filter=U | wc -l)
[ "$unmerged" -gt 0 ] || fail "control: nothing is unmerged"
for file in $(git diff --name-only --diff-filter=U | head -n 1); do
	cp "$file" "$dir/left"
	sed 's/says/said/' "$dir/left" >"$file"
	cp "$file" "$dir/mended"
	if "$kota" resolve "$(basename "$file")" >"$dir/said"; then
		fail "resolve: took over $file"
	fi
	cmp -s "$file" "$dir/mended" || fail "resolve: changed what a person had begun to mend"
	grep -q 'left to you' "$dir/said" || fail "resolve: does not say why: $(cat "$dir/said")"
	cp "$dir/left" "$file"
done
"$kota" resolve >"$dir/said" || fail "resolve: $(cat "$dir/said")"
[ "$(grep -c ': merged' "$dir/said")" = "$unmerged" ] || fail "resolve: $(cat "$dir/said")"
[ -z "$(git ls-files --others | grep merge_file)" ] || fail "resolve leaves files behind"
git add -A
git commit -qm resolved
check "resolve"

# Markers that were committed, of which git knows nothing more: both sides are taken out of the file.
for style in merge diff3; do
	rm -rf "$dir/m"
	git init -q "$dir/m"
	cd "$dir/m"
	mkdir -p $store
	printf '{\n  "both": 1,\n  "gone": 1\n}\n' >"$dir/0"
	printf '{\n  "both": 2,\n  "ours": 1\n}\n' >"$dir/1"
	printf '{\n  "both": 3,\n  "gone": 1,\n  "theirs": 1\n}\n' >"$dir/2"
	cp "$dir/1" $store/state.json
	git merge-file $([ $style = merge ] || echo --diff3) $store/state.json "$dir/0" "$dir/2" && fail "no conflict"
	echo 'kota-memory data directory, format 1' >$store/.kota
	git add -A
	git commit -qm markers
	"$own" "$dir/m/$store"
	"$kota" doctor >"$dir/said" || :
	grep -q 'state.json:[0-9]*:1: conflict markers' "$dir/said" || fail "doctor says nothing of markers: $(cat "$dir/said")"
	"$kota" resolve state.json >"$dir/said" || fail "resolve, markers alone: $(cat "$dir/said")"
	"$kota" get both >/dev/null && "$kota" get ours >/dev/null && "$kota" get theirs >/dev/null ||
		fail "markers alone: $(cat $store/state.json)"
	# What one side removed is known where the base stands between the markers.
	if [ $style = diff3 ] && "$kota" get gone --exact >/dev/null 2>&1; then
		fail "markers alone: what was removed is back: $(cat $store/state.json)"
	fi
	"$kota" resolve state.json >"$dir/said" && fail "resolve merges a file without markers"
done
cd "$dir/b"

# A driver that takes one side has to be seen losing what the other wrote.
seed=1
token=0
make_clones driver
git -C "$dir/b" config merge.kota.driver true
if (
	failed=0
	round=0
	while [ $round -lt 4 ] && play "$(way_of $round)"; do
		round=$((round + 1))
	done
	[ $failed = 0 ]
) >"$dir/said"; then
	fail "control: a driver that loses texts is not noticed: $(cat "$dir/said")"
fi

# So has git's own union of lines.
seed=1
token=0
make_clones plain
echo '*.json merge=union' >"$dir/b/.git/info/attributes"
if (
	failed=0
	round=0
	while [ $round -lt 12 ] && [ $failed = 0 ] && play merge; do
		round=$((round + 1))
	done
	[ $failed = 0 ]
) >"$dir/said" 2>&1; then
	fail "control: that lines of both sides stand in a file is not noticed"
fi

# A file that one side broke is left alone: no markers, and one sentence says where.
make_clones driver
cd "$dir/a"
"$kota" set k1 "says t1." --category state >/dev/null
git commit -qam one
cd "$dir/b"
printf '{"k0": ' >$store/state.json
git commit -qam broken
cp $store/state.json "$dir/broken"
git fetch -q "$dir/a" HEAD
if git merge -q FETCH_HEAD >"$dir/said" 2>&1; then
	fail "a broken file was merged"
fi
cmp -s $store/state.json "$dir/broken" || fail "a broken file was changed"
[ "$(git ls-files -u | wc -l)" -gt 0 ] || fail "git does not call the broken file unmerged"
grep -q 'state.json: ours:1:8: ' "$dir/said" || fail "it is not said where: $(cat "$dir/said")"
git merge --abort

# Doctor knows which clone has no driver.
"$kota" doctor >"$dir/said" || :
grep -q 'git merges the files of the store as texts' "$dir/said" && fail "doctor misses a driver that is there"
git config --unset merge.kota.driver
"$kota" doctor >"$dir/said" || :
grep -q 'git merges the files of the store as texts' "$dir/said" || fail "doctor does not miss the driver: $(cat "$dir/said")"
"$kota" setup git >/dev/null

# What setup does it also finds, takes back, and does not do twice.
"$kota" setup git --check >/dev/null || fail "setup git --check does not find it"
cp $store/.gitattributes "$dir/attributes"
"$kota" setup git >/dev/null
cmp -s $store/.gitattributes "$dir/attributes" || fail "setup git does it twice"
printf '%s\n' '*.txt text' >>$store/.gitattributes
"$kota" setup git --remove >/dev/null
[ "$(cat $store/.gitattributes)" = "*.txt text" ] || fail "--remove: $(cat $store/.gitattributes)"
if git config --get merge.kota.driver; then
	fail "--remove leaves the driver"
fi
if "$kota" setup git --check >/dev/null; then
	fail "setup git --check finds what is not there"
fi
if "$kota" setup git --user 2>/dev/null; then
	fail "setup git takes the scope of a client"
fi

echo "$rounds rounds, $changes changes, $kept texts beside others, conflicts in pulls of 1, 2, 3 and 5:$pulls, in conflict without the driver after $plain: $failed failed"
[ $failed = 0 ]
