#!/bin/sh
# Nothing ordinary is refused as a secret: this project's own tree, 500,000 lines of /usr/share/doc,
# checksums, UUIDs, base64 and differences of files. 600,000 lines in all; where the machine has less
# documentation, more lines are made.
#
#	tests/ordinary.sh
#
# A signed token that a manual prints is no mistake: it is shown, and taken apart once more here. Keys
# that come with examples (*.pem) are left out: they are secrets by form. For other documentation set
# ORDINARY_DOCS to its folder.
set -eu
here=${srcdir:-.}
build=${BUILD:-.}
docs=${ORDINARY_DOCS:-/usr/share/doc}
docs_lines=500000
all_lines=600000
dir=$(mktemp -d "${TMPDIR:-/tmp}/kota-ordinary-XXXXXX")
trap 'rm -rf "$dir"' EXIT
mistakes=0
total=0

# Is the refused text a signed token: does its first part say "alg"?
is_signed_token() {
	case $1 in
	'refused (JSON web token): '*) ;;
	*) return 1 ;;
	esac
	head=$(printf '%s\n' "$1" | grep -o 'ey[A-Za-z0-9_-]*\.ey[A-Za-z0-9_-]*\.' | head -n 1)
	head=$(printf '%s' "${head%%.*}" | tr '_-' '/+')
	while [ $((${#head} % 4)) -ne 0 ]; do
		head="$head="
	done
	printf '%s' "$head" | base64 -d 2>/dev/null | grep -q '"alg"'
}

# Looks through $dir/text; $1 says what it is, $2 whether tokens may be in it.
look_through() {
	"$build/tests/ordinary" <"$dir/text" >"$dir/said" || true
	count=$(sed -n '$s/ lines,.*//p' "$dir/said")
	total=$((total + count))
	echo "$1: $(tail -n 1 "$dir/said")"
	grep -a '^refused (' "$dir/said" >"$dir/refused" || true
	while IFS= read -r line; do
		if [ "$2" = tokens ] && is_signed_token "$line"; then
			echo "a token, in a manual: $line" | cut -c 1-100
		else
			mistakes=$((mistakes + 1))
			[ "$mistakes" -gt 20 ] || echo "a mistake: $line"
		fi
	done <"$dir/refused"
}

# An archive has no git: there, what has text is the tree.
if [ -n "$(git -C "$here" ls-files tests/ordinary.sh 2>/dev/null)" ]; then
	git -C "$here" ls-files -z | (cd "$here" && xargs -0 cat) >"$dir/text"
	look_through "the project's own tree" none
	git -C "$here" log -p -30 -- src docs >"$dir/text"
	look_through "its last 30 changes" none
else
	(cd "$here" && find src tests docs data -type f ! -name '*.o' -exec grep -Il . {} + | xargs cat) \
		>"$dir/text"
	look_through "the project's own tree" none
fi
if [ -d "$docs" ]; then
	{
		find "$docs" -type f ! -name '*.gz' ! -name '*.pem' -print0 | sort -z | xargs -0 cat
		find "$docs" -type f -name '*.gz' -print0 | sort -z | xargs -0 zcat -f
	} 2>/dev/null | head -n "$docs_lines" >"$dir/text"
	look_through "$docs" tokens
else
	echo "skipped: there is no $docs"
fi
more=$((all_lines - total))
[ "$more" -ge 100000 ] || more=100000
"$build/tests/ordinary" --numbers "$more" "${ORDINARY_SEED:-1}" >"$dir/text"
look_through "checksums, UUIDs, base64" none
echo "ordinary: $total lines, $mistakes refused by mistake"
[ "$mistakes" -eq 0 ] && [ "$total" -ge "$all_lines" ]
