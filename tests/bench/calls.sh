#!/bin/sh
# Counts the system calls of one memory_set in a server that stays, and how many of them are fsync:
# the median of so many sets, each asked for when the one before is answered, with a history and
# without; and the mean of sets that are sent 64 at a time. Each set gives an entry another value. Now
# and then a set packs the history, or begins a month: that is in the mean. What asks for memory or
# waits for a thread is left out. Needs strace.
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

# The request of set number $1 of a session.
request() {
	turn=$((turn + 1))
	printf '{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"memory_set","arguments":{"key":"entry %d","value":"a value of some words, number %d","category":"state"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"calls","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}\n' "$1" $(($1 % 80)) "$turn"
}

answered() {
	read -r reply <&4
	case $reply in *'"isError":false'*) ;; *) echo "calls: $reply" >&2 && exit 1 ;; esac
}

# One session with so many sets in the store $mode; what it called goes to $dir/trace.
session() {
	strace -f -o "$dir/trace" "$KOTA" serve --dir "$dir/$mode" <"$dir/requests" >"$dir/replies" &
	exec 3>"$dir/requests" 4<"$dir/replies"
	i=0
	while [ "$i" -lt "$1" ]; do
		request "$i" >&3
		answered
		i=$((i + 1))
	done
	exec 3>&- 4<&-
	wait $!
}

# One session with so many sets, of which 64 are sent at once; what each calls from the second 64 on.
flight() {
	strace -f -o "$dir/trace" "$KOTA" serve --dir "$dir/$mode" <"$dir/requests" >"$dir/replies" &
	exec 3>"$dir/requests" 4<"$dir/replies"
	i=0
	while [ "$i" -lt "$1" ]; do
		request "$i" >>"$dir/batch"
		i=$((i + 1))
		[ $((i % 64)) -eq 0 ] || continue
		# One write: all of it can be read at once.
		dd bs=65536 if="$dir/batch" >&3 2>/dev/null
		: >"$dir/batch"
		for _ in $(seq 64); do answered; done
		# Where the next 64 begin; the trace counts what follows.
		[ "$i" -gt 64 ] || first=$(wc -l <"$dir/trace")
	done
	last=$(grep -n ' write(1,' "$dir/trace" | tail -1 | cut -d: -f1)
	exec 3>&- 4<&-
	wait $!
	sed -n "$first,${last}p" "$dir/trace" | awk -v sets=$(($1 - 64)) '
		$2 !~ /^(brk|mmap|munmap|mremap|mprotect|madvise|futex)\(/ { calls++ }
		$2 ~ /^f(data)?sync\(/ { synced++ }
		END { printf "%.1f system calls, %.2f fsyncs\n", calls / sets, synced / sets }'
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

mode=own
echo "a set of 64 at once, history $mode: $(flight 320)"
