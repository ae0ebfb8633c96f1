#!/bin/sh
# Counts the system calls of one memory_set in a server that stays, and how many of them are fsync:
# the median of so many sets, each asked for when the one before is answered, with a history and
# without. Each set gives an entry another value. Now and then a set packs the history, or begins a
# month: that is in the mean. What asks for memory or waits for a thread is left out. Needs strace.
#
#	KOTA=/path/to/kota tests/bench/calls.sh [SETS]
set -eu
sets=${1:-100}
strace -f -o /dev/null true 2>/dev/null || {
	echo "calls: skipped, strace is not installed or may not trace here"
	exit 77
}
dir=$(mktemp -d "${TMPDIR:-/tmp}/kota-calls-XXXXXX")
trap 'rm -rf "$dir"' EXIT
export HOME="$dir"
unset XDG_STATE_HOME XDG_CONFIG_HOME KOTA_MEMORY_GIT
mkfifo "$dir/requests" "$dir/replies"
turn=0

# One session with so many sets in the store $mode; what it called goes to $dir/trace.
session() {
	strace -f -o "$dir/trace" "$KOTA" serve --dir "$dir/$mode" <"$dir/requests" >"$dir/replies" &
	exec 3>"$dir/requests" 4<"$dir/replies"
	i=0
	while [ "$i" -lt "$1" ]; do
		turn=$((turn + 1))
		printf '{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"memory_set","arguments":{"key":"entry %d","value":"a value of some words, number %d","category":"state"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"calls","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}\n' "$i" $((i % 80)) "$turn" >&3
		read -r reply <&4
		case $reply in *'"isError":false'*) ;; *) echo "calls: $reply" >&2 && exit 1 ;; esac
		i=$((i + 1))
	done
	exec 3>&- 4<&-
	wait $!
}

# The medians and the mean of the last session, from the second reply on.
counted() {
	awk '$2 ~ /^write\(1,/ { if (replies++) print calls, synced; calls = synced = 0 }
		$2 !~ /^(brk|mmap|munmap|mremap|mprotect|madvise|futex)\(/ { calls++ }
		$2 ~ /^f(data)?sync\(/ { synced++ }' "$dir/trace" >"$dir/sets"
	calls=$(sort -n "$dir/sets" | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }')
	synced=$(sort -n -k2 "$dir/sets" | awk '{ all[NR] = $2 } END { print all[int((NR + 1) / 2)] }')
	mean=$(awk '{ sum += $1 } END { printf "%.0f", sum / NR }' "$dir/sets")
}

for mode in off own; do
	mkdir -m 700 "$dir/$mode"
	export KOTA_MEMORY_GIT="$mode"
	session 100
	session "$sets"
	counted
	echo "a set, history $mode: $calls system calls, $synced fsyncs; with what happens now and then $mean calls"
done
