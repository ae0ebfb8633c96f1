#!/bin/sh
# What `make install` puts where, that `make uninstall` leaves nothing behind, not even a folder, and
# that the source archive has all that is in the repository.
set -eu
dir=$(mktemp -d "${TMPDIR:-/tmp}/kota-install-XXXXXX")
trap 'rm -rf "$dir"' EXIT
passed=0
failed=0

# expect WHAT WANTED GOT
expect() {
	if [ "$2" = "$3" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		printf '%s:\n%s\nnot\n%s\n' "$1" "$3" "$2"
	fi
}

# A make of its own, not a part of the one that runs this.
run_make() {
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$BUILD" prefix=/opt/kota "$@" >"$dir/make.log" 2>&1 ||
		{ cat "$dir/make.log" && false; }
}

listing() {
	(cd "$1" && find . | LC_ALL=C sort)
}

empty=$dir/empty
mkdir "$empty"
run_make install DESTDIR="$empty"
share=$empty/opt/kota/share
expect "the program runs" "$("$KOTA" version | head -1)" "$("$empty/opt/kota/bin/kota" version | head -1)"
for file in man/man1/kota.1 bash-completion/completions/kota zsh/site-functions/_kota \
	fish/vendor_completions.d/kota.fish doc/kota-memory/README.md doc/kota-memory/docs/guide/history.md \
	kota-memory/example/preferences.json; do
	expect "there is $file" yes "$([ -s "$share/$file" ] && echo yes || echo no)"
done
expect "the installed pages hold together" "" \
	"$("$srcdir/tests/links.sh" "$share/doc/kota-memory" >"$dir/links" 2>&1 || cat "$dir/links")"
expect "the whole plugin" "$(listing "$srcdir/data/plugin")" "$(listing "$share/kota-memory/plugin")"
expect "anyone may read it" "" "$(find "$empty/opt" ! -perm -444)"
run_make uninstall DESTDIR="$empty"
expect "nothing is left" . "$(listing "$empty")"

# What was there before stays, even an empty folder; a second installation over the first is one.
lived=$dir/lived
mkdir -p "$lived/opt/kota/bin" "$lived/opt/kota/share/man/man1" "$lived/opt/kota/share/zsh"
echo else >"$lived/opt/kota/bin/else"
before=$(listing "$lived")
run_make -j2 install DESTDIR="$lived"
run_make install DESTDIR="$lived"
echo mine >"$lived/opt/kota/share/fish/mine"
run_make uninstall DESTDIR="$lived"
expect "what was put there meanwhile stays" mine "$(cat "$lived/opt/kota/share/fish/mine")"
rm -r "$lived/opt/kota/share/fish"
expect "what was there is left" "$before" "$(listing "$lived")"

# The list of the archive names folders too.
if [ -e "$srcdir/.git" ] && command -v git >/dev/null 2>&1; then
	run_make dist-list
	LC_ALL=C sort -u "$dir/make.log" >"$dir/list"
	(cd "$srcdir" && git ls-files -- . ':!.ci' ':!.gitignore') | while read -r file; do
		path=$file
		until grep -qxF "$path" "$dir/list"; do
			path=$(dirname "$path")
			[ "$path" != . ] || { echo "$file" && break; }
		done
	done >"$dir/missing"
	expect "the archive misses nothing" "" "$(cat "$dir/missing")"
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
