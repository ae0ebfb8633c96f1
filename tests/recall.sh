#!/bin/sh
# Questions of this project's own: other facts, words and languages than the rules were written with.
# tests/lookup/sets/bars.txt says how many of each class have to be right, or may be wrong.
set -eu
sets=$srcdir/tests/lookup/sets
"$BUILD/tests/lookup/recall" "$sets" >recall.out.tmp
status=0
awk -v bars="$sets/bars.txt" '
BEGIN {
	while ((getline line <bars) > 0)
		if (line !~ /^#/ && split(line, row, " ") == 4)
			bar[row[1] " " row[2]] = row[3] " " row[4]
}
/\.json$/ {
	set = $0
	sub(/^.*\//, "", set)
	sub(/\.json$/, "", set)
	next
}
(set " " $1) in bar {
	split(bar[set " " $1], want, " ")
	seen[set " " $1] = 1
	if ((want[1] == "least" && $3 < want[2]) || (want[1] == "most" && $3 > want[2])) {
		print set ", " $1 ": " $3 " %, not at " want[1] " " want[2]
		failed = 1
	}
}
END {
	for (want_of in bar)
		if (!(want_of in seen)) {
			print want_of ": not measured"
			failed = 1
		}
	exit failed
}' recall.out.tmp || status=1
[ $status = 0 ] || cat recall.out.tmp
rm -f recall.out.tmp
exit $status
