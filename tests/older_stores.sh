#!/bin/sh
# Stores that version 0.1.0 left when it was killed or the power was cut, in the person's own place: the
# next process takes each over. What was acknowledged is in the files and, each change as a commit of its
# own with its tool and time, in the history; git finds the repository whole.
#
#	BUILD=/path/to/build tests/older_stores.sh
#
# tests/two_versions.sh --left makes them, and kills that version at many more places. The clock is
# that of their day: later on their entries would be due.
set -eu
BUILD=${BUILD:-.}
srcdir=${srcdir:-.}
program=$(cd "$BUILD" && pwd)/tests/clocked
stores=$(cd "$srcdir/tests/data/left_by_0.1.0" && pwd)
command -v git >/dev/null 2>&1 || {
	echo "older_stores: skipped, git is not installed"
	exit 77
}
dir=$(mktemp -d "${TMPDIR:-/tmp}/kota-older-XXXXXX")
trap 'rm -rf "$dir"' EXIT
export HOME="$dir/home" XDG_DATA_HOME="$dir/data" XDG_STATE_HOME="$dir/state" XDG_CONFIG_HOME="$dir/config"
export KOTA_MEMORY_GIT=own KOTA_CLOCK="$dir/clock" GIT_CONFIG_NOSYSTEM=1
unset KOTA_MEMORY_DIR CLAUDE_PROJECT_DIR
store=$XDG_DATA_HOME/kota_memory
failed=0

fail() {
	echo "FAILED $name: $*"
	failed=1
}

kota() {
	"$program" --dir "$store" "$@"
}

# begin NAME: the store as it was left, and in it the first change of this version.
begin() {
	name=$1
	rm -rf "$dir/data" "$dir/state" "$dir/home"
	mkdir -m 700 "$dir/data" "$dir/home"
	cd "$dir/home"
	echo 2026-11-24T12:00:00+00:00 >"$dir/clock"
	gzip -dc "$stores/$name.tar.gz" | tar xf - -C "$dir/data"
	before=$(git -C "$store" rev-parse HEAD)
	kota set shell zsh --category preferences >"$dir/out" 2>&1 || fail "$(cat "$dir/out")"
}

# has FILE TEXT, lacks FILE TEXT
has() {
	grep -qF -- "$2" "$store/$1" || fail "$1 lacks $2"
}

lacks() {
	! grep -qsF -- "$2" "$store/$1" || fail "$1 has $2"
}

# recorded TOOL REF TIMES: so many commits of the program say so.
recorded() {
	times=$(git -C "$store" log --author=kota-memory --grep="^Kota-Tool: $1\$" --grep="^Kota-Ref: $2\$" \
		--all-match --format=%H | wc -l)
	[ "$times" -eq "$3" ] || fail "$1 of $2 is in the history $times times"
}

# Nobody's edit, nothing lost of what there was, no file of another process left.
whole() {
	[ -z "$(git -C "$store" log --format=%an | grep -vx kota-memory)" ] || fail "a commit is an edit's"
	git -C "$store" merge-base --is-ancestor "$before" HEAD || fail "$before is gone"
	git -C "$store" fsck --strict --full --no-dangling >"$dir/out" 2>&1 || fail "git fsck: $(cat "$dir/out")"
	[ -z "$(git -C "$store" status --porcelain)" ] || fail "files and history differ"
	[ ! -e "$store/.journal" ] || fail "the journal is still there"
	kota doctor >"$dir/out" 2>&1 || fail "doctor: $(cat "$dir/out")"
	[ -e "$store/.git/kota-objects" ] || fail "the history has no log"
	has preferences.json zsh
	recorded memory_set preferences:shell 1
}

begin journal
lacks state.json parser
has archive.json '"the parser"'
has archive.json '"more tests"'
recorded memory_clear_state 'state:current task' 1
whole

begin pending
has state.json '"the printer"'
lacks state.json 'next step'
has archive.json '"more tests"'
recorded memory_set 'state:current task' 2
recorded memory_delete 'state:next step' 1
whole

begin torn
has state.json '"the printer"'
lacks state.json 'next step'
has preferences.json '"emacs"'
recorded memory_set 'state:current task' 2
recorded memory_delete 'state:next step' 1
recorded memory_set preferences:editor 2
kota get editor >"$dir/out" 2>&1 || fail "$(cat "$dir/out")"
whole

[ "$failed" -ne 0 ] || echo "three stores of 0.1.0 taken over"
exit "$failed"
