#!/bin/sh
# What reading through the journal costs a get: its share of the instructions of a memory_get at 500
# entries, while no change waits, as callgrind counts them. Exits 1 past 5 %. Needs valgrind; build
# with -O2 for figures.
#
#	KOTA=/path/to/kota tests/bench/read_through.sh
set -eu
command -v valgrind >/dev/null || {
	echo "read_through: skipped, valgrind is not installed"
	exit 77
}
dir=$(mktemp -d "${TMPDIR:-/tmp}/kota-price-XXXXXX")
trap 'rm -rf "$dir"' EXIT
export HOME="$dir" KOTA_MEMORY_GIT=off
unset XDG_STATE_HOME
mkdir -m 700 "$dir/store"
for category in state preferences connections patterns shortcuts; do
	awk -v name="$category" 'BEGIN {
		printf "{"
		for (i = 0; i < 100; i++)
			printf "%s\n  \"%s note %d\": \"a value of some words, number %d\"", i ? "," : "", name, i, i
		printf "\n}\n"
	}' >"$dir/store/$category.json"
done
"$KOTA" set "state note 1" begin --category state --dir "$dir/store" >/dev/null

# The requests of a session with so many gets.
session() {
	echo '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}'
	echo '{"jsonrpc":"2.0","method":"notifications/initialized"}'
	awk -v gets="$1" 'BEGIN {
		for (i = 1; i <= gets; i++)
			printf "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"memory_get\",\"arguments\":{\"query\":\"state note %d\"}}}\n", i, i % 100
	}'
}

# Instructions of a session: all, and those of reading through with all that they call.
count() {
	session "$1" | valgrind --tool=callgrind --callgrind-out-file="$dir/counts" "$KOTA" serve \
		--dir "$dir/store" >"$dir/replies" 2>"$dir/valgrind"
	[ "$(grep -c '"isError":true' "$dir/replies")" -eq 0 ] && [ "$(wc -l <"$dir/replies")" -gt "$1" ] || {
		echo "read_through: not all gets were answered" >&2
		exit 1
	}
	callgrind_annotate --inclusive=yes --threshold=100 "$dir/counts" | tr -d , | awk '
		/PROGRAM TOTALS/ { all = $1 }
		/:read_through_(look|apply|waits|ops)[ '\''\[]/ { through += $1 }
		END { print all, through + 0 }'
}

few=$(count 100)
many=$(count 600)
echo "$few $many" | awk '{
	get = ($3 - $1) / 500
	through = ($4 - $2) / 500
	printf "%d instructions a get, %d of them to read through: %.1f %% (bar 5 %%)\n", get, through, 100 * through / get
	exit (through <= 0 || through > get / 20)
}'
