#!/bin/sh
# Ceilings: functions at most 60 lines, files at most 800 (those of src/tools 300: an operation checks
# its arguments and writes the reply, what it decides is in src/ops), folders of src at most 16 units
# (x.c and x.h are one; src/tools has a file an operation and at most 40), and calls that are not
# used here.
#
#	tests/lint/ceilings.sh [SOURCE_DIR]
set -eu
cd "${1:-${srcdir:-.}}"

# What is made from the lists in data is as long as they are.
find src tests -name '*.[ch]' ! -name '*_data.c' | sort | xargs awk '
# A file with its header counts once.
function count_unit(  unit, folder) {
	unit = FILENAME; sub(/\.[ch]$/, "", unit)
	folder = unit; sub(/\/[^\/]*$/, "", folder)
	if (folder ~ /^src\// && !(unit in seen)) { seen[unit] = 1; units[folder]++ }
}
# The file before this line, which has come to its end.
function check_length(  most) {
	most = file ~ /^src\/tools\// ? 300 : 800
	if (lines > most) { printf "%s: %d lines, more than %d\n", file, lines, most; bad++ }
}
function report(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; bad++ }
FNR == 1 { check_length(); file = FILENAME; count_unit() }
{ lines = FNR }
# House style puts the brace that opens a function alone in column one, and the one that ends it.
/^{$/ { start = FNR }
/^}$/ && start { if (FNR - start + 2 > 60) report("function of " FNR - start + 2 " lines, more than 60"); start = 0 }
/[^a-z_](strcpy|strcat|sprintf|vsprintf|gets|atoi|atol|strtok|alloca|cJSON_Compare)[ ]*\(/ { report("a banned function") }
/[^a-z_>.]time\(/ && FILENAME ~ /^src/ { report("time() outside the clock") }
length($0) > 130 { report("a line far over 100 columns") }
END {
	check_length()
	for (folder in units) {
		most = folder == "src/tools" ? 40 : 16
		if (units[folder] > most) { printf "%s: %d units, more than %d\n", folder, units[folder], most; bad++ }
	}
	printf "ceilings: %d findings\n", bad
	exit bad > 0
}'
