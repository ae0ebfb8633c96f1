#!/bin/sh
# What git shows after a change: in a file of ninety entries that a person formatted in five ways,
# the entry that was set and nothing else; and reading leaves the tree clean.
set -eu
command -v git >/dev/null 2>&1 || {
	echo "skipped: git is not installed (package git)"
	exit 77
}
dir=$(mktemp -d "${TMPDIR:-/tmp}/kota-diff-XXXXXX")
trap 'rm -rf "$dir"' EXIT
HOME=$dir
export HOME
passed=0
failed=0

check() {
	if [ "$2" = "$3" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		printf '%s:\n%s\nnot:\n%s\n' "$1" "$3" "$2"
	fi
}

"$KOTA" --dir "$dir/store" init >/dev/null
cd "$dir/store"
awk 'BEGIN {
	print "{"
	for (i = 1; i <= 90; i++) {
		end = i < 90 ? "," : ""
		if (i % 5 == 0) printf "  \"entry %d\": \"bare %d\"%s\n", i, i, end
		if (i % 5 == 1) printf "    \"entry %d\" : { \"value\":%d.0,  \"mine\": [1,2 , 3] }%s\n", i, i, end
		if (i % 5 == 2) printf "\t\"entry %d\":\n\t{\n\t\t\"value\": {\"a\": 1e400}\n\t}%s\n", i, end
		if (i % 5 == 3) printf "  \"entry %d\": {\"value\": \"\\u00e9\", \"tags\": []}%s\n\n", i, end
		if (i % 5 == 4) printf "  \"entry %d\": [%d,\n    9007199254740993]%s\n", i, i, end
	}
	print "}"
}' >state.json
git init -q .
git add -A
git -c user.name=p -c user.email=p@example.org commit -qm before

for query in 'entry 7' 'bare 45' 'nothing like it'; do
	"$KOTA" --dir . get "$query" >/dev/null || :
done
check "after reading" "" "$(git status --porcelain)"

"$KOTA" --dir . set 'entry 43' '"changed"' --category state
check "files that a set changes: the entry's, and the old value kept beside it" \
	" M state.json
?? archive.cold/" "$(git status --porcelain)"
check "lines of the old value" 1 "$(cat archive.cold/*.jsonl | wc -l)"
check "hunks" 1 "$(git diff -U0 state.json | grep -c '^@@')"
check "lines that go" '-  "entry 43": {"value": "\u00e9", "tags": []},' \
	"$(git diff -U0 state.json | grep '^-[^-]')"
check "lines that come" '+  "entry 43": {"value": "changed", "tags": [], TIMES},' \
	"$(git diff -U0 state.json | grep '^+[^+]' | sed 's/"created_at".*"last_updated": "[^"]*"/TIMES/')"

git -c user.name=p -c user.email=p@example.org commit -qam set
"$KOTA" --dir . set 'one more' 1 --category state
check "lines that go for a new entry" '-  "entry 90": "bare 90"' \
	"$(git diff -U0 state.json | grep '^-[^-]')"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
