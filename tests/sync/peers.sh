#!/bin/sh
# Clones of a project that pull from each other with git in any order, two often at the same moment:
# merges with several bases. No pull needs a person, nothing is lost, hardly anything comes back that
# was deleted, and in the end all clones say the same.
#
#	tests/sync/peers.sh [SEEDS [OPERATIONS [MACHINES [FIRST]]]]	make check: 1 60 3 2; in full: 50 200 5 1
#
# The controls have to be found out: git that makes one base of several with one side's text, and a
# driver that forgets what lost.
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
# control SETTING FOUND: on worlds that are known for it.
control() {
	if KOTA_PEERS_CONFIG=$1 world 2 120 3 2 >"$dir/said" 2>&1 || ! grep -q "^FAILED seed .*$2" "$dir/said"; then
		fail "control: $1 is not noticed: $(cat "$dir/said")"
	fi
}
control "merge.kota.recursive binary" "is back"
control "merge.kota.driver KOTA_CARELESS=newest '$careless' merge-driver %O %A %B %P" " lost "
world "${1:-1}" "${2:-60}" "${3:-3}" "${4:-2}"
[ $failed = 0 ]
