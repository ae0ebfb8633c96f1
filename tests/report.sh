#!/bin/sh
# Looks at the page of kota report in headless Chromium: see tests/report/check.mjs.
#
# Leaves with 77, which test harnesses count as skipped, where Chromium, node or npm is missing or the
# packages of tests/report/package-lock.json cannot be had, unless KOTA_INTEROP_REQUIRED is set: then
# that is a failure.
set -eu

skip() {
	echo "report: skipped: $1"
	[ -z "${KOTA_INTEROP_REQUIRED:-}" ] || exit 1
	exit 77
}

. "$srcdir/tests/report/browser.sh"
clocked=$(realpath "$BUILD/tests/clocked")
kota=$(realpath "$KOTA")
dir=$(mktemp -d "${TMPDIR:-/tmp}/kota-report-XXXXXX")
trap 'rm -rf "$dir"' EXIT

# A store that has lived through a year.
mkdir "$dir/year"
"$sources/make_store.sh" "$clocked" "$dir/year"
KOTA_CLOCK=$dir/year/clock "$clocked" --dir "$dir/year/store" report >"$dir/year.html"

# One that nobody means well with, in which one file cannot be read, and every limit is passed.
mkdir "$dir/hostile"
awk 'BEGIN {
	bad = "</td></table></svg><script>alert(1)</script><img src=x onerror=alert(2)>"
	quote = "\\\" onmouseover=\\\"alert(3)\\\" style=\\\"position:fixed"
	long = sprintf("%256s", ""); gsub(/ /, "W", long)
	printf "{\"%s\": {\"value\": \"%s\", \"tags\": [\"%s\", \"%s\"]},\n", bad, bad, bad, long
	printf "\"%s\": \"%s\",\n\"%s\": \"%s%s\",\n", quote, quote, long, long, long
	printf "\"turned\": \"\\u202eabc\\u0000\\u001b[2J\", \"nested\": {\"%s\": [\"%s\"]}", bad, quote
	for (i = 0; i < 300; i++)
		printf ",\n\"k%d\": \"the same words in each of these values, but for %d\"", i, i % 40
	printf "}\n"
}' >"$dir/hostile/state.json"
printf '{"a": 1,\n  "b": }\n' >"$dir/hostile/patterns.json"
"$kota" --dir "$dir/hostile" report >"$dir/hostile.html"

"$kota" --dir "$dir/none" report >"$dir/empty.html"

cd "$work"
timeout 300 node check.mjs "$dir/year.html" "$dir/hostile.html" "$dir/empty.html"
