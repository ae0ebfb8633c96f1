#!/bin/sh
# What the log of a history is good for, as a person meets it: a server that ends leaves nothing in it
# alone; doctor says what a power cut has taken, and puts it back; a log that is broken in the middle
# is set aside and named, and changes are refused until doctor --fix.
#
#	KOTA=/path/to/kota tests/history_log.sh
set -eu
KOTA=${KOTA:-${BUILD:-.}/kota}
command -v git >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME="$work/home" GIT_CONFIG_NOSYSTEM=1
unset KOTA_MEMORY_GIT XDG_STATE_HOME XDG_CONFIG_HOME KOTA_MEMORY_DIR
mkdir "$HOME"
store=$work/store

fail() {
	echo "history_log: $*" >&2
	exit 1
}

# number PLACE: eight bytes of the log, the lowest first.
number() {
	od -An -tx8 -j"$1" -N8 "$store/.git/kota-objects" | tr -d ' '
}

# The number of the log as its head has it, as number() prints it.
epoch() {
	printf '%016x\n' "$(head -c 35 "$store/.git/kota-objects" | cut -d' ' -f3 | sed 's/^0*//')"
}

# As after a restart of the machine: the log is of another boot.
restart() {
	printf 0 | dd of="$store/.git/kota-objects" bs=1 seek=36 conv=notrunc 2>/dev/null
	printf 1 | dd of="$store/.git/kota-objects" bs=1 seek=37 conv=notrunc 2>/dev/null
}

set_some() {
	for key in "$@"; do
		"$KOTA" set "$key" "value of $key" --category state --dir "$store" >/dev/null
	done
}

# A server that ends.
{
	echo '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"log","version":"1"}}}'
	echo '{"jsonrpc":"2.0","method":"notifications/initialized"}'
	echo '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_set","arguments":{"category":"state","key":"one","value":"1"}}}'
} | "$KOTA" serve --dir "$store" >"$work/replies"
grep -q '"id":1' "$work/replies" || fail "no reply"
[ "$(number 520)" != "$(epoch)" ] || fail "a server that ended has left its change in the log alone"

# A power cut that has taken the last two changes, and nobody has come since.
set_some two
[ "$(number 520)" = "$(epoch)" ] || fail "a command has left nothing in the log: the test is void"
tip=$(git -C "$store" rev-parse HEAD)
set_some three four
last=$(git -C "$store" rev-parse HEAD)
restart
rm -f "$store/.git/objects/$(echo "$last" | sed 's/^\(..\)/\1\//')"
echo "$tip" >"$store/.git/refs/heads/main"
"$KOTA" doctor --dir "$store" >"$work/doctor" 2>&1 || true
grep -q 'a power cut has taken 2 recorded changes' "$work/doctor" || {
	cat "$work/doctor" >&2
	fail "doctor does not name what is missing"
}
[ "$(git -C "$store" rev-parse HEAD)" = "$tip" ] || fail "doctor has changed something"
"$KOTA" doctor --fix --dir "$store" >"$work/doctor" 2>&1 || true
[ "$(git -C "$store" rev-parse HEAD)" = "$last" ] || fail "doctor --fix has put nothing back"
git -C "$store" fsck --strict >"$work/fsck" 2>&1 && ! grep -v dangling "$work/fsck" || fail "fsck"
"$KOTA" doctor --dir "$store" >"$work/doctor" 2>&1 || true
! grep -q 'a power cut has taken' "$work/doctor" || fail "doctor still tells of it"

# A record in the middle that cannot be read.
set_some five six seven
last=$(git -C "$store" rev-parse HEAD)
before=$(cat "$store/state.json")
restart
place=$((512 + (32 + $(od -An -td8 -j528 -N8 "$store/.git/kota-objects" | tr -d ' ') + 511) / 512 * 512))
printf broken | dd of="$store/.git/kota-objects" bs=1 seek=$((place + 40)) conv=notrunc 2>/dev/null
for i in 1 2; do
	if "$KOTA" set eight 8 --category state --dir "$store" >"$work/out" 2>&1; then
		fail "a change was made upon a broken log"
	fi
	grep -q 'kota-objects.broken.*kota doctor --fix' "$work/out" || {
		cat "$work/out" >&2
		fail "the refusal does not name the log and what to do"
	}
done
[ "$(cat "$store/state.json")" = "$before" ] || fail "a refused change has changed the file"
"$KOTA" get five --dir "$store" >"$work/out" 2>&1 || fail "nothing can be read while changes are refused"
"$KOTA" doctor --dir "$store" >"$work/doctor" 2>&1 || true
grep -q 'the log of changes cannot be read as a whole' "$work/doctor" || {
	cat "$work/doctor" >&2
	fail "doctor does not name the broken log"
}
"$KOTA" doctor --fix --dir "$store" >"$work/doctor" 2>&1 || true
set_some eight
[ -e "$store/.git/kota-objects.unreadable" ] || fail "the broken log is gone"
git -C "$store" merge-base --is-ancestor "$last" HEAD || fail "what was recorded is gone"
git -C "$store" log --format=%s | grep -q 'state:seven' || fail "the last change is not in the history"
"$KOTA" doctor --dir "$store" >"$work/doctor" 2>&1 || true
! grep -q 'cannot be read as a whole' "$work/doctor" || fail "doctor still tells of the broken log"
