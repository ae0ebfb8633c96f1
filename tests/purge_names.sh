#!/bin/sh
# Purges an entry that had other names before, and looks for its values everywhere, with the git
# program: each place is clean, or is named.
set -eu
dir=$(mktemp -d "${TMPDIR:-/tmp}/kota-purge-XXXXXX")
trap 'rm -rf "$dir"' EXIT
if ! command -v git >/dev/null; then
	echo "skipped: git is not installed (package git)"
	exit 77
fi
export HOME="$dir/home" XDG_CONFIG_HOME="$dir/home" GIT_CONFIG_NOSYSTEM=1
# git finds the merge driver by its name.
PATH=$(dirname "$KOTA"):$PATH
mkdir -p "$HOME"
git config --global user.name Ada
git config --global user.email ada@example.org
passed=0
failed=0
store=

check() {
	what=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "$scene, $KOTA_MEMORY_GIT: $what: no"
		cat "$dir/out" "$dir/err"
	fi
}

# A new store, with or without a history.
begin() {
	scene=$1
	export KOTA_MEMORY_GIT=${2:-own}
	store="$dir/$scene-$KOTA_MEMORY_GIT"
	export KOTA_MEMORY_DIR="$store"
}

kota() {
	"$KOTA" "$@" >"$dir/out" 2>"$dir/err" || {
		echo "$scene: kota $*: status $?"
		cat "$dir/out" "$dir/err"
		exit 1
	}
}

store_git() {
	git -C "$store" "$@"
}

# Everything that the repository has, and everything that lies in the data directory.
all_texts() {
	if test -d "$store/.git"; then
		store_git cat-file --batch-all-objects --batch
		store_git log --all --format='%B'
	fi
	find "$store" -type f ! -path '*/.git/objects/*' -exec cat {} + 2>/dev/null
}

is_gone() {
	! all_texts | grep -q -a -e "$1"
}

is_left() {
	all_texts | grep -q -a -e "$1"
}

is_named() {
	grep -q -e "$1" "$dir/out"
}

for git in own off; do
	begin moved $git
	kota set wifi_old zebra-value-1
	kota set wifi_old zebra-value-2
	kota mv wifi_old wifi
	kota set other 1
	kota purge wifi --yes
	check "all values are gone" is_gone zebra
	check "and so is the name" is_gone wifi_old
	check "which is told" is_named "once state:wifi_old"

	# Without a history nothing but what is displaced knows the name.
	begin moved_once $git
	kota set wifi_old zebra-value-1
	kota mv wifi_old wifi
	echo '{"wifi_old": "zebra-value-1"}' >"$store/.state.json.held-1"
	kota purge wifi --yes
	check "what is displaced is gone" is_gone zebra

	begin reused $git
	kota set old zebra-value-1
	kota set old zebra-value-2
	kota mv old new
	kota set old heron-value-1
	kota delete old
	kota set old heron-value-2
	kota purge new --yes
	check "what had the name first is gone" is_gone zebra
	check "what has it now stays" test "$("$KOTA" get state:old)" = heron-value-2
	check "and what it was" is_left heron-value-1

	begin merged $git
	kota set deploy_a "zebra alpha bravo charlie"
	kota set deploy_b "zebra alpha bravo charlie delta okapi"
	kota merge state:deploy_a state:deploy_b --mode apply
	kota purge deploy_a --yes
	check "what was merged is gone as well" is_gone okapi
	check "and what it was merged into" is_gone zebra

	begin origin $git
	kota set deploy_a "zebra alpha bravo charlie"
	kota set deploy_b "zebra alpha bravo charlie delta okapi"
	kota merge state:deploy_a state:deploy_b --mode apply
	kota purge deploy_b --yes
	check "where it went is named" is_named "state:deploy_a has a value of it"
done

begin chain
kota set state:first zebra-value-1
kota mv first second
kota set second zebra-value-2
kota mv second connections:third
kota set connections:third zebra-value-3
kota delete connections:third
kota purge third --yes
check "through all names and categories" is_gone zebra

begin undone
kota set before zebra-value-1
kota mv before after
kota undo
kota set before zebra-value-2
kota purge before --yes
check "a name that it had for a while" is_gone zebra

begin successor
kota set before zebra-value-1
kota mv before after
kota purge state:before --yes
check "the name that it has now is named" is_named "state:after has a value of it"

begin by_hand
kota set before zebra-value-1
sed -i 's/"before"/"after"/' "$store/state.json"
kota set other 1
kota purge after --yes
check "a name that a person changed in the file" is_gone zebra

begin branches
kota set before zebra-value-1
store_git checkout -q -b side
kota mv before after
kota set after zebra-value-2
store_git checkout -q main
kota set other 1
store_git merge -q --no-edit -X ours side 2>"$dir/err" >"$dir/out" || store_git commit -q -am merged
store_git branch -q -D side
kota set other 2
kota purge after --yes
check "a name of another line of commits" is_gone zebra

begin note
kota set wifi zebra-value-1
kota promote wifi --force --no-dry-run
kota purge wifi --yes
check "a note is named" is_named "notes/wifi.md mentions it"
check "and its past" is_named "the history has notes/wifi.md"
rm "$store/notes/wifi.md"
kota set other 1
kota purge wifi --yes
check "once it is deleted its past goes, too" is_gone zebra

begin moved_note
kota set old zebra-value-1
kota promote old --force --no-dry-run
kota mv old wifi
rm "$store/notes/old.md"
kota purge wifi --yes
check "the note of an earlier name" is_gone zebra

begin two
kota set state:wifi zebra-value-1
kota set connections:wifi zebra-value-2
check "a key in two categories is refused" test "$("$KOTA" purge wifi --yes 2>&1 | grep -c 'connections:wifi or state:wifi')" = 1
check "and nothing is purged" is_left zebra-value-2
kota delete connections:wifi
check "one that is archived counts" test "$("$KOTA" purge wifi --yes 2>&1 | grep -c 'connections:wifi or state:wifi')" = 1
kota purge state:wifi --yes
kota purge wifi --yes
check "one by one they go" is_gone zebra

begin copies
kota set wifi 'zebra & "value-1"'
kota set other 1
cp "$store/state.json" "$store/state.json~"
cp "$store/state.json" "$store/#state.json#"
cp "$store/state.json" "$store/.state.json.swp"
mkdir "$store/mine"
echo 'my zebra & "value-1"' >"$store/mine/notes.txt"
"$KOTA" report >"$store/report.html"
"$KOTA" export >"$store/export.json"
kota set wifi 'zebra & "value-2"'
echo 'zebra & "value-2"' >"$store/listed.txt"
store_git add -f listed.txt
store_git commit -q -m mine
echo 'zebra & "value-2"' >"$store/stashed.txt"
store_git add -f stashed.txt
store_git stash -q
echo 1 >"$store/harmless.txt"
store_git add -f harmless.txt
store_git stash -q
store_git notes add -m 'zebra & "value-2"'
kota set other 2
store_git tag -a -m 'zebra & "value-2"' told "$(store_git commit-tree -m none "$(store_git mktree </dev/null)")"
store_git branch -q harmless "$(store_git rev-list --max-parents=0 main)"
kota purge wifi --yes
for name in 'state.json~' '#state.json#' mine/notes.txt report.html export.json listed.txt \
	'history has listed.txt' 'refs/stash' refs/notes/commits refs/tags/told; do
	check "$name is named" is_named "$name"
done
check "a branch without it is not" test "$(grep -c harmless "$dir/out")" = 0
check "nor is what is clean now" test "$(grep -c -F .state.json.swp "$dir/out")" = 0

begin elsewhere
kota set wifi zebra-value-1
mkdir "$dir/project"
git -C "$dir/project" init -q -b main
echo 1 >"$dir/project/a"
git -C "$dir/project" add a
git -C "$dir/project" commit -q -m project
cp -r "$store/.git/objects/." "$dir/project/.git/objects/"
rm -r "$store/.git/objects"
ln -s "$dir/project/.git/objects" "$store/.git/objects"
find "$dir/project/.git/objects" -type f | sort >"$dir/objects.before"
check "a link among the objects is refused" test "$("$KOTA" purge wifi --yes 2>&1 | grep -c 'is a link')" = 1
check "before anything is changed" is_left zebra
find "$dir/project/.git/objects" -type f | sort >"$dir/objects.after"
check "and the other project has its objects" cmp "$dir/objects.before" "$dir/objects.after"
check "all of them" git -C "$dir/project" cat-file -e main:a
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
