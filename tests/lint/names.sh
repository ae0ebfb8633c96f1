#!/bin/sh
# A static function carries the name of its file, so that a breakpoint and a backtrace say where
# they are: it begins with a word of the file's name, or with the word that its header's functions
# begin with. The parts of one operation share a name in the shell's rooms (render/history,
# report/history): there it may be the room's name and the file's.
#
#	tests/lint/names.sh [SOURCE_DIR]
set -eu
cd "${1:-${srcdir:-.}}"

find src -name '*.c' ! -name main.c ! -name '*_data.c' | sort | awk '
# The words that a static function of the file may begin with.
function read_words(file,  stem, parts, n, i, line, header) {
	split("", may)
	stem = file; sub(/.*\//, "", stem); sub(/\.c$/, "", stem)
	may[stem] = 1
	n = split(stem, parts, "_")
	for (i = 1; i <= n; i++) {
		may[parts[i]] = may[parts[i] "s"] = 1
		sub(/s$/, "", parts[i]); may[parts[i]] = 1
	}
	n = split(file, parts, "/")
	may[parts[n - 1] "_" stem] = 1
	header = file; sub(/c$/, "h", header)
	while ((getline line < header) > 0) {
		if (line ~ /^[a-z][^;=]*[ *][a-z0-9_]+\(/) {
			sub(/\(.*/, "", line); sub(/.*[ *]/, "", line); sub(/_.*/, "", line)
			may[line] = 1
		}
	}
	close(header)
	if (file ~ /^src\/(json|git)\//)
		delete may["json"]
}
{
	file = $0
	read_words(file)
	for (number = 1; (getline line < file) > 0; number++) {
		if (line !~ /^static [^;=]*[ *][a-z0-9_]+\(/)
			continue
		name = line; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name)
		functions++
		good = 0
		for (word in may)
			good = good || index(name, word "_") == 1
		if (!good) { printf "%s:%d: %s() does not carry the name of its file\n", file, number, name; bad++ }
	}
	close(file)
}
END {
	if (!functions) { print "no sources found"; exit 1 }
	printf "names: %d static functions, %d without the name of their file\n", functions, bad
	exit bad > 0
}'
