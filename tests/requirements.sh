#!/bin/sh
# The tables of docs/internals/requirements.md: what stands in code in the second column has to stand in a file
# of the third one, and where there is nothing, there is a reason.
#
#	tests/requirements.sh [PAGE [FOLDER OF THE SOURCES]]
set -eu
page=${1:-${srcdir:-.}/docs/internals/requirements.md}
root=${2:-${srcdir:-.}}
rows=$(mktemp "${TMPDIR:-/tmp}/kota-requirements-XXXXXX")
trap 'rm -f "$rows"' EXIT
count=0
bad=0

fault() {
	echo "$page: $1"
	bad=$((bad + 1))
}

# A line a name: number, name, files; of a row without a name: number, "-", its reason.
awk -F ' *[|] *' '
/^[|]/ && NF == 6 && $2 != "asked for" && $2 !~ /^-+$/ {
	if ($3 == "\342\200\224") {
		print FNR "\t-\t" $5
		next
	}
	n = 0
	rest = $3
	while (match(rest, /`[^`]+`/)) {
		print FNR "\t" substr(rest, RSTART + 1, RLENGTH - 2) "\t" $4
		rest = substr(rest, RSTART + RLENGTH)
		n++
	}
	if (!n) print FNR "\t\t"
}' "$page" >"$rows"

tab=$(printf '\t')
while IFS=$tab read -r line name files; do
	count=$((count + 1))
	if [ -z "$name" ]; then
		fault "line $line names nothing"
	elif [ "$name" = - ]; then
		[ -n "$files" ] || fault "line $line gives no reason"
	else
		# shellcheck disable=SC2086 # a list of patterns
		(cd "$root" && cat $files 2>/dev/null || true) | grep -q -w -F -e "$name" ||
			fault "line $line: no $name in $files"
	fi
done <"$rows"
echo "$count names, $bad of them not where the page says"
[ "$count" -gt 0 ] && [ "$bad" -eq 0 ]
