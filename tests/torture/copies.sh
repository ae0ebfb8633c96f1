#!/bin/sh
# A store is copied while three processes change it, as people and their tools copy folders; then the
# copy is used. Its first change leaves every other entry as the copy had it: no older value comes
# back over a newer one. In half of the cases the copy is used after a restart of the machine.
#
#	copies.sh [--full] [--plant DEFENCES]
#
# 24 copies, in full form 400. With --plant a kota without these defences, see
# tests/hostile/undefended.c: the first copy that loses something ends it.
set -u
copies=24
most=1000
while [ $# -gt 0 ]; do
	case $1 in
	--full) copies=400 ;;
	--plant)
		KOTA=$BUILD/tests/hostile/undefended
		HOSTILE_WITHOUT=$2
		export HOSTILE_WITHOUT
		copies=400
		most=1
		shift
		;;
	esac
	shift
done
top=$(mktemp -d "${TMPDIR:-/tmp}/kota-copies-XXXXXX") || exit 1
# The writers end by themselves: one that is killed leaves its last command at work in the store.
trap 'touch "$top/over"; wait; rm -rf "$top"' EXIT
trap 'exit 130' INT TERM
HOME=$top
export HOME
store=$top/store
"$KOTA" --dir "$store" init >/dev/null || exit 1

# Sets keys of its own again and again, and takes one of them away every other time.
write() {
	i=0
	while [ ! -e "$top/over" ]; do
		i=$((i + 1))
		"$KOTA" --dir "$store" set "writer $1" "$i" --category state
		if [ $((i % 2)) -eq 0 ]; then
			"$KOTA" --dir "$store" delete "state:writer $1 x"
		else
			"$KOTA" --dir "$store" set "writer $1 x" "$i" --category state
		fi
	done >/dev/null 2>&1
}

for n in 1 2 3; do
	write "$n" &
done

# Another boot of the machine for what is run in it, where that can be pretended.
echo 00000000-0000-4000-8000-000000000001 >"$top/boot"
restarted() {
	unshare -m sh -c 'mount --bind "$0" /proc/sys/kernel/random/boot_id && exec "$@"' \
		"$top/boot" "$@"
}
restarts=yes
restarted true 2>/dev/null || restarts=

# copy WAY FROM TO: what vanishes meanwhile is no matter.
copy() {
	case $1 in
	archive) cp -a "$2" "$3" ;;
	plain) cp -r "$2" "$3" ;;
	links) cp -al "$2" "$3" ;;
	tar) mkdir "$3" && tar -C "$2" -cf - . | tar -C "$3" -xf - ;;
	visible) mkdir "$3" && cp "$2"/*.json "$3" ;;
	backwards)
		mkdir "$3"
		find "$2" -mindepth 1 -maxdepth 1 | sort -r | while read -r file; do
			cp -a "$file" "$3"
		done
		;;
	twice) # as a sync tool does that runs again: over the files of the last time
		cp -a "$2" "$3"
		for file in "$2"/* "$2"/.[!.]*; do
			cp -a "$file" "$3.new" && mv -T "$3.new" "$3/${file##*/}"
		done
		;;
	restored) # a backup is put back into a store that was used meanwhile
		cp -a "$2" "$3"
		cp -a "$3" "$3.backup"
		"$KOTA" --dir "$3" set other 1 --category state
		"$KOTA" --dir "$3" set other 2
		cp -a "$3.backup/." "$3"
		;;
	displaced) # the hidden files alone are put back
		cp -a "$2" "$3"
		mkdir "$3.backup"
		cp -a "$3"/.*.prev "$3.backup"
		"$KOTA" --dir "$3" set other 1 --category state
		"$KOTA" --dir "$3" set other 2
		cp -a "$3.backup/." "$3"
		;;
	esac >/dev/null 2>&1
}

tried=0
bad=0
i=0
while [ "$i" -lt "$copies" ] && [ "$bad" -lt "$most" ]; do
	way=$(printf '%s\n' archive plain links tar visible backwards twice restored displaced |
		sed -n "$((i % 9 + 1))p")
	run=
	[ $((i / 9 % 2)) -eq 0 ] || run=${restarts:+restarted}
	i=$((i + 1))
	rm -rf "$top/copy" "$top/copy.backup"
	copy "$way" "$store" "$top/copy"
	"$KOTA" --dir "$top/copy" export >"$top/before" 2>/dev/null || continue
	case $((i % 3)) in
	0) $run "$KOTA" --dir "$top/copy" set probe 1 --category state ;;
	1) $run "$KOTA" --dir "$top/copy" notes "a probe" ;;
	2) $run "$KOTA" --dir "$top/copy" set probe 1 --category patterns ;;
	esac >"$top/said" 2>&1 || continue
	"$KOTA" --dir "$top/copy" export 2>/dev/null | grep -v -e '"probe"' -e conversation_notes >"$top/after"
	tried=$((tried + 1))
	# The comma behind the last entry is no matter.
	for side in before after; do
		sed 's/},$/}/' "$top/$side" | grep '"entry"' | sort >"$top/$side.entries"
	done
	if ! cmp -s "$top/before.entries" "$top/after.entries"; then
		bad=$((bad + 1))
		echo "violation: $way${run:+, restarted}: $(diff "$top/before.entries" "$top/after.entries" | head -n 4)"
		cat "$top/said"
	fi
done
echo "$tried copies of a store in use, ${restarts:-no} restarts: $bad changed another entry"
[ "$bad" -eq 0 ] && [ "$tried" -gt $((copies / 2)) ]
