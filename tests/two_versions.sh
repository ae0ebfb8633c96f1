#!/bin/sh
# Version 0.1.0 and this one on one store: builds the older one from its revision in a folder of its
# own, and has tests/torture/two_versions kill both in turn, before calls chosen at random.
#
#	[KOTA_OLD=/path/to/an/older/kota] tests/two_versions.sh [--full] [REVISION]
#	[KOTA_OLD=...] tests/two_versions.sh --left FOLDER [REVISION]
#
# No tag says what 0.1.0 was. It is taken to be the last revision before journals were signed: from the
# next one on the program tells whose a store is, and what comes with one is not believed. With --left
# it makes anew what tests/older_stores.sh opens: stores as a killed 0.1.0 left them, packed, in FOLDER
# (needs strace). Skipped where the revision is not at hand, as in a source archive or a shallow clone.
set -eu
BUILD=${BUILD:-.}
srcdir=${srcdir:-.}
revision=649971554a8541e53ed79b67cda18d20b1f14a6a
mode=
left=
while [ $# -gt 0 ]; do
	case $1 in
	--full) mode=--full ;;
	--left)
		left=$(cd "$2" && pwd)
		shift
		;;
	*) revision=$1 ;;
	esac
	shift
done
work=$(mktemp -d "${TMPDIR:-/tmp}/kota-versions-XXXXXX")
trap 'rm -rf "$work"' EXIT

if [ -z "${KOTA_OLD:-}" ]; then
	# Not the history of a repository around an unpacked archive.
	if [ ! -e "$srcdir/.git" ] || ! git -C "$srcdir" cat-file -e "$revision^{commit}" 2>/dev/null; then
		echo "two_versions: skipped, revision $revision is not in this repository"
		exit 77
	fi
	mkdir "$work/old"
	git -C "$srcdir" archive "$revision" | tar xf - -C "$work/old"
	(cd "$work/old" && ./bootstrap --no-install && make -j2 kota) >"$work/built" 2>&1 || {
		tail -n 20 "$work/built"
		echo "two_versions: $revision cannot be built"
		exit 1
	}
	KOTA_OLD=$work/old/kota
fi
export KOTA_OLD
if [ -z "$left" ]; then
	"$BUILD/tests/torture/two_versions" $mode
	! "$BUILD/tests/torture/two_versions" --plant no-pending >"$work/control" 2>&1 || {
		echo "two_versions: changes that are not noted before they are made go unnoticed"
		exit 1
	}
	tail -n 1 "$work/control"
	exit
fi

# ---- what tests/older_stores.sh opens

strace -o /dev/null true || exit 1
export HOME="$work/home" XDG_DATA_HOME="$work/data" KOTA_MEMORY_GIT=own
unset XDG_STATE_HOME XDG_CONFIG_HOME KOTA_MEMORY_DIR
store=$XDG_DATA_HOME/kota_memory

# Three changes in the person's own place.
begin() {
	rm -rf "$XDG_DATA_HOME"
	mkdir -p "$HOME" "$XDG_DATA_HOME"
	cd "$HOME"
	"$KOTA_OLD" --dir "$store" set editor vim --category preferences
	"$KOTA_OLD" --dir "$store" set 'current task' 'the parser' --category state
	"$KOTA_OLD" --dir "$store" set 'next step' 'more tests' --category state
}

pack() {
	rm -rf "$store/.git/hooks"
	tar cf - -C "$XDG_DATA_HOME" --sort=name --owner=0 --group=0 kota_memory | gzip -9n >"$left/$1.tar.gz"
}

# Killed when the journal is in its place and no file is.
begin
strace -o /dev/null -e inject=renameat2:signal=KILL:when=1 "$KOTA_OLD" --dir "$store" clear-state || true
[ -e "$store/.journal" ]
pack journal

# git holds the index: two changes are made and wait.
begin
: >"$store/.git/index.lock"
"$KOTA_OLD" --dir "$store" set 'current task' 'the printer' --category state
"$KOTA_OLD" --dir "$store" delete 'next step'
rm "$store/.git/index.lock"
[ "$(wc -l <"$store/.pending")" -gt 1 ]
pack pending

# The same, and the power was cut while lines were appended.
: >"$store/.git/index.lock"
"$KOTA_OLD" --dir "$store" set editor emacs --category preferences
rm "$store/.git/index.lock"
for file in "$store/.pending" "$store/usage.jsonl"; do
	printf '{"change":"01234567","file":"sta' >>"$file"
done
pack torn
