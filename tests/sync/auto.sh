#!/bin/sh
# A store that is synced unasked when a session begins: only where the person's own settings say so,
# with nobody waiting for it, and not again right after a sync.
#
#	tests/sync/auto.sh
set -eu
. "${srcdir:-.}/tests/sync/machines.sh"

# hook MACHINE: a session begins there, now: two processes cannot share a clock that a script sets.
hook() {
	echo '{"hook_event_name": "SessionStart", "session_id": "s", "source": "startup"}' |
		m "$1" hook session-start
}
# arrives REF VALUE WHAT: waits until it has come to the hub.
arrives() {
	until=$(($(date +%s) + 60))
	until git -C "$hub" show "main:${1%%:*}.json" 2>/dev/null | grep -q "\"$2\"" || [ "$(date +%s)" -ge $until ]; do :; done
	checks=$((checks + 1))
	git -C "$hub" show "main:${1%%:*}.json" | grep -q "\"$2\"" || fail "$3: $1 has not arrived"
	settled "$3"
}
# late m MACHINE WORDS...: kota there, at the time of the test.
late() {
	echo "$now" >"$dir/$2.next"
	mv "$dir/$2.next" "$dir/$2.clock"
	KOTA_CLOCK=$dir/$2.clock kota=$clocked "$@"
}
# until_is REF VALUE WHAT: waits for what is done in the background on b.
until_is() {
	tries=0
	while [ "$(m b get "$1" 2>/dev/null)" != "$2" ] && [ $tries -lt 400 ]; do
		tries=$((tries + 1))
	done
	value b "$1" "$2" "$3"
	settled "$3"
}
# settled WHAT: waits until a sync in the background on b has noted how it ended.
settled() {
	until=$(($(date +%s) + 60))
	until m b sync --status >"$dir/said" 2>&1 || [ "$(date +%s)" -ge $until ]; do :; done
	m b sync --status >"$dir/said" 2>&1 || fail "$1: $(cat "$dir/said")"
}

undefended=$(cd "$BUILD" && pwd)/tests/hostile/undefended
new a b
new_hub
now=2026-11-01T12:00:00Z
late m a set editor vim --category preferences >/dev/null 2>&1
late m a sync --remote "$hub" >/dev/null
late m b sync --remote "$hub" >/dev/null
late m a set editor nano --category preferences >/dev/null
late m a sync >/dev/null

# ---- nobody has asked for it: not at all, or only a store that travels
now=2026-11-01T13:00:00Z
late m b sync --background
value b preferences:editor vim "without the setting"
echo '{"sync": {"auto": "session"}}' >"$dir/b/store/config.json"
late m b sync --background
value b preferences:editor vim "with a setting of the store"
rm "$dir/b/store/config.json"

# ---- a session begins: it is answered, and what others did comes in beside it
KOTA_MEMORY_SYNC_AUTO=session
export KOTA_MEMORY_SYNC_AUTO
hook b >"$dir/said"
says "$dir/said" "additionalContext" "the session is answered"
until_is preferences:editor nano "in the background"

# ---- a session ends right after that: what it has changed goes
m b set pet "a cat" --category state >/dev/null
# More than a pipe holds, as after a long last reply: a client may take it badly if nobody reads it.
{ printf '{"hook_event_name": "SessionEnd", "last": "%100000s"}' x && : >"$dir/taken"; } |
	m b hook session-end >"$dir/said"
[ ! -s "$dir/said" ] || fail "the end of a session is answered: $(cat "$dir/said")"
[ -e "$dir/taken" ] || fail "the end of a session: what the client says is not read"
arrives state:pet "a cat" "the end of a session"

# ---- so does a server that is not confined; the others leave it to the hooks
printf '%s\n' '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"auto","version":"1"}}}' \
	'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_set","arguments":{"category":"state","key":"tea","value":"green"}}}' |
	kota=$undefended HOSTILE_WITHOUT=landlock m b serve >/dev/null 2>&1
arrives state:tea "green" "the end of a server"

# ---- not again right after it
late m a set editor ed --category preferences >/dev/null
late m a sync >/dev/null
now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
late m b sync --background
value b preferences:editor nano "right after a sync"
now=2036-11-01T14:00:00Z
late m b sync --background
value b preferences:editor ed "an hour after a sync"

# ---- a remote that hangs is waited for by nobody: it is let go only when the answer is there
mkfifo "$dir/gate" "$dir/reached"
printf '#!/bin/sh\n: >"%s"\nread line <"%s"\nexit 255\n' "$dir/reached" "$dir/gate" >"$dir/hang"
chmod +x "$dir/hang"
status=0
GIT_SSH_COMMAND=false late m b sync --remote nowhere:x >/dev/null 2>&1 || status=$?
[ $status = 69 ] || fail "a remote that is not there: status $status"
GIT_SSH_COMMAND=$dir/hang hook b >"$dir/said"
says "$dir/said" "additionalContext" "the session is answered while git hangs"
if timeout 60 cat "$dir/reached"; then
	status=0
	late m b sync >"$dir/said" 2>&1 || status=$?
	[ $status = 75 ] || fail "a sync beside one that hangs: status $status: $(cat "$dir/said")"
	late m b set mine yes --category state >/dev/null || fail "a change beside a sync that hangs"
	timeout 60 sh -c 'echo go >"$1"' sh "$dir/gate" || fail "the sync that hangs is gone"
	settled "a sync that hung"
else
	fail "no sync is started in the background"
fi

echo "auto: $checks checks, $failed failed"
[ "$failed" = 0 ]
