#!/bin/sh
# An import of many entries and its undo are one change each, and the undo takes at most ten times as
# long as the import, by the time of the processor: it does not read a file again for each entry.
set -eu
KOTA=${KOTA:-${BUILD:-.}/kota}
command -v git >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME="$work/home" GIT_CONFIG_NOSYSTEM=1
unset KOTA_MEMORY_GIT XDG_STATE_HOME XDG_CONFIG_HOME KOTA_MEMORY_DIR
mkdir "$HOME"

# Imports so many entries and takes them back; prints the hundredths of a second that each took.
measure() {
	store=$work/store-$1
	mkdir "$store"
	echo '{"limits":{"entries_per_category":20000,"total_bytes":10000000}}' >"$store/config.json"
	"$KOTA" set first 1 --category state --dir "$store" >/dev/null 2>&1
	awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++)
		printf "{\"type\":\"entity\",\"name\":\"note %d\",\"entityType\":\"fact\",\"observations\":[\"step %d of the work\"]}\n", i, i }' >"$work/memory.jsonl"
	times >"$work/begin"
	"$KOTA" import "$work/memory.jsonl" --yes --dir "$store" >/dev/null
	times >"$work/before"
	"$KOTA" undo --dir "$store" >/dev/null
	times >"$work/after"
	[ "$(git -C "$store" rev-list --count HEAD)" -eq 4 ] || {
		echo "undo_import: not one change each" >&2
		exit 1
	}
	if grep -q '"note ' "$store/state.json"; then
		echo "undo_import: something is left" >&2
		exit 1
	fi
	awk 'function seconds(text,   parts) { split(text, parts, /[ms]/); return parts[1] * 60 + parts[2] }
		FNR == 2 { at[++n] = seconds($1) + seconds($2) }
		END { printf "%d %d\n", (at[2] - at[1]) * 100 + 1, (at[3] - at[2]) * 100 + 1 }' \
		"$work/begin" "$work/before" "$work/after"
}

measure 3000 >"$work/undo"
undo=$(cut -d' ' -f2 "$work/undo")
import=$(cut -d' ' -f1 "$work/undo")
echo "undo_import: import $import, undo $undo hundredths of a second"
[ "$undo" -le $((import * 10 + 20)) ] || {
	echo "undo_import: the undo takes more than ten times as long as the import" >&2
	exit 1
}
