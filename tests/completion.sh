#!/bin/sh
# What each shell makes of what the program offers; a shell that is not there is left out, all of
# them are a skip.
set -eu
dir=$(mktemp -d "${TMPDIR:-/tmp}/kota-completion-XXXXXX")
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/bin"
ln -s "$(realpath "$KOTA")" "$dir/bin/kota"
export PATH="$dir/bin:$PATH" HOME="$dir" KOTA_MEMORY_DIR="$dir/store" KOTA_MEMORY_GIT=off
files=$(realpath "$srcdir/data/completion")
kota set "state:editor" vim >"$dir/out"
kota set "state:the font" 12 >"$dir/out"
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

# in_bash WORD...: as bash hands them over, the last one is completed.
in_bash() {
	bash --norc -c '. "$0"; COMP_WORDS=(kota "$@"); COMP_CWORD=$#; COMPREPLY=(); _kota
		printf "%s\n" "${COMPREPLY[@]}"' "$files/bash/kota" "$@"
}

in_zsh() {
	zsh -f -c 'files=$0; words=(kota "$@"); CURRENT=$(($# + 1))
		compadd() { print -rl -- "${(@P)2}" }
		. $files' "$files/zsh/_kota" "$@"
}

in_fish() {
	fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$files/fish/kota.fish" "$1"
}

if command -v bash >/dev/null 2>&1; then
	expect "bash: a command" doctor "$(in_bash doc)"
	expect "bash: a choice" preferences "$(in_bash list pr)"
	expect "bash: a ref" "$(printf 'state:editor\nstate:the\\ font')" "$(in_bash get sta)"
	expect "bash: behind the colon" editor "$(in_bash get state : e)"
	expect "bash: nothing" "" "$(in_bash get zzz)"
fi
if command -v zsh >/dev/null 2>&1; then
	expect "zsh: a command" doctor "$(in_zsh doc)"
	expect "zsh: refs" "$(printf 'state:editor\nstate:the font')" "$(in_zsh get sta)"
	expect "zsh: nothing" "" "$(in_zsh get zzz)"
fi
if command -v fish >/dev/null 2>&1; then
	expect "fish: a command" doctor "$(in_fish "kota doc")"
	expect "fish: a ref" "state:editor" "$(in_fish "kota get state:e")"
fi

echo "$passed passed, $failed failed"
[ "$passed" -gt 0 ] || {
	echo "skipped: no shell is installed (packages bash, zsh, fish)"
	exit 77
}
[ "$failed" -eq 0 ]
