#!/bin/sh
# Takes the picture of the README, docs/report.png: the upper part of the page of the store that
# make_store.sh makes. In Inter where that is installed.
#
#	srcdir=DIR BUILD=DIR picture.sh PICTURE
set -eu

skip() {
	echo "picture: $1" >&2
	exit 1
}

. "$srcdir/tests/report/browser.sh"
picture=$(realpath "$1")
clocked=$(realpath "$BUILD/tests/clocked")
dir=$(mktemp -d "${TMPDIR:-/tmp}/kota-picture-XXXXXX")
trap 'rm -rf "$dir"' EXIT

"$sources/make_store.sh" "$clocked" "$dir"
mkdir -p "$dir/home/project/data"
mv "$dir/store" "$dir/home/project/data/kota_memory"
cd "$dir/home/project"
env -u KOTA_MEMORY_DIR -u CLAUDE_PROJECT_DIR KOTA_CLOCK="$dir/clock" TZ=UTC "$clocked" report >"$dir/report.html"
cd "$work"
FONTCONFIG_FILE=$sources/fonts.conf node picture.mjs "$dir/report.html" "$picture"
