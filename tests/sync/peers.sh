#!/bin/sh
# Clones of a project that pull from each other with git in any order, two often at the same moment:
# merges with several bases. No pull needs a person, nothing is lost, hardly anything comes back that
# was deleted, and in the end all clones say the same.
#
#	tests/sync/peers.sh [SEEDS [OPERATIONS [MACHINES [FIRST]]]]	make check: 1 60 3 2; in full: 50 200 5 1
#
# The controls have to be found out: git that makes one base of several with one side's text, or by
# merging them like any two sides, and a driver that forgets what lost.
set -eu
. "${srcdir:-.}/tests/sync/machines.sh"
command -v python3 >/dev/null 2>&1 || {
	echo "skipped: python3 is not installed (package python3)"
	exit 77
}
HOME=$dir
OWN=$(cd "$BUILD" && pwd)/tests/own
export HOME OWN
# world SEEDS OPERATIONS MACHINES FIRST
world() {
	python3 "${srcdir:-.}/tests/sync/peers.py" "$clocked" "$dir" "$4" "$1" "$2" "$3"
}
# control SETTING FOUND: noticed in one of eight worlds, most of which show it.
control() {
	for seed in $(seq 2 9); do
		if ! KOTA_PEERS_CONFIG=$1 world 1 120 3 "$seed" >"$dir/said" 2>&1 && grep -qE "^FAILED seed .*$2" "$dir/said"; then
			return
		fi
	done
	fail "control: $1 is not noticed: $(cat "$dir/said")"
}
control "merge.kota.recursive binary" "is back|not equal after"
control "merge.kota.driver KOTA_CARELESS=newest '$careless' merge-driver %O %A %B %P" " lost "
# Only many machines in many worlds show it; tests/merge/test_merge_file.c has it in small.
if [ "${1:-1}" -ge 8 ] && {
	KOTA_PEERS_CONFIG="merge.kota.recursive kota" world 8 200 5 4 >"$dir/said" 2>&1 ||
		! grep -q "worlds are not equal" "$dir/said"
}; then
	fail "control: bases that are merged like any two sides are not noticed: $(cat "$dir/said")"
fi
world "${1:-1}" "${2:-60}" "${3:-3}" "${4:-2}"
[ $failed = 0 ]
