#!/bin/sh
# tests/examples.sh must be able to fail: pages made here, with a stand-in for the program.
#
#	tests/examples_selftest.sh
set -eu
examples=${srcdir:-.}/tests/examples.sh
dir=$(mktemp -d "${TMPDIR:-/tmp}/kota-examples-XXXXXX")
trap 'rm -rf "$dir"' EXIT
passed=0
failed=0

cat >"$dir/kota" <<'END'
#!/bin/sh
echo "kota $*"
END
chmod +x "$dir/kota"

# outcome NAME STATUS PATTERN: standard input is a page; running it must end like this.
outcome() {
	cat >"$dir/page.md"
	status=0
	KOTA="$dir/kota" sh "$examples" "$dir/page.md" >"$dir/out" 2>&1 || status=$?
	if [ "$status" -eq "$2" ] && grep -q -e "$3" "$dir/out"; then
		passed=$((passed + 1))
		return
	fi
	failed=$((failed + 1))
	echo "FAILED: $1: status $status instead of $2, or nothing like \"$3\" in:"
	cat "$dir/out"
}

outcome "a right page" 0 '^7 passed, 0 failed, 0 skipped$' <<'END'
Text, and what is no example:

```sh
$ false
```

```console
$ kota get editor
kota get editor
$ cd .. && pwd
/home/you
$ pwd; echo oops >&2
/home/you
oops
$ echo one \
  two
one two
$ echo '{"at":"2026-11-21T09:30:00.123+01:00","confidence":0.9}'
{"at":"2020-01-01T00:00:00.000+00:00","confidence":1}
```

```console
$ true
$ echo "$TZ $NO_COLOR ${KOTA_MEMORY_DIR-unset}"
UTC 1 unset
```
END

outcome "wrong output" 1 '^+kota get editor$' <<'END'
```console
$ kota get editor
kota get vim
```
END

outcome "the line of a wrong output" 1 'page.md:4: the page' <<'END'
```console
$ echo a
a
$ echo b
c
```
END

outcome "output that the page leaves out" 1 '^0 passed, 1 failed' <<'END'
```console
$ kota get editor
```
END

outcome "output that does not come" 1 '^-more$' <<'END'
```console
$ true
more
```
END

outcome "another value beside a masked time" 1 '^0 passed, 1 failed' <<'END'
```console
$ echo '{"at":"2026-11-21T09:30:00.123+01:00","hits":1}'
{"at":"2026-11-21T09:30:00.123+01:00","hits":2}
```
END

outcome "a shell that ends early" 1 'never run' <<'END'
```console
$ exit 0
$ echo a
a
```
END

outcome "a change that was printed before" 0 '^2 passed' <<'END'
```console
$ printf '%s then\n' $(printf %08x $$ | sed 's/^0/1/')
1a2b3c4d then
$ [ 1a2b3c4d = $(printf %08x $$ | sed 's/^0/1/') ] && echo the same
the same
```
END

outcome "a program that is not there" 0 '^0 passed, 0 failed, 1 skipped$' <<'END'
<!-- needs: nosuchprogram -->
```console
$ nosuchprogram
```
END

outcome "a skipped block" 0 'skipped: needs a network$' <<'END'
<!-- skip: needs a network -->
```console
$ false
never
```
```console
$ echo a
a
```
END

outcome "a block without a command" 1 'without a command' <<'END'
```console
```
END

outcome "output before a command" 1 'before the first command' <<'END'
```console
hello
$ true
```
END

outcome "a block without an end" 1 'has no end' <<'END'
```console
$ true
END

outcome "a page without examples" 1 'no examples found' <<'END'
Text.
END

if [ -x "${BUILD:-.}/tests/clocked" ]; then
	outcome "a clock" 0 '^3 passed, 0 failed, 0 skipped$' <<'END'
<!-- clock: 2026-01-05T09:00:00Z -->
```console
$ kota set a 1
set state:a
$ kota stats | grep oldest
oldest       state:a · made just now
```

<!-- clock: 2026-01-15T09:00:00Z -->
```console
$ kota stats | grep oldest
oldest       state:a · made 10 days ago
```
END
	outcome "a clock without a time" 1 'the file does not hold a time' <<'END'
<!-- clock: tomorrow -->
```console
$ kota list
```
END
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
