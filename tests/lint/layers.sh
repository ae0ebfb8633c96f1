#!/bin/sh
# The order of the rooms: an include may only point from a later row to an earlier one, or stay in
# its own room; no units of a room include each other in a circle (x.c, x.h and x_internal.h are one
# unit); each library is known in one place; the table of rooms in the pages has the same rooms.
# Prints every arrow against the order.
#
#	tests/lint/layers.sh [SOURCE_DIR]
set -eu
cd "${1:-${srcdir:-.}}"

awk '
# The room of a file: its folder, or the nearest folder around it that has a row.
function room(path) {
	while (sub(/\/[^\/]*$/, "", path)) {
		if (path in level)
			return path
	}
	return ""
}
# What an arrow begins or ends at, so that circles are seen.
function unit(path) {
	sub(/\.[ch]$/, "", path); sub(/_internal$/, "", path)
	return path
}
# Takes away, as often as any goes, what no arrow leads to or from: circles are what is left.
function count_circles(  u, v, k, pair, again, left) {
	do {
		again = 0
		split("", into); split("", out)
		for (k in arrow) {
			split(k, pair, SUBSEP)
			into[pair[2]] = 1; out[pair[1]] = 1
		}
		for (k in arrow) {
			split(k, pair, SUBSEP)
			if (!(pair[1] in into) || !(pair[2] in out)) { delete arrow[k]; again = 1 }
		}
	} while (again)
	for (k in arrow) {
		split(k, pair, SUBSEP)
		printf "%s and %s include each other, directly or around\n", pair[1], pair[2]
		left++
	}
	return left
}
# The rooms of the shell are for the shell alone.
function is_closed(from, to) {
	return to ~ /^cli/ && from !~ /^cli/
}
BEGIN {
	split("base:0 json:1 model:2 secrets:2 text:2 git:2 git/write:3 tool:2 policy:3 nlp:3 lookup:3 similarity:3 search:3 merge:3 " \
		"store/location:4 store/trust:5 store/files:6 store/items:7 store/log:7 store/swap:8 " \
		"store/view:9 store/history:10 store/txn:11 store/purge:12 store/upkeep:12 store/open:13 " \
		"sync:14 ops:14 ops/maintain:15 ops/history:15 ops/transfer:16 tools:17 mcp:30 " \
		"cli/term:20 cli/render:21 cli/args:22 cli/setup:23 cli/doctor:24 cli/report:25 cli/edit:25 " \
		"cli/cmd:26 cli:30", rows, " ")
	for (i in rows) { split(rows[i], row, ":"); level[row[1]] = row[2] }
	home["cjson/cJSON.h"] = "src/json/tree.c"
	home["cJSON.h"] = "src/json/tree.c"
	home["tre/tre.h"] = "src/text/"
	home["sha1.h"] = home["sha2.h"] = home["sha256.h"] = "src/base/hmac.c"
	home["utf8proc.h"] = "src/text/"
	home["git2.h"] = "src/git/"
}
FILENAME ~ /\.md$/ {
	if (match($0, /^\| `src\/[a-z\/]*`/)) { listed[substr($0, 8, RLENGTH - 8)] = 1 }
	next
}
FNR == 1 { files++ }
/^#[ \t]*include[ \t]*</ {
	name = $0; sub(/^[^<]*</, "", name); sub(/>.*/, "", name)
	if (name in home && FILENAME !~ "^" home[name]) {
		printf "%s:%d: <%s> belongs to %s alone\n", FILENAME, FNR, name, home[name]
		bad++
	}
}
/^#[ \t]*include[ \t]*"/ {
	name = $0; sub(/^[^"]*"/, "", name); sub(/".*/, "", name)
	path = FILENAME; sub(/^src\//, "", path); if (path !~ /\//) next
	if (name !~ /\//) { printf "%s:%d: \"%s\" names no room\n", FILENAME, FNR, name; bad++; next }
	from = room(path); to = room(name)
	if (unit(path) != unit(name))
		arrow[unit(path), unit(name)] = 1
	if (from == "" || to == "") {
		printf "%s:%d: unknown room in \"%s\"\n", FILENAME, FNR, name; bad++
	} else if (from != to && (level[to] >= level[from] || is_closed(from, to))) {
		printf "%s:%d: %s must not know %s\n", FILENAME, FNR, from, to; bad++
	}
}
END {
	if (!files) { print "no sources found"; exit 1 }
	for (r in level) if (!(r in listed)) { printf "%s: not in the table of rooms\n", r; bad++ }
	for (r in listed) if (!(r in level)) { printf "%s: in the table of rooms only\n", r; bad++ }
	bad += count_circles()
	printf "layers: %d files, %d arrows against the order\n", files, bad
	exit bad > 0
}' docs/internals/hacking.md $(find src -name '*.[ch]' | sort)
