#!/bin/sh
# Whether Claude Code remembers: the client itself, with the server, the hook and the skills, before an
# API on this machine that says what a model would say.
#
# With RECORD=DIR the sessions of tests/sessions that are called claude-code-* are recorded anew there.
set -eu

missing() {
	echo "claude_remembers: skipped: $1"
	[ -z "${KOTA_INTEROP_REQUIRED:-}" ] || exit 1
	exit 77
}

. "$srcdir/tests/claude/client.sh"
command -v node >/dev/null 2>&1 || missing "node is not installed (package nodejs)"
exec timeout 300 node "$srcdir/tests/claude/remembers.mjs" "$claude" "$(realpath "$srcdir/data/plugin")"
