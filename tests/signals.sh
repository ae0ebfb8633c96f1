#!/bin/sh
# Clients stop a server with SIGINT or SIGTERM, without closing its input: it goes at once, and what
# it acknowledged is there.
set -eu
dir=$(mktemp -d "${TMPDIR:-/tmp}/kota-signals-XXXXXX")
trap 'rm -rf "$dir"' EXIT
passed=0
failed=0

# stop SIGNAL STATUS: a server that has acknowledged a set is sent the signal.
stop() {
	mkfifo "$dir/in.$1" "$dir/out.$1"
	# A shell lets its background processes ignore SIGINT; a client does not.
	env --default-signal=INT "$KOTA" serve --dir "$dir/store" <"$dir/in.$1" >"$dir/out.$1" &
	pid=$!
	exec 3>"$dir/in.$1" 4<"$dir/out.$1"
	echo '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"stop","version":"1"}}}' >&3
	read -r _ <&4
	echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"memory_set\",\"arguments\":{\"key\":\"$1\",\"value\":1,\"category\":\"state\"}}}" >&3
	read -r reply <&4
	kill -s "$1" "$pid"
	status=0
	wait "$pid" || status=$?
	exec 3>&- 4<&-
	case $reply in
	*'"isError":false'*) ;;
	*) status="no acknowledgement" ;;
	esac
	if [ "$status" = "$2" ] && [ "$("$KOTA" --dir "$dir/store" get "state:$1")" = 1 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "SIG$1: status $status, not $2, or the memory is gone"
	fi
}

stop TERM 143
stop INT 130

# Where files may not grow a set fails with a sentence, and what was there stays.
status=0
why=$(ulimit -f 1 && "$KOTA" --dir "$dir/store" set state:large "$(printf '%01500d' 0)" 2>&1) || status=$?
if [ "$status" = 73 ] && [ "$("$KOTA" --dir "$dir/store" get state:INT)" = 1 ] &&
	case $why in *"File too large"*) true ;; *) false ;; esac; then
	passed=$((passed + 1))
else
	failed=$((failed + 1))
	echo "a file over the limit: status $status, $why"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
