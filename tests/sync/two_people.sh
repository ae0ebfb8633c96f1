#!/bin/sh
# Two people share a store through a project's repository for an hour: they set, update, delete, edit
# by hand, commit, pull and push at will, a minute a step. git never asks for a person, nobody sees a
# marker or a file that cannot be read, and no word is lost that nobody took away who had seen it.
#
#	tests/sync/two_people.sh [HOURS [FIRST]]	make check: 1 1
#
# The control forgets what lost in a merge, and has to be found out.
set -eu
. "${srcdir:-.}/tests/sync/machines.sh"
command -v python3 >/dev/null 2>&1 || {
	echo "skipped: python3 is not installed (package python3)"
	exit 77
}
own=$(cd "$BUILD" && pwd)/tests/own
HOME=$dir python3 "${srcdir:-.}/tests/sync/two_people.py" "$clocked" "$own" "$dir" "${1:-1}" "${2:-1}"
