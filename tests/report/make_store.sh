#!/bin/sh
# Makes a store that has lived through a year, from the lines of entries.txt: for the picture of the
# report, and for looking at its page in a browser.
#
#	make_store.sh PROGRAM DIR		PROGRAM: tests/clocked, which goes by KOTA_CLOCK
#
# The same store each time, at DIR/store; the clock, DIR/clock, stands at its end then.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
kota=$1
dir=$2
end_ms=1795253400000 # 2026-11-21T09:30:00Z
day_ms=86400000

KOTA_MEMORY_DIR=$dir/store
KOTA_MEMORY_GIT=${KOTA_MEMORY_GIT:-own}
KOTA_CLOCK=$dir/clock
TZ=UTC
export KOTA_MEMORY_DIR KOTA_MEMORY_GIT KOTA_CLOCK TZ
unset CLAUDE_CODE_SESSION_ID

# What happens, a line each: days before the end, what, ref, value and tags, parted by tabs.
awk '
function happens(day, what, number,    said) {
	said = value
	gsub(/@/, number, said)
	printf "%d\t%s\t%s\t%s\t%s\n", day, what, ref, what ~ /set|pin/ ? said : "", tags
}
/^#/ || NF == 0 { next }
{
	rest = $0
	gsub(/\\[|]/, "\001", rest)
	n = split(rest, part, " [|] ")
	value = part[2]; tags = part[3]
	gsub(/\001/, "|", value)
	made = $1; every = $2; last = $3; deed = $4
	ref = part[1]
	sub(/^[0-9]+ [0-9]+ [0-9]+ [a-z]+ /, "", ref)
	happens(made, deed == "pin" ? "pin" : "set", 1)
	# Not like clockwork: some days late, some not at all.
	for (k = 1; every && made - k * every >= last; k++) {
		day = made - k * every - (k * k * 5 + k * 3 + made) % 4
		if (day >= last && (k * 7 + made) % 9 != 0)
			happens(day, deed, k + 1)
	}
}' "$here/entries.txt" | sort -s -t'	' -k1,1nr >"$dir/events"

while IFS='	' read -r day what ref value tags; do
	echo $((end_ms - day * day_ms - 3600000)) >"$KOTA_CLOCK"
	case $what in
	get) "$kota" get "$ref" ;;
	use) "$kota" get "$ref" && "$kota" reinforce "$ref" ;;
	*)
		set -- "$ref" "$value"
		[ "$what" = set ] || set -- --pinned "$@"
		for tag in $tags; do set -- --tags "$tag" "$@"; done
		"$kota" set "$@"
		;;
	esac
done <"$dir/events" >"$dir/log"
echo "$end_ms" >"$KOTA_CLOCK"
