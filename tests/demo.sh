#!/bin/sh
# Shows the main job in ./data/kota_memory: an agent stores a memory through the MCP server, and
# another session, asking with a typo, gets it back.
#
#	tests/demo.sh KOTA
set -eu
kota=$1

say() { printf '\n%s\n' "$*"; }
# call TOOL ARGUMENTS: one session of a client that only knows the handshake; prints the reply.
call() {
	printf '%s\n' \
		'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"demo","version":"1"}}}' \
		'{"jsonrpc":"2.0","method":"notifications/initialized"}' \
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"$1\",\"arguments\":$2}}" |
		"$kota" serve | sed -n 's/.*"structuredContent":\(.*\),"isError".*/\1/p'
}

"$kota" init >/dev/null
say "An agent is told a preference and stores it over MCP (memory_set):"
call memory_set '{"key":"editor_preference","value":{"editor":"vim","tabs":8}}'
say "Another session asks for it, with a typo (memory_get \"editor preferense\"):"
call memory_get '{"query":"editor preferense"}'
say "The same from the shell (kota get editor):"
"$kota" get editor
say "And the file, open to any editor (data/kota_memory/preferences.json):"
cat data/kota_memory/preferences.json
