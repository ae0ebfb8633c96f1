#!/bin/sh
# Ten questions of the example store in each of twelve languages: nine have the right answer, or an
# honest null. tests/lookup/example_questions.txt has them.
set -eu
dir=$(mktemp -d "${TMPDIR:-/tmp}/kota-example-XXXXXX")
trap 'chmod -R u+w "$dir"; rm -rf "$dir"' EXIT
cp -r "$srcdir/data/example" "$dir/store"
chmod -R u+w,go= "$dir/store"
tab=$(printf '\t')
while IFS=$tab read -r language want question; do
	case $language in '#'* | '') continue ;; esac
	# The first line of a member's own depth: others are in the value.
	if "$KOTA" --json --dir "$dir/store" get -- "$question" >"$dir/reply" 2>/dev/null; then
		answer=$(sed -n 's/^  "category": "\(.*\)",$/\1/p' "$dir/reply"):$(sed -n 's/^  "key": "\(.*\)",$/\1/p' "$dir/reply")
	else
		answer=-
	fi
	right=1
	case $want in
	"$answer" | "$answer?") ;;
	*'?') [ "$answer" = - ] || right=0 ;;
	*) right=0 ;;
	esac
	echo "$language $right"
	[ $right = 1 ] || echo "$language: $question: $answer, not $want" >&2
done <"$srcdir/tests/lookup/example_questions.txt" >"$dir/rights"
awk '
{
	asked[$1]++
	right[$1] += $2
}
END {
	for (language in asked) {
		languages++
		if (asked[language] != 10 || right[language] < 9) {
			print language ": " right[language] " of " asked[language] " right"
			failed = 1
		}
	}
	exit failed || languages != 12
}' "$dir/rights"
