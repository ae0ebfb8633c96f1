#!/bin/sh
# What kota sync costs: without news, with commits that are made again, after a long time apart.
# Prints seconds and the largest memory; git's own share is what its fetch takes alone.
#
#	tests/bench/sync.sh [CHANGES [APART]]		500 2000
set -eu
. "${srcdir:-.}/tests/sync/machines.sh"
changes=${1:-500}
apart=${2:-2000}

# timed WHAT MACHINE WORDS...
timed() {
	what=$1
	shift
	machine=$1
	shift
	HOME=$dir/$machine XDG_STATE_HOME=$dir/$machine/state /usr/bin/time -f "%e s, %M KB" -o "$dir/took" \
		"$kota" --dir "$dir/$machine/store" "$@" >"$dir/said" 2>&1 || fail "$what: $(cat "$dir/said")"
	echo "$what: $(cat "$dir/took")"
}

# change MACHINE COUNT NAME: so many changes, each a commit.
change() {
	i=0
	while [ $i -lt "$2" ]; do
		i=$((i + 1))
		m "$1" set "$3$((i % 90))" "$3 says $i" --category "$4" >/dev/null 2>&1
	done
}

new a b
new_hub
m a set editor nano --category preferences >/dev/null 2>&1
m a sync --remote "$hub" >/dev/null
m b sync --remote "$hub" >/dev/null
timed "no news" a sync
timed "no news, again" a sync
git init -q --bare "$dir/own.git"
/usr/bin/time -f "git fetch alone: %e s" git -C "$dir/own.git" fetch -q "$hub" main
change a "$changes" x state
m b set pet "a cat" --category patterns >/dev/null
m b sync >/dev/null
loose=$(find "$dir/a/store/.git/objects" -name '??' | wc -l)
timed "$changes commits made again" a sync
echo "objects: $(git -C "$dir/a/store" count-objects -v | tr '\n' ' ')"
m b sync >/dev/null
change a "$apart" y state
change b "$apart" z patterns
m b sync >/dev/null
timed "$apart changes on each side" a sync
timed "the same, taken" b sync
[ $failed = 0 ]
