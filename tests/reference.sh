#!/bin/sh
# docs/TOOLS.md, docs/DOCTOR.md and docs/kota.1 are made from the tables; they must not be stale. Where there is a
# program that knows manual pages it has no complaint about this one.
set -eu
stale=0
"$KOTA" help --format markdown | diff -u "$srcdir/docs/TOOLS.md" - || stale=1
"$KOTA" help --format doctor | diff -u "$srcdir/docs/DOCTOR.md" - || stale=1
"$KOTA" help --format man | diff -u "$srcdir/docs/kota.1" - || stale=1
if [ "$stale" -ne 0 ]; then
	echo "docs/TOOLS.md, docs/DOCTOR.md or docs/kota.1 is stale: run make docs" >&2
	exit 1
fi
if command -v man >/dev/null 2>&1; then
	complaints=$(LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -l "$srcdir/docs/kota.1" 2>&1 >/dev/null)
	if [ -n "$complaints" ]; then
		echo "$complaints"
		exit 1
	fi
fi
