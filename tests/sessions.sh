#!/bin/sh
# Behaviour as plain files: every recorded session must get the answers that it has, those of
# docs/reference/session.md included.
set -eu
dir=$(mktemp -d "${TMPDIR:-/tmp}/kota-sessions-XXXXXX")
trap 'rm -rf "$dir"' EXIT
awk -v dir="$dir" '
	/^```session$/ { n++; on = 1; next }
	/^```/ { on = 0 }
	on { print > (dir "/docs-" n ".session") }
	END { exit !n }' "$srcdir/docs/reference/session.md"
"$BUILD/tests/session" "$srcdir"/tests/sessions/*.session "$dir"/*.session
