#!/bin/sh
# The tables of docs/internals/requirements.md: what stands in code in the second column has to stand in a file
# of the third one, and where there is nothing, there is a reason. Behind "reply of TOOL:" it has to be a
# field of a reply of that tool, too, in a session of tests/sessions.
#
#	tests/requirements.sh [PAGE [FOLDER OF THE SOURCES]]
set -eu
page=${1:-${srcdir:-.}/docs/internals/requirements.md}
root=${2:-${srcdir:-.}}
rows=$(mktemp "${TMPDIR:-/tmp}/kota-requirements-XXXXXX")
fields=$(mktemp "${TMPDIR:-/tmp}/kota-requirements-XXXXXX")
trap 'rm -f "$rows" "$fields"' EXIT
count=0
bad=0

fault() {
	echo "$page: $1"
	bad=$((bad + 1))
}

# A line a field of a reply: tool, field.
awk '
match($0, /"id":[^,]*/) { id = FILENAME substr($0, RSTART, RLENGTH) }
/^> / { tool[id] = match($0, /"name":"memory_[a-z_]+"/) ? substr($0, RSTART + 8, RLENGTH - 9) : "" }
/^< / && (at = index($0, "\"structuredContent\":")) {
	rest = substr($0, at + 20)
	while (match(rest, /"[A-Za-z0-9_]+":/)) {
		print tool[id] "\t" substr(rest, RSTART + 1, RLENGTH - 3)
		rest = substr(rest, RSTART + RLENGTH)
	}
}' "$root"/tests/sessions/*.session | sort -u >"$fields"

# A line a name: number, name, files, tool; of a row without a name: number, "-", its reason.
awk -F ' *[|] *' '
/^[|]/ && NF == 6 && $2 != "asked for" && $2 !~ /^-+$/ {
	if ($3 == "\342\200\224") {
		print FNR "\t-\t" $5
		next
	}
	n = 0
	rest = $3
	tool = ""
	if (match(rest, /^reply of memory_[a-z_]+:/)) tool = substr(rest, 10, RLENGTH - 10)
	while (match(rest, /`[^`]+`/)) {
		print FNR "\t" substr(rest, RSTART + 1, RLENGTH - 2) "\t" $4 "\t" tool
		rest = substr(rest, RSTART + RLENGTH)
		n++
	}
	if (!n) print FNR "\t\t"
}' "$page" >"$rows"

tab=$(printf '\t')
while IFS=$tab read -r line name files tool; do
	count=$((count + 1))
	if [ -z "$name" ]; then
		fault "line $line names nothing"
	elif [ "$name" = - ]; then
		[ -n "$files" ] || fault "line $line gives no reason"
	else
		# shellcheck disable=SC2086 # a list of patterns
		(cd "$root" && cat $files 2>/dev/null || true) | grep -q -w -F -e "$name" ||
			fault "line $line: no $name in $files"
		[ -z "$tool" ] || grep -q -x -F -e "$tool$tab$name" "$fields" ||
			fault "line $line: no $name in a reply of $tool"
	fi
done <"$rows"
echo "$count names, $bad of them not where the page says"
[ "$count" -gt 0 ] && [ "$bad" -eq 0 ]
