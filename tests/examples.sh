#!/bin/sh
# Runs the examples of the documentation and compares what they print with what the pages show.
#
#	tests/examples.sh [PAGE...]		default: README.md and all pages of docs
#
# An example is a command in a block that is fenced as ```console: a line that begins with "$ " is a
# command (going on in the next line after a backslash), the lines up to the next one are what it
# prints. The commands of a page run in order in one shell and one fresh directory, ~/project of a
# home that is as fresh, shown as /home/you. Times, confidences and git's hashes may differ. A change
# (eight digits) that an earlier example of the page prints may be used in a command: what stands in
# its place in this run is what the command gets. The history is as it is by default.
# A block right after a line <!-- skip: reason --> is not run, and that is said.
# A line <!-- clock: TIME --> sets the clock, in ISO 8601; from there on each command is a second
# later than the one before. A page with such a line is run with a program that goes by it.
#
# A line <!-- needs: PROGRAM --> says what else the page runs; without that the page is skipped, and
# that is said.
#
# KOTA is the program to test, srcdir the folder of the sources.
set -eu
kota=${KOTA:-./kota}
[ -x "$kota" ] || { echo "no program $kota"; exit 1; }
kota=$(cd "$(dirname "$kota")" && pwd)/$(basename "$kota")
[ $# -gt 0 ] || set -- "${srcdir:-.}/README.md" "${srcdir:-.}"/docs/*.md "${srcdir:-.}"/docs/*/*.md

dir=$(mktemp -d "${TMPDIR:-/tmp}/kota-examples-XXXXXX")
dir=$(cd "$dir" && pwd -P)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/bin"
ln -s "$kota" "$dir/bin/kota"
mkdir "$dir/clocked"
ln -s "$(cd "${BUILD:-.}" && pwd)/tests/clocked" "$dir/clocked/kota"
passed=0
failed=0
skipped=0

# take_apart PAGE: the page's examples become $dir/ex/N.want and N.line, all commands one script.
# Skipped blocks are listed in `skips`, blocks that are no examples in `faults`.
take_apart() {
	awk -v page="$1" -v out="$dir/ex/" -v h="[0-9a-f]" '
	function fault(text) { printf "%s:%d: %s\n", page, FNR, text >(out "faults") }
	# A change that was printed before has another name in this run.
	function named(text,    done, word) {
		done = ""
		while (match(text, /[^ ]+/)) {
			word = substr(text, RSTART, RLENGTH)
			if (word ~ ("^" h h h h h h h h "$") && word ~ /[0-9]/)
				word = "$(id_of " word ")"
			done = done substr(text, 1, RSTART - 1) word
			text = substr(text, RSTART + RLENGTH)
		}
		return done text
	}
	function finish() {
		if (n && running) printf "} >\"$OUT/%d.got\" 2>&1 </dev/null\n", n >(out "script")
		running = 0
	}
	function begin() {
		finish()
		n++
		running = commands = 1
		print FNR >(out n ".line")
		printf "" >(out n ".want")
		print "{" >(out "script")
	}
	!in_block && /^<!-- clock: [^ ]+ -->$/ {
		finish()
		print "echo " $3 " >\"$KOTA_CLOCK\"" >(out "script")
		print $3 >(out "clock")
	}
	/^```/ && in_block {
		if (on && !commands) fault("a console block without a command")
		finish()
		in_block = on = 0
		next
	}
	/^```/ {
		in_block = 1
		commands = continued = 0
		on = ($0 == "```console")
		if (on && before ~ /^<!-- skip: .* -->$/) {
			reason = substr(before, 12, length(before) - 15)
			printf "%s:%d: skipped: %s\n", page, FNR, reason >(out "skips")
			on = 0
		}
		next
	}
	on && continued { print >(out "script"); continued = /\\$/; next }
	on && /^\$ / { begin(); print named(substr($0, 3)) >(out "script"); continued = /\\$/; next }
	on && !commands { fault("output before the first command"); commands = 1; next }
	on && running { print >(out n ".want") }
	{ before = $0 }
	END { if (in_block) { fault("the last block has no end"); finish() } }' "$1"
}

# prelude: what the script of a page begins with.
prelude() {
	cat <<'END'
id_of() {
	awk -v id="$1" -v h="[0-9a-f]" -v out="$OUT/" '
	function ids(file, into,    line, word, n, i, count) {
		count = 0
		while ((getline line <file) > 0) {
			n = split(line, word, " ")
			for (i = 1; i <= n; i++)
				if (word[i] ~ ("^" h h h h h h h h "$"))
					into[++count] = word[i]
		}
		return count
	}
	BEGIN {
		for (n = 1; (getline line <(out n ".line")) > 0; n++) {
			wanted = ids(out n ".want", want)
			if (ids(out n ".got", got) == wanted)
				for (i = 1; i <= wanted; i++)
					if (want[i] == id) {
						print got[i]
						exit
					}
		}
		print id
	}'
}
END
}

# run_page: runs the script in a fresh home; what each example prints goes to $dir/ex/N.got.
run_page() {
	bin=$dir/bin
	[ ! -e "$dir/ex/clock" ] || bin=$dir/clocked
	rm -rf "${dir:?}/home"
	mkdir -p "$dir/home/project"
	(
		cd "$dir/home/project" &&
			env -i PATH="$bin:$PATH" HOME="$dir/home" OUT="$dir/ex" \
				KOTA_CLOCK="$dir/clock" TZ=UTC NO_COLOR=1 \
				TERM=dumb LC_ALL=C.UTF-8 \
				XDG_DATA_HOME="$dir/home/.local/share" \
				XDG_CONFIG_HOME="$dir/home/.config" \
				XDG_STATE_HOME="$dir/home/.local/state" \
				XDG_CACHE_HOME="$dir/home/.cache" \
				GIT_CONFIG_NOSYSTEM=1 GIT_PAGER=cat \
				GIT_AUTHOR_NAME=you GIT_AUTHOR_EMAIL=you@example.org \
				GIT_COMMITTER_NAME=you GIT_COMMITTER_EMAIL=you@example.org \
				sh -c '. "$OUT/prelude"; . "$OUT/script"'
	) >"$dir/ex/shell" 2>&1 || true
	[ ! -s "$dir/ex/shell" ] || cat "$dir/ex/shell"
}

# mask FILE: prints the file with TIME, CONFIDENCE, HASH for what no two runs have in common.
mask() {
	awk -v home="$dir/home" '
	BEGIN {
		d = "[0-9]"
		time = d d d d "-" d d "-" d d "[T ]" d d ":" d d "(:" d d "([.]" d "+)?)?" \
			"(Z|[+-]" d d ":?" d d ")?"
		hash = "[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]+"
	}
	{
		while ((at = index($0, home)) > 0)
			$0 = substr($0, 1, at - 1) "/home/you" substr($0, at + length(home))
		gsub(time, "TIME")
		gsub("^index " hash "[.][.]" hash, "index HASH..HASH")
		gsub("^(commit |from |to   )?" hash " ", "HASH ")
		while (match($0, /"?confidence"?[: ]+[01]([.][0-9]+)?/)) {
			text = substr($0, RSTART, RLENGTH)
			sub(/[01]([.][0-9]+)?$/, "CONFIDENCE", text)
			$0 = substr($0, 1, RSTART - 1) text substr($0, RSTART + RLENGTH)
		}
		print
	}' "$1"
}

# check PAGE N: compares one example with its page.
check() {
	line=$(cat "$dir/ex/$2.line")
	[ -e "$dir/ex/$2.got" ] || echo "(the command was never run)" >"$dir/ex/$2.got"
	mask "$dir/ex/$2.want" >"$dir/ex/want"
	mask "$dir/ex/$2.got" >"$dir/ex/got"
	if diff -u -L "$1:$line: the page" -L "$1:$line: the program" "$dir/ex/want" "$dir/ex/got"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
	fi
}

for page in "$@"; do
	[ -e "$page" ] || { echo "$page: not there"; failed=$((failed + 1)); continue; }
	needed=$(sed -n 's/^<!-- needs: \([a-z]*\) -->$/\1/p' "$page")
	if [ -n "$needed" ] && ! command -v "$needed" >/dev/null 2>&1; then
		echo "$page: skipped: $needed is not installed"
		skipped=$((skipped + 1))
		continue
	fi
	rm -rf "$dir/ex"
	mkdir "$dir/ex"
	touch "$dir/ex/skips" "$dir/ex/faults" "$dir/ex/script"
	prelude >"$dir/ex/prelude"
	take_apart "$page"
	cat "$dir/ex/skips" "$dir/ex/faults"
	skipped=$((skipped + $(wc -l <"$dir/ex/skips")))
	failed=$((failed + $(wc -l <"$dir/ex/faults")))
	[ -e "$dir/ex/1.line" ] || continue
	run_page
	n=1
	while [ -e "$dir/ex/$n.line" ]; do
		check "$page" "$n"
		n=$((n + 1))
	done
done

if [ $((passed + failed + skipped)) -eq 0 ]; then
	echo "no examples found"
	failed=1
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
