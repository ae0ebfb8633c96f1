#!/bin/sh
# What Claude Code itself says of the plugin and of what kota setup does, in a home of its own.
#
# Skipped where the client cannot be installed, which is a failure where KOTA_INTEROP_REQUIRED is set.
# What can be said of the plugin without the client is in tests/data/test_plugin.c.
set -eu
plugin=$(realpath "$srcdir/data/plugin")
dir=$(mktemp -d "${TMPDIR:-/tmp}/kota-plugin-XXXXXX")
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/bin" "$dir/home" "$dir/project"
ln -s "$(realpath "$KOTA")" "$dir/bin/kota"
passed=0
failed=0

# expect WHAT WANTED GOT
expect() {
	if [ "$2" = "$3" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		printf '%s: %s, not %s\n' "$1" "$3" "$2"
	fi
}

has() {
	expect "$1" yes "$(grep -qF -- "$2" "$dir/out" && echo yes || { echo no; cat "$dir/out"; })"
}

missing() {
	echo "claude: skipped: $1"
	[ -z "${KOTA_INTEROP_REQUIRED:-}" ] || exit 1
	exit 77
}

. "$srcdir/tests/claude/client.sh"
export HOME="$dir/home" PATH="$dir/bin:$PATH" KOTA_MEMORY_GIT=off
unset CLAUDE_CONFIG_DIR CLAUDE_PROJECT_DIR KOTA_MEMORY_DIR XDG_CONFIG_HOME XDG_DATA_HOME || true
cd "$dir/project"
run() {
	timeout 120 "$claude" "$@" >"$dir/out" 2>&1 </dev/null || echo "status $?" >>"$dir/out"
}

run plugin validate "$plugin"
has "the plugin is valid" "Validation passed"
run plugin marketplace add "$plugin"
run plugin install kota-memory@kota-memory
has "it can be installed" "Successfully installed plugin"
run mcp list
has "its server answers" "plugin:kota-memory:memory: kota serve - ✔ Connected"
run plugin uninstall kota-memory@kota-memory

# setup SCOPE WHAT...: registers, by the client's own program or by editing its file, as PATH says;
# the client then says WHAT of the server, finds no fault with the hook, and knows neither afterwards.
setup() {
	"$KOTA" setup claude "--$1" --hooks >"$dir/out" 2>&1 || echo "status $?" >>"$dir/out"
	has "$1: what is put where" "hook added"
	run mcp list
	has "$1: the server answers" "$2"
	run doctor
	expect "$1: settings as the client wants them" 0 "$(grep -c "Invalid settings" "$dir/out")"
	expect "$1: --check" 0 "$("$KOTA" setup claude "--$1" --hooks --check >/dev/null; echo $?)"
	"$KOTA" setup claude "--$1" --remove >"$dir/out" 2>&1 || echo "status $?" >>"$dir/out"
	has "$1: what is taken away" "server removed"
	run mcp list
	has "$1: nothing is left" "No MCP servers configured"
}

here=$(realpath "$KOTA")
KOTA=$here
for way in file program; do
	[ "$way" = file ] || PATH=$(dirname "$claude"):$PATH
	setup user "memory: $here serve - ✔ Connected"
	setup local "memory: $here serve - ✔ Connected"
	# What comes with a project waits for the person's word.
	setup project "memory: $here serve - ⏸ Pending approval"
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
