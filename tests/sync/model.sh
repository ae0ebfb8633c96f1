#!/bin/sh
# Several machines that set, update, delete, rename, restore, edit by hand and sync at will, with
# clocks that are 400 days, two days and ten minutes apart and times in which some do not reach the
# others: a text that nobody who had seen it replaced is active or in the archive, what was deleted
# stays deleted, and in the end all stores are the same.
#
#	tests/sync/model.sh [SEEDS [OPERATIONS [MACHINES [FIRST]]]]	make check: 1 60 3 1
#
# The control forgets what gives way, as last-writer-wins does, and has to be found out. The full
# form, 200 500 5, takes some hours.
set -eu
. "${srcdir:-.}/tests/sync/machines.sh"
command -v python3 >/dev/null 2>&1 || {
	echo "skipped: python3 is not installed (package python3)"
	exit 77
}
HOME=$dir python3 "${srcdir:-.}/tests/sync/model.py" "$kota" "$clocked" "$dir" "${4:-1}" "${1:-1}" "${2:-60}" "${3:-3}"
