#!/bin/sh
# A long history stays in few packs, whoever made the changes: one server, or a process for each.
#
#	KOTA=/path/to/kota tests/history_packs.sh [CHANGES [WORKDIR]]
#
# Makes a store in WORKDIR (default: a folder of its own) with CHANGES (700) changes by one server and
# 70 by the command. A pack is written every 64 changes; merged, their number grows with the logarithm
# of the history: at most 6 of these, and 12 of 100,000. Every change is a commit, git finds nothing
# wrong, and nothing of a merge is left over.
set -eu
changes=${1:-700}
KOTA=${KOTA:-${BUILD:-.}/kota}
command -v git >/dev/null || exit 77
if [ $# -gt 1 ]; then
	mkdir -p "$2"
	work=$(cd "$2" && pwd)
else
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
fi
store=$work/store
rm -rf "$store" "$work/home"
mkdir -p "$work/home"
export HOME="$work/home" GIT_CONFIG_NOSYSTEM=1
unset KOTA_MEMORY_GIT XDG_STATE_HOME XDG_CONFIG_HOME KOTA_MEMORY_DIR
most=6
[ "$changes" -le 2000 ] || most=12

write_requests() {
	echo '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"packs","version":"1"}}}'
	echo '{"jsonrpc":"2.0","method":"notifications/initialized"}'
	awk -v changes="$changes" 'BEGIN {
		for (i = 1; i <= changes; i++)
			printf "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"memory_set\"," \
				"\"arguments\":{\"category\":\"state\",\"key\":\"note %d\",\"value\":\"step %d of %d\"}}}\n",
				i, i * 7919 % 60, i, i * 104729 % 1000003
	}'
}

count_packs() {
	find "$store/.git/objects/pack" -name '*.pack' | wc -l
}

check() {
	packs=$(count_packs)
	commits=$(git -C "$store" rev-list --count HEAD)
	echo "history_packs: $1: $commits commits, $packs packs"
	[ "$packs" -le "$most" ] || {
		echo "history_packs: more than $most packs" >&2
		exit 1
	}
	[ "$commits" -ge "$2" ] || {
		echo "history_packs: $2 changes were made" >&2
		exit 1
	}
	git -C "$store" fsck --strict --full >"$work/fsck" 2>&1 && ! grep -v dangling "$work/fsck" || {
		echo "history_packs: the repository is damaged" >&2
		exit 1
	}
}

write_requests | "$KOTA" serve --dir "$store" >"$work/replies"
if grep -q '"isError": *true' "$work/replies"; then
	echo "history_packs: a change was refused" >&2
	exit 1
fi
check server "$changes"
for i in $(seq 70); do
	"$KOTA" set "note $i" "by hand $i" --category state --dir "$store" >/dev/null
done
check commands $((changes + 70))
# What a person asks for is done to its end.
"$KOTA" compact --dir "$store" >/dev/null
check compact $((changes + 70))
if find "$store/.git" -name '*kota_merge*' -o -name kota-merge | grep .; then
	echo "history_packs: something of a merge is left" >&2
	exit 1
fi
