#!/bin/sh
# Purges an entry and looks for it everywhere, with the git program: in no object, no file of the
# data directory, no message. What else was recorded is there as before.
set -eu
dir=$(mktemp -d "${TMPDIR:-/tmp}/kota-purge-XXXXXX")
trap 'rm -rf "$dir"' EXIT
if ! command -v git >/dev/null; then
	echo "skipped: git is not installed (package git)"
	exit 77
fi
export HOME="$dir/home" XDG_CONFIG_HOME="$dir/home" GIT_CONFIG_NOSYSTEM=1
export KOTA_MEMORY_GIT=own KOTA_MEMORY_LIMITS_TOTAL_BYTES=2200 KOTA_MEMORY_DIR="$dir/store"
mkdir -p "$HOME"
git config --global user.name Ada
git config --global user.email ada@example.org
passed=0
failed=0

check() {
	what=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "$what: no"
	fi
}

kota() {
	"$KOTA" "$@" >"$dir/out" 2>"$dir/err" || {
		echo "kota $*: status $?"
		cat "$dir/out" "$dir/err"
		exit 1
	}
}

store_git() {
	git -C "$dir/store" "$@"
}

# Everything that the repository has, and everything that lies in the data directory.
all_texts() {
	store_git cat-file --batch-all-objects --batch
	store_git log --all --format='%B'
	find "$dir/store" -type f ! -path '*/.git/objects/*' -exec cat {} +
	find "$dir/store"
}

is_gone() {
	! all_texts | grep -q -a -e "$1"
}

# Who did what when, without the ids and without what the purged entry was called.
people() {
	store_git log --format='%an <%ae> %ad %cn <%ce> %cd' --date=iso-strict
}

# The text of another entry in each commit.
others() {
	for commit in $(store_git rev-list --reverse HEAD); do
		store_git show "$commit:preferences.json" 2>/dev/null || echo none
	done
}

kota set preferences:editor vim
kota set preferences:stripes "of another category"
for n in 1 2 3 4; do
	kota set state:stripes "zebra-$n"
	kota set preferences:editor "vim $n"
	kota get stripes
	kota delete state:stripes
done
# Records beyond the size go to the cold archive.
for n in 1 2 3 4 5 6; do
	kota set state:filler "$(printf '%0300d' "$n")"
	kota delete state:filler
done
check "the cold archive has it" grep -q zebra -r "$dir/store/archive.cold"
kota set state:Stripes zebra-5
# The person's own commits: an edit, and one that is not valid JSON.
sed -i 's/zebra-5/zebra-6/' "$dir/store/state.json"
store_git commit -q -am "state:Stripes is set by hand"
sed 's/zebra-6/zebra-7",,/' "$dir/store/state.json" >"$dir/broken"
cp "$dir/store/state.json" "$dir/good"
cp "$dir/broken" "$dir/store/state.json"
store_git commit -q -am "broken"
cp "$dir/good" "$dir/store/state.json"
store_git commit -q -am "mended"
# What is staged, kept beside the files, and hidden in git's own corners.
echo mine >"$dir/store/mine.txt"
store_git add mine.txt
cp "$dir/good" "$dir/store/.state.json.orphan"
store_git remote add origin https://example.org/memory.git
store_git branch -q other HEAD
store_git update-ref -d refs/heads/other
kota set preferences:editor vim-last
others >"$dir/others.before"
people >"$dir/people.before"
store_git fsck --strict 2>"$dir/fsck" >/dev/null

check "without a terminal it refuses" test "$("$KOTA" purge state:stripes 2>&1 </dev/null | grep -c -e --yes)" = 1
check "and changes nothing" grep -q zebra "$dir/store/state.json"
kota purge state:stripes --yes
check "the remote is named" grep -q "remote origin" "$dir/out"
check "backups are named" grep -q backups "$dir/out"

check "the values are gone" is_gone zebra
check "the key is gone from its category" is_gone 'state:[Ss]tripes'
check "no reflog has the old commits" test -z "$(store_git reflog)"
store_git fsck --full --strict >"$dir/fsck" 2>&1 || failed=$((failed + 1))
check "nothing dangles" test ! -s "$dir/fsck"
others >"$dir/others.after"
people >"$dir/people.after"
check "other entries have their past" cmp "$dir/others.before" "$dir/others.after"
check "authors and times are the same" cmp "$dir/people.before" "$dir/people.after"
check "an entry of that name elsewhere stays" test "$("$KOTA" get preferences:stripes)" = "of another category"
check "what is staged stays staged" test "$(store_git status --porcelain)" = "A  mine.txt"
check "what was kept is kept without it" test -f "$dir/store/.state.json.orphan"
check "nothing marks it as begun" test ! -e "$dir/store/.purge"

kota set state:stripes new
check "the history goes on" test "$(store_git log -1 --format=%s)" = "set state:stripes"
check "and has the new value alone" test "$(store_git log -p | grep -c '"value": "new"')" = 1
kota purge state:stripes --yes
# A conversation note is archived when the next one comes.
kota notes "the summary: giraffe-1"
kota notes "the summary: giraffe-2"
kota purge conversation_notes --yes --json
check "snapshots of notes are gone" is_gone giraffe
# Only the history knows it.
kota set shortcuts:gone okapi-1
rm -r "$dir/store/shortcuts.json" "$dir/store/archive.cold"
kota set preferences:editor vim-again
kota purge gone --yes
check "a key that only the history knows is found" is_gone okapi
# Without a history it works all the same.
KOTA_MEMORY_GIT=off KOTA_MEMORY_DIR="$dir/bare" "$KOTA" set state:a lemur-1 >/dev/null
KOTA_MEMORY_GIT=off KOTA_MEMORY_DIR="$dir/bare" "$KOTA" set state:a lemur-2 >/dev/null
KOTA_MEMORY_GIT=off KOTA_MEMORY_DIR="$dir/bare" "$KOTA" purge a --yes >/dev/null
check "without history nothing is left" test -z "$(grep -r -l lemur "$dir/bare")"
# Whatever else may stand beside a file: the copies of ours go or lose the value.
bare="$dir/beside"
for value in heron-1 heron-2; do
	KOTA_MEMORY_GIT=off KOTA_MEMORY_DIR="$bare" "$KOTA" set state:a "$value" >/dev/null 2>&1
done
check "the last text has the value" grep -q heron-2 "$bare/.state.json.last"
for suffix in prev tmp held-3 edit orphan prev-broken; do
	cp "$bare/.state.json.last" "$bare/.state.json.$suffix"
done
KOTA_MEMORY_GIT=off KOTA_MEMORY_DIR="$bare" "$KOTA" purge a --yes >/dev/null
check "nothing beside a file has it" test -z "$(grep -r -l heron "$bare")"
check "an unknown key is not found" test "$("$KOTA" purge nobody --yes 2>&1 | grep -c 'no such key')" = 1
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
