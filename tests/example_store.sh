#!/bin/sh
# The example store that is handed out is one that nothing has to be done to.
set -eu
dir=$(mktemp -d "${TMPDIR:-/tmp}/kota-example-XXXXXX")
trap 'chmod -R u+w "$dir"; rm -rf "$dir"' EXIT
cp -r "$srcdir/data/example" "$dir/store"
chmod -R u+w,go= "$dir/store"
[ "$("$KOTA" --dir "$dir/store" get 'work contxt')" = 'Refactoring the sync engine' ]
[ "$("$KOTA" --dir "$dir/store" list | wc -l)" -eq 7 ]
"$KOTA" --dir "$dir/store" doctor
for file in "$srcdir"/data/example/*.json; do
	cmp "$file" "$dir/store/${file##*/}"
done
