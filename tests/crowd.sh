#!/bin/sh
# Many writes at once, none lost: twenty sets in one breath to one process, and twenty each to two
# processes on one store. Every one is acknowledged, and every one is there afterwards.
set -eu
dir=$(mktemp -d "${TMPDIR:-/tmp}/kota-crowd-XXXXXX")
trap 'rm -rf "$dir"' EXIT
passed=0
failed=0

# requests NAME: a handshake and twenty sets.
requests() {
	echo '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"crowd","version":"1"}}}'
	i=1
	while [ $i -le 20 ]; do
		echo "{\"jsonrpc\":\"2.0\",\"id\":$i,\"method\":\"tools/call\",\"params\":{\"name\":\"memory_set\",\"arguments\":{\"key\":\"$1 $i\",\"value\":$i,\"category\":\"state\"}}}"
		i=$((i + 1))
	done
}

# expect WHAT WANTED GOT
expect() {
	if [ "$2" -eq "$3" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "$1: $3, not $2"
	fi
}

acknowledged() {
	cat "$@" | grep -c '"isError":false'
}

requests one | "$KOTA" serve --dir "$dir/alone" >"$dir/alone.out"
expect "one process: acknowledged" 20 "$(acknowledged "$dir/alone.out")"
expect "one process: kept" 20 "$("$KOTA" --dir "$dir/alone" list | wc -l)"

requests left >"$dir/left.in"
requests right >"$dir/right.in"
"$KOTA" serve --dir "$dir/both" <"$dir/left.in" >"$dir/left.out" &
"$KOTA" serve --dir "$dir/both" <"$dir/right.in" >"$dir/right.out"
wait
expect "two processes: acknowledged" 40 "$(acknowledged "$dir/left.out" "$dir/right.out")"
expect "two processes: kept" 40 "$("$KOTA" --dir "$dir/both" list | wc -l)"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
