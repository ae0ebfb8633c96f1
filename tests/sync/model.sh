#!/bin/sh
# Several machines that set, update, delete, rename, restore, edit by hand and sync at will, with
# clocks that are 400 days, two days and ten minutes apart and times in which some do not reach the
# others: a text that nobody who had seen it replaced is active or in the archive, what was deleted
# stays deleted, and in the end all stores are the same.
#
#	tests/sync/model.sh [SEEDS [OPERATIONS [MACHINES [FIRST]]]]	make check: 1 60 3 4
#
# The controls have to be found out: one forgets what lost, one lets the last writer win, one
# merges without a base. The full form, 200 500 5 1, takes some hours.
set -eu
. "${srcdir:-.}/tests/sync/machines.sh"
command -v python3 >/dev/null 2>&1 || {
	echo "skipped: python3 is not installed (package python3)"
	exit 77
}
HOME=$dir
export HOME
# world PROGRAM SEEDS OPERATIONS MACHINES FIRST
world() {
	python3 "${srcdir:-.}/tests/sync/model.py" "$1" "$dir" "$5" "$2" "$3" "$4"
}
# control FAULT WORDS: on a world that is known for it.
control() {
	if KOTA_CARELESS=$1 world "$careless" 1 60 3 4 >"$dir/said" 2>&1 || ! grep -q "^FAILED seed .*$2" "$dir/said"; then
		fail "control: $1 is not noticed: $(cat "$dir/said")"
	fi
}
control newest " lost "
control no-base "is back"
world "$clocked" "${1:-1}" "${2:-60}" "${3:-3}" "${4:-4}"
[ $failed = 0 ]
