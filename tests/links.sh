#!/bin/sh
# The pages hold together: each relative link of README.md and docs leads to a file that is there, each
# anchor to a heading of it, and each page can be reached from README.md. A page that is named anywhere
# else in the sources exists, and so does a source file that a page names. README.md has at most 900
# words, a page of the guide at most 800.
#
#	tests/links.sh [FOLDER OF THE SOURCES, OR OF INSTALLED PAGES]
set -eu
cd "${1:-${srcdir:-.}}"
work=$(mktemp -d "${TMPDIR:-/tmp}/kota-links-XXXXXX")
trap 'rm -rf "$work"' EXIT
links=0
bad=0

fault() {
	echo "$1"
	bad=$((bad + 1))
}

# The anchors of a page, a line each, as GitHub makes them of headings.
anchors() {
	awk '
	/^```/ { fenced = !fenced }
	!fenced && /^#+ / {
		sub(/^#+ +/, "")
		text = tolower($0)
		gsub(/[][!"#$%&\047()*+,.\/:;<=>?@\\^`{|}~]/, "", text)
		gsub(/ /, "-", text)
		print text (seen[text]++ ? "-" seen[text] - 1 : "")
	}' "$1"
}

# "LINE TARGET" for each link of a page; text in code is none.
targets() {
	awk '
	/^```/ { fenced = !fenced }
	fenced { next }
	{
		gsub(/`[^`]*`/, "code")
		while (match($0, /\]\([^)]*\)/)) {
			print FNR, substr($0, RSTART + 2, RLENGTH - 3)
			$0 = substr($0, RSTART + RLENGTH)
		}
	}' "$1"
}

# check PAGE LINE TARGET
check() {
	file=${3%%#*}
	path=$1
	[ -z "$file" ] || path=$(dirname "$1")/$file
	if [ ! -e "$path" ]; then
		fault "$1:$2: nothing is at $3"
		return
	fi
	[ -d "$path" ] || realpath "$path" >>"$work/reached"
	case $3 in
	*'#'*) anchors "$path" | grep -qxF -e "${3#*#}" || fault "$1:$2: no heading is called $3" ;;
	esac
}

find README.md docs -name '*.md' | LC_ALL=C sort >"$work/pages"
while read -r page; do
	targets "$page" >"$work/targets"
	while read -r line target; do
		case $target in
		*://* | mailto:*) continue ;;
		esac
		links=$((links + 1))
		check "$page" "$line" "$target"
	done <"$work/targets"
done <"$work/pages"

while read -r page; do
	case $page in
	README.md) continue ;;
	esac
	grep -qxF -e "$(realpath "$page")" "$work/reached" || fault "$page: no page links to it"
done <"$work/pages"

# Texts, comments and scripts name pages by their path. Installed pages may name what is not installed.
named() {
	[ -d src ] || return 0
	for part in README.md docs src tests data Makefile.am configure.ac bootstrap .ci; do
		[ ! -e "$part" ] || grep -rnoIE --exclude=links_selftest.sh --exclude='*.log' \
			--exclude='*.trs' --exclude-dir='*.tmp' --exclude-dir=node_modules \
			'(^|[^A-Za-z0-9_./-])docs/[A-Za-z0-9_./-]+\.(md|png|1)' /dev/null "$part" || :
	done
}
named | sed -E 's/^([^:]*:[0-9]*):.*(docs\/)/\1 \2/' | LC_ALL=C sort -u >"$work/named"
while read -r place path; do
	[ -e "$path" ] || fault "$place: there is no $path"
done <"$work/named"

# Pages name sources in code, as `src/x/y.c` or `src/x/y*.c`; capitals stand for any name.
sources() {
	[ -d src ] || return 0
	while read -r page; do
		awk -v page="$page" '
		/^```/ { fenced = !fenced }
		fenced { next }
		{
			while (match($0, /`[^`]*`/)) {
				word = substr($0, RSTART + 1, RLENGTH - 2)
				$0 = substr($0, RSTART + RLENGTH)
				if (word ~ /^(src|tests)\/[a-z0-9_.\/*-]*$/ && word !~ /\/[xy][\/.]/)
					print page ":" FNR, word
			}
		}' "$page"
	done <"$work/pages"
}
sources >"$work/sources"
while read -r place path; do
	# shellcheck disable=SC2086 # a pattern
	ls -d $path >/dev/null 2>&1 || [ -e "$path.c" ] || fault "$place: there is no $path"
done <"$work/sources"

# words PAGE MOST
words() {
	count=$(wc -w <"$1")
	[ "$count" -le "$2" ] || fault "$1: $count words; it may have $2"
}
words README.md 900
for page in docs/guide/*.md; do
	[ ! -e "$page" ] || words "$page" 800
done

echo "$links links, $bad faults"
[ "$links" -gt 0 ] && [ "$bad" -eq 0 ]
