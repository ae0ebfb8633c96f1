#!/bin/sh
# Measures the built program: make bench.
#
#	KOTA=/path/to/kota BENCH=/path/to/bench ECHO=/path/to/echo \
#		NOTHING=/path/to/nothing tests/bench/run.sh [WORKDIR]
#
# Stores are made in WORKDIR (default: bench-work in the current folder), so that it is the disk of
# the build that is measured. Where node and npm are there, the server of package-lock.json is
# installed into it to compare with; where they are not, these lines of the table say "skipped".
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=${1:-bench-work}
mkdir -p "$work/tmp"
work=$(cd "$work" && pwd)
status=0

install_reference() {
	mkdir -p "$work/reference"
	cp "$here/package.json" "$here/package-lock.json" "$work/reference"
	cd "$work/reference"
	cmp -s package-lock.json node_modules/.installed && return
	npm ci --ignore-scripts --no-audit --no-fund >npm.log 2>&1 || return 1
	cp package-lock.json node_modules/.installed
}

set --
if command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1; then
	if (install_reference); then
		set -- node "$work/reference/node_modules/@modelcontextprotocol/server-memory/dist/index.js"
		echo "reference: $(sed -n 's/.*"\(@.*\)": "\(.*\)".*/\1 \2/p' "$here/package.json"), node $(node --version)"
	else
		echo "bench: npm cannot install the reference, see $work/reference/npm.log" >&2
		status=1
	fi
fi
TMPDIR=$work/tmp "$BENCH" "$KOTA" "$ECHO" "$NOTHING" "$@" || status=1
exit $status
