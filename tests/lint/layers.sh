#!/bin/sh
# The order of the rooms: an include may only point from a later row to an earlier one, or stay in
# its own room; each library is known in one place. Prints every arrow against the order.
#
#	tests/lint/layers.sh [SOURCE_DIR]
set -eu
cd "${1:-${srcdir:-.}}"

awk '
# The room of a file: its folder, where that has a row of its own, else the first folder.
function room(path) {
	sub(/\/[^\/]*$/, "", path)
	if (!(path in level)) sub(/\/.*/, "", path)
	return path
}
BEGIN {
	split("base:0 json:1 model:2 secrets:2 text:2 git:2 tool:2 policy:3 nlp:3 lookup:3 similarity:3 search:3 store:5 ops:7 ops/maintain:8 ops/history:8 ops/transfer:9 tools:10 mcp:11 cli:11", rows, " ")
	for (i in rows) { split(rows[i], row, ":"); level[row[1]] = row[2] }
	home["cjson/cJSON.h"] = "src/json/tree.c"
	home["cJSON.h"] = "src/json/tree.c"
	home["tre/tre.h"] = "src/text/"
	home["sha2.h"] = home["sha256.h"] = "src/base/hmac.c"
	home["utf8proc.h"] = "src/(text|similarity)/"
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
	from = FILENAME; sub(/^src\//, "", from); if (from !~ /\//) next
	to = name; if (to !~ /\//) { printf "%s:%d: \"%s\" names no room\n", FILENAME, FNR, name; bad++; next }
	from = room(from); to = room(to)
	if (!(from in level) || !(to in level)) {
		printf "%s:%d: unknown room in \"%s\"\n", FILENAME, FNR, name; bad++
	} else if (from != to && level[to] >= level[from]) {
		printf "%s:%d: %s must not know %s\n", FILENAME, FNR, from, to; bad++
	}
}
END {
	if (!files) { print "no sources found"; exit 1 }
	printf "layers: %d files, %d arrows against the order\n", files, bad
	exit bad > 0
}' $(find src -name '*.[ch]' | sort)
