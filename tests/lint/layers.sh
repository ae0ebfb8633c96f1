#!/bin/sh
# The order of the rooms: an include may only point from a later row to an earlier one, or stay in
# its own room; each library is known in one place. Prints every arrow against the order.
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
# The rooms of the shell are for the shell alone.
function is_closed(from, to) {
	return to ~ /^cli/ && from !~ /^cli/
}
BEGIN {
	split("base:0 json:1 model:2 secrets:2 text:2 git:2 tool:2 policy:3 nlp:3 lookup:3 similarity:3 search:3 " \
		"store:5 " \
		"ops:7 ops/maintain:8 ops/history:8 ops/transfer:9 tools:10 mcp:30 " \
		"cli/term:20 cli/render:21 cli/args:22 cli/setup:23 cli/doctor:24 cli/report:25 cli/edit:25 " \
		"cli/cmd:26 cli:30", rows, " ")
	for (i in rows) { split(rows[i], row, ":"); level[row[1]] = row[2] }
	home["cjson/cJSON.h"] = "src/json/tree.c"
	home["cJSON.h"] = "src/json/tree.c"
	home["tre/tre.h"] = "src/text/"
	home["sha2.h"] = home["sha256.h"] = "src/base/hmac.c"
	home["utf8proc.h"] = "src/text/"
	home["git2.h"] = "src/git/"
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
	if (from == "" || to == "") {
		printf "%s:%d: unknown room in \"%s\"\n", FILENAME, FNR, name; bad++
	} else if (from != to && (level[to] >= level[from] || is_closed(from, to))) {
		printf "%s:%d: %s must not know %s\n", FILENAME, FNR, from, to; bad++
	}
}
END {
	if (!files) { print "no sources found"; exit 1 }
	printf "layers: %d files, %d arrows against the order\n", files, bad
	exit bad > 0
}' $(find src -name '*.[ch]' | sort)
