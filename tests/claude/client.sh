# Sets $claude to the program of Claude Code, at the version that the tests were written with; calls
# `missing WHY` where it cannot be had. It is installed once, with npm, into $TMPDIR/kota-claude.
claude_version=2.1.329
claude_work=${TMPDIR:-/tmp}/kota-claude
claude=$claude_work/node_modules/.bin/claude

command -v npm >/dev/null 2>&1 || missing "npm is not installed (package npm)"
mkdir -p "$claude_work"
# Tests that run at the same time wait for the one that installs it.
exec 9>"$claude_work/lock"
flock 9
if [ "$("$claude" --version 2>/dev/null)" != "$claude_version (Claude Code)" ]; then
	npm install --prefix "$claude_work" --no-audit --no-fund \
		"@anthropic-ai/claude-code@$claude_version" >"$claude_work/npm.log" 2>&1 ||
		missing "npm cannot install the client, see $claude_work/npm.log"
fi
exec 9>&-
