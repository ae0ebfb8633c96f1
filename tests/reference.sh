#!/bin/sh
# docs/TOOLS.md is generated from the table of operations; it must not be stale.
set -eu
"$KOTA" help --markdown | diff -u "$srcdir/docs/TOOLS.md" - && exit 0
echo "docs/TOOLS.md is stale: run make docs" >&2
exit 1
