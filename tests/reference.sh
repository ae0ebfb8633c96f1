#!/bin/sh
# The pages that are generated from the tables must not be stale. Where there is a program that knows
# manual pages it has no complaint about docs/kota.1.
set -eu
stale=0
for page in tools commands doctor; do
	"$KOTA" help --format "$page" | diff -u "$srcdir/docs/reference/$page.md" - || stale=1
done
"$srcdir/docs/errors" | diff -u "$srcdir/docs/reference/errors.md" - || stale=1
"$KOTA" help --format man | diff -u "$srcdir/docs/kota.1" - || stale=1
if [ "$stale" -ne 0 ]; then
	echo "a generated page is stale: run make docs" >&2
	exit 1
fi
if command -v man >/dev/null 2>&1; then
	complaints=$(LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -l "$srcdir/docs/kota.1" 2>&1 >/dev/null)
	if [ -n "$complaints" ]; then
		echo "$complaints"
		exit 1
	fi
fi
