#!/bin/sh
# Prints one line a room of src with its executed lines, from what lcov captured; with --missing
# first the lines that nothing executed, as FILE:LINE. A report, it fails nothing.
#
#	tests/coverage.sh [--missing] coverage.info
set -eu

missing=0
if [ "${1:-}" = --missing ]; then
	missing=1
	shift
fi

awk -F: -v missing="$missing" '
	function line(room) {
		printf "%-12s %6d of %6d lines  %5.1f %%\n", room, hit[room], all[room],
			100 * hit[room] / all[room]
	}
	/^SF:/ {
		file = $2
		sub(/.*\/src\//, "src/", file)
		room = file
		sub(/\/[^\/]*$/, "", room)
		if (!(room in all))
			rooms[++count] = room
	}
	/^DA:/ {
		split($2, of, ",")
		all[room]++
		all["all"]++
		if (of[2] > 0) {
			hit[room]++
			hit["all"]++
		} else if (missing) {
			print file ":" of[1]
		}
	}
	END {
		for (i = 1; i <= count; i++)
			line(rooms[i])
		if (count)
			line("all")
	}' "$1"
