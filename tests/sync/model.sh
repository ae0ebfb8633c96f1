#!/bin/sh
# Several machines that set, update, delete, edit by hand and sync at will, with clocks that are
# apart and times in which some do not reach the others, played against what must hold: a text that nobody who had seen it replaced or deleted is
# active or in the archive, in the end all stores are the same, and what was deleted with nobody
# changing it stays deleted.
#
#	tests/sync/model.sh [SEEDS [OPERATIONS [MACHINES]]]	make check: 1 40 3
#
# The control forgets what gives way, as last-writer-wins does, and has to be found out.
set -eu
. "${srcdir:-.}/tests/sync/machines.sh"
seeds=${1:-1}
operations=${2:-40}
machines=${3:-3}
names=$(echo a b c d e | cut -d' ' -f1-"$machines")
# How far the clocks are ahead, in seconds.
ahead_of="0 34560000 -172800 600 -600"

draw() {
	seed=$(((seed * 1103515245 + 12345) % 2147483648))
	drawn=$((seed / 65536 % $1))
}

# at MACHINE WORDS...: kota there, by the clock of that machine.
at() {
	machine=$1
	number=$(($(printf %d "'$machine") - 97))
	ahead=$(echo "$ahead_of" | cut -d' ' -f$((number + 1)))
	echo $(((1795000000 + step * 60 + ahead) * 1000)) >"$dir/$machine.clock"
	shift
	HOME=$dir/$machine XDG_STATE_HOME=$dir/$machine/state KOTA_CLOCK=$dir/$machine.clock \
		"$clocked" --dir "$dir/$machine/store" "$@"
}

# The token of an active entry on a machine, by its key; empty where there is none.
token_of() {
	sed -n "/^  \"$2\":/,/^  }/p" "$dir/$1/store/state.json" 2>/dev/null |
		grep -o 't[0-9][0-9]*\.' | head -n 1 || :
}

# What a machine sees of a key is replaced or deleted by who knew it: it need not live any more.
forget() {
	old=$(token_of "$1" "$2")
	[ -z "$old" ] || echo "$old" >>"$dir/dead"
}

operate() {
	draw "$machines"
	on=$(echo "$names" | cut -d' ' -f$((drawn + 1)))
	draw 6
	key=k$drawn
	draw 20
	case $drawn in
	[0-7])
		forget "$on" $key
		at "$on" set $key "says t$step." --category state >/dev/null 2>&1 && echo "t$step." >>"$dir/live"
		;;
	[89] | 10)
		old=$(token_of "$on" $key)
		if at "$on" delete "state:$key" >/dev/null 2>&1 && [ -n "$old" ]; then
			echo "$old" >>"$dir/dead"
		fi
		;;
	1[1-4])
		old=$(token_of "$on" $key)
		if [ -n "$old" ]; then
			sed -i "s/says ${old%.}\\./says t$step./" "$dir/$on/store/state.json"
			echo "$old" >>"$dir/dead"
			echo "t$step." >>"$dir/live"
		fi
		;;
	*) sync_or_fail ;;
	esac
}

# Of each 40 operations 20 to 40 belong to one in which a machine cannot reach the others.
sync_or_fail() {
	cut=$(echo "$names" | cut -d' ' -f$((step / 40 % machines + 1)))
	if [ $((step % 40)) -ge 20 ] && [ "$on" = "$cut" ]; then
		mv "$hub" "$dir/away"
		if at "$on" sync >"$dir/said" 2>&1; then
			fail "seed $run, step $step: $on syncs with nobody"
		fi
		mv "$dir/away" "$hub"
	else
		at "$on" sync >"$dir/said" 2>&1 || fail "seed $run, step $step: sync of $on: $(cat "$dir/said")"
	fi
}

everywhere() {
	grep -rhoE --exclude='.*' --exclude-dir=.git 't[0-9]+\.' "$dir/a/store" | sort -u
}

play() {
	seed=$1
	run=$1
	step=0
	new a b c d e
	new_hub
	: >"$dir/live"
	: >"$dir/dead"
	for machine in $names; do
		at "$machine" sync --remote "$hub" >"$dir/said" 2>&1 || fail "begin: $(cat "$dir/said")"
	done
	while [ $step -lt "$operations" ]; do
		step=$((step + 1))
		operate
	done
	for round in 1 2; do
		for machine in $names; do
			at "$machine" sync >"$dir/said" 2>&1 || fail "seed $run, round $round: $(cat "$dir/said")"
		done
	done
	for machine in $names; do
		[ "$machine" = a ] || same a "$machine" "seed $run"
	done
}

# What is lost of what has to live.
lost() {
	sort -u "$dir/dead" >"$dir/dead.sorted"
	everywhere >"$dir/there"
	sort -u "$dir/live" | comm -23 - "$dir/dead.sorted" | comm -23 - "$dir/there"
}

live=0
at_seed=1
while [ $at_seed -le "$seeds" ]; do
	play $at_seed
	gone=$(lost)
	[ -z "$gone" ] || fail "seed $at_seed: lost" $gone
	back=$(grep -ohE 't[0-9]+\.' "$dir/a/store/state.json" | sort -u | comm -12 - "$dir/dead.sorted")
	[ -z "$back" ] || fail "seed $at_seed: replaced or deleted, and back:" $back
	live=$((live + $(sort -u "$dir/live" | comm -23 - "$dir/dead.sorted" | wc -l)))
	kept=$(grep -c '"conflict"' "$dir/a/store/archive.json" || :)
	at_seed=$((at_seed + 1))
done
[ "$kept" -gt 0 ] || fail "nothing was changed on both sides"

# The control: without the records of what gave way texts are missing.
sed -i 's/says t[0-9]*\./says nothing/' "$dir/a/store/archive.json"
rm -rf "$dir/a/store/archive.cold"
[ -n "$(lost)" ] || fail "control: a merge that drops what gives way is not noticed"

echo "$seeds seeds of $operations operations on $machines machines: $live live texts, $failed failed"
[ $failed = 0 ]
