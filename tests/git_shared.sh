#!/bin/sh
# A project whose repository tracks a part of the store: kota doctor says so, and what it advises
# ends it.
set -eu
command -v git >/dev/null 2>&1 || {
	echo "skipped: git is not installed (package git)"
	exit 77
}
dir=$(mktemp -d "${TMPDIR:-/tmp}/kota-shared-XXXXXX")
dir=$(cd "$dir" && pwd -P)
trap 'rm -rf "$dir"' EXIT
kota=$(cd "$(dirname "$KOTA")" && pwd)/$(basename "$KOTA")
HOME=$dir XDG_STATE_HOME=$dir/state KOTA_MEMORY_GIT=off GIT_CONFIG_NOSYSTEM=1
export HOME XDG_STATE_HOME KOTA_MEMORY_GIT GIT_CONFIG_NOSYSTEM
store="$dir/a project/data/kota_memory"

fail() {
	echo "FAILED $*"
	cat "$dir/said"
	exit 1
}

# finds KIND: doctor has it among its findings; its remedy is in $dir/remedy.
finds() {
	"$kota" --dir "$store" doctor --json >"$dir/said" || :
	grep -A 3 "\"kind\": \"$1\"" "$dir/said" | sed -n 's/.*"remedy": "\(.*\)".*/\1/p' >"$dir/remedy"
	[ -s "$dir/remedy" ]
}

# The command that a remedy ends with, as the person types it.
advised() {
	sh -c "$(sed 's/.*: git /git /' "$dir/remedy")"
}

git init -q "$dir/a project"
cd "$dir/a project"
mkdir data
"$kota" --dir data/kota_memory init >/dev/null
"$kota" --dir data/kota_memory set pet "a cat" --category state >/dev/null
"$kota" --dir data/kota_memory setup git >/dev/null
git add .
! finds half-ignored || fail "all is tracked: half-ignored"
! finds half-tracked || fail "all is tracked: half-tracked"

# What is deleted goes to an archive that no commit of tracked files takes along.
"$kota" --dir data/kota_memory delete pet >/dev/null
mkdir -p "$store/archive.cold"
echo '{}' >"$store/archive.cold/2026-01.jsonl"
finds half-tracked || fail "an archive beside tracked files"
advised
[ "$(git ls-files "$store" | grep -c archive)" = 2 ] || fail "not tracked: $(git status --short)"
! finds half-tracked || fail "all is tracked again"

git rm -q --cached "$store/archive.json"
printf 'out\n*.cold/\narchive.json\n' >.gitignore
finds half-ignored || fail "a rule ignores the archive"
advised >"$dir/rule"
cut -f 1 "$dir/rule" | tr '\n' ' ' >"$dir/said"
[ "$(cat "$dir/said")" = ".gitignore:3:archive.json .gitignore:2:*.cold/ " ] || fail "the rules"
sed -i 2,3d .gitignore
! finds half-ignored || fail "the rules are gone"
finds half-tracked || fail "nothing has tracked it yet"
