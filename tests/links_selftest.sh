#!/bin/sh
# tests/links.sh must be able to fail: small trees made here, each with one fault.
#
#	tests/links_selftest.sh
set -eu
links=$(realpath "${srcdir:-.}/tests/links.sh")
dir=$(mktemp -d "${TMPDIR:-/tmp}/kota-links-XXXXXX")
trap 'rm -rf "$dir"' EXIT
passed=0
failed=0

# A tree without faults.
plant() {
	rm -rf "$dir/tree"
	mkdir -p "$dir/tree/docs/guide" "$dir/tree/src"
	cat >"$dir/tree/README.md" <<'END'
# Top

See [one](docs/guide/one.md), [its end](docs/guide/one.md#the-end-of-it), [here](#top),
[elsewhere](https://example.org/nowhere). `[code](nowhere.md)` is no link.

```
[nor](nowhere.md) is this
```
END
	cat >"$dir/tree/docs/guide/one.md" <<'END'
# One

[Back](../../README.md)

## The `end` of it

See `src/x.c`, `src/*.c` and `src/NAME.c`.
END
	echo '/* see docs/guide/one.md */' >"$dir/tree/src/x.c"
}

# outcome NAME STATUS PATTERN: the tree as it is must end like this; then there is a new one.
outcome() {
	status=0
	sh "$links" "$dir/tree" >"$dir/out" 2>&1 || status=$?
	if [ "$status" -eq "$2" ] && grep -q -e "$3" "$dir/out"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: $1: status $status instead of $2, or nothing like \"$3\" in:"
		cat "$dir/out"
	fi
	plant
}

plant
outcome "a tree without faults" 0 '^4 links, 0 faults$'
echo '[x](docs/guide/two.md)' >>"$dir/tree/README.md"
outcome "a page that does not exist" 1 '^README.md:[0-9]*: nothing is at docs/guide/two.md$'
echo '[x](../../README.md#bottom)' >>"$dir/tree/docs/guide/one.md"
outcome "a heading that does not exist" 1 '^docs/guide/one.md:[0-9]*: no heading is called ../../README.md#bottom$'
echo '# Two' >"$dir/tree/docs/guide/two.md"
outcome "a page that nobody finds" 1 '^docs/guide/two.md: no page links to it$'
echo '/* see docs/ONE.md */' >"$dir/tree/src/y.c"
outcome "a comment that names a page by an old name" 1 '^src/y.c:1: there is no docs/ONE.md$'
echo 'The reader is `src/z.c`.' >>"$dir/tree/docs/guide/one.md"
outcome "a source that is not there" 1 '^docs/guide/one.md:[0-9]*: there is no src/z.c$'
yes word | head -n 900 >>"$dir/tree/README.md"
outcome "a long README" 1 '^README.md: 9[0-9]* words; it may have 900$'
yes word | head -n 800 >>"$dir/tree/docs/guide/one.md"
outcome "a long page of the guide" 1 '^docs/guide/one.md: 8[0-9]* words; it may have 800$'

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
