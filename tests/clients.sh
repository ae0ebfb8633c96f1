#!/bin/sh
# What Codex, Gemini CLI and opencode make of what kota setup gives them, each in a home of its own; and
# what one session of Codex is told is found by the next, before an API on this machine that says what
# a model would say. With RECORD=DIR these sessions are written there for tests/sessions.
#
# The clients are large: `make check-clients` installs them with npm, at these versions, into
# $TMPDIR/kota-clients; `make check` uses them where they are, and leaves this out otherwise.
set -eu
codex=@openai/codex@0.169.0
gemini=@google/gemini-cli@0.61.0
opencode=opencode-ai@1.18.33
work=${TMPDIR:-/tmp}/kota-clients
bin=$work/node_modules/.bin
tests=$(realpath "$srcdir/tests")
record=${RECORD:+$(realpath "$RECORD")}
here=$(realpath "$KOTA")
dir=$(mktemp -d "${TMPDIR:-/tmp}/kota-setup-XXXXXX")
trap 'rm -rf "$dir"' EXIT
passed=0
failed=0

skip() {
	echo "clients: skipped: $1"
	exit 77
}

# expect WHAT WANTED GOT
expect() {
	if [ "$2" = "$3" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		printf '%s:\n%s\nnot\n%s\n' "$1" "$3" "$2"
	fi
}

wanted="$codex $gemini $opencode"
if [ "$(cat "$work/installed" 2>/dev/null)" != "$wanted" ]; then
	[ -n "${KOTA_CLIENTS:-}" ] || skip "make check-clients installs them"
	command -v npm >/dev/null 2>&1 || skip "npm is not installed (package npm)"
	mkdir -p "$work"
	# shellcheck disable=SC2086 # words on purpose
	npm install --prefix "$work" --no-audit --no-fund $wanted >"$work/npm.log" 2>&1 ||
		skip "npm cannot install them, see $work/npm.log"
	echo "$wanted" >"$work/installed"
fi

export HOME="$dir/home" KOTA_MEMORY_GIT=off NO_COLOR=1 GEMINI_CLI_TRUST_WORKSPACE=true
unset CODEX_HOME CLAUDE_PROJECT_DIR KOTA_MEMORY_DIR XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME || true
mkdir "$HOME" "$dir/project"
cd "$dir/project"

# asks CLIENT WORD...: what it says, in lines without colours and frames.
asks() {
	client=$1
	shift
	timeout 120 "$bin/$client" "$@" 2>&1 </dev/null | sed 's/\x1b\[[0-9;]*m//g'
}

# says WHAT TEXT COMMAND...: how many lines have it.
says() {
	what=$1
	text=$2
	shift 2
	expect "$what" 1 "$(asks "$@" | grep -cF -- "$text")"
}

for scope in user project; do
	"$KOTA" setup gemini "--$scope" >"$dir/out"
	says "gemini, $scope: connected" "memory: $here serve (stdio) - Connected" gemini mcp list
	"$KOTA" setup gemini "--$scope" --remove >"$dir/out"
done
GEMINI_CLI_TRUST_WORKSPACE=
"$KOTA" setup gemini >"$dir/out"
says "gemini: not in a folder that nobody trusts" "Disabled" gemini mcp list
"$KOTA" setup gemini --remove >"$dir/out"

"$KOTA" setup codex --hooks=prompt >"$dir/out"
says "codex: the program" "command: $here" codex mcp get memory
says "codex: what it is started with" "args: serve" codex mcp get memory
says "codex: it is used" "enabled: true" codex mcp get memory

# In front of the table of the server, the model; nobody is there to be asked about a call.
mkfifo "$dir/api"
node "$tests/clients/responses.mjs" '[
	{"name": "memory_set", "arguments": {"key": "editor", "value": "vim", "category": "preferences"}},
	{"name": "memory_get", "arguments": {"query": "editr"}}]' <"$dir/api" >"$dir/url" &
exec 4>"$dir/api"
while [ ! -s "$dir/url" ]; do sleep 0.1; done
config=$HOME/.codex/config.toml
cp "$config" "$dir/before"
cp "$HOME/.codex/hooks.json" "$dir/hooks"
{
	printf 'model = "none"\nmodel_provider = "here"\n[model_providers.here]\nname = "here"\n'
	printf 'base_url = "%s"\nwire_api = "responses"\n' "$(cat "$dir/url")"
	if [ -z "$record" ]; then
		cat "$dir/before"
	else
		sed "s,^command = .*,command = \"$tests/claude/record.mjs\"," "$dir/before"
		printf '[mcp_servers.memory.env]\nRECORD_KOTA = "%s"\nRECORD_HIDE = "%s"\n' "$here" "$dir"
		printf 'RECORD_FILE = "%s/codex.session"\nKOTA_MEMORY_GIT = "off"\n' "$record"
	fi
} >"$config"
# Nothing is printed of the hook at the end. A person trusts new hooks with /hooks.
sed -i "s,hook session-end\",hook session-end \&\& touch '$dir/ended'\"," "$HOME/.codex/hooks.json"
asks codex exec --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox \
	--dangerously-bypass-hook-trust "I use vim" >"$dir/said"
for part in "memory/memory_get (completed)" "hook: SessionStart Completed" \
	"hook: UserPromptSubmit Completed"; do
	expect "codex: $part" 1 "$(grep -cF -- "$part" "$dir/said")"
done
exec 4>&-
expect "codex: a warning of hooks" "" "$(grep -i 'warning: .*hooks.json' "$dir/said" || :)"
expect "codex: the hook at the end" yes "$([ -e "$dir/ended" ] && echo yes)"
cp "$dir/hooks" "$HOME/.codex/hooks.json"
expect "codex: it is stored" vim "$("$KOTA" get preferences:editor)"
cp "$dir/before" "$config"
"$KOTA" setup codex --remove >"$dir/out"
says "codex: nothing is left" "No MCP servers configured" codex mcp list

"$KOTA" setup opencode >/dev/null
says "opencode: connected" "memory connected" opencode mcp list

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
