#!/bin/sh
# Runs the official MCP clients against a built kota.
#
#	KOTA=/path/to/kota run.sh [WORKDIR]
#
# The packages of package-lock.json are installed into WORKDIR (else $TMPDIR/kota-interop), never
# into the source tree. Leaves with 77, which test harnesses count as skipped, where node or npm is
# missing or the packages cannot be had, unless KOTA_INTEROP_REQUIRED is set: then that is a failure.

set -eu

here=$(cd "$(dirname "$0")" && pwd)
work=${1:-${TMPDIR:-/tmp}/kota-interop}

skip() {
	echo "interop: skipped: $1"
	[ -z "${KOTA_INTEROP_REQUIRED:-}" ] || exit 1
	exit 77
}

kota=$(command -v "${KOTA:-kota}") || {
	echo "interop: no program ${KOTA:-kota}: set KOTA" >&2
	exit 1
}
KOTA=$(cd "$(dirname "$kota")" && pwd)/$(basename "$kota")
export KOTA

command -v node >/dev/null 2>&1 || skip "node is not installed (package nodejs)"
command -v npm >/dev/null 2>&1 || skip "npm is not installed (package npm)"
major=$(node -p 'process.versions.node.split(".")[0]')
[ "$major" -ge 20 ] || skip "node 20 or later is needed, this is $(node --version)"

mkdir -p "$work"
cp "$here/package.json" "$here/package-lock.json" "$here"/*.mjs "$work"
cd "$work"
if ! cmp -s package-lock.json node_modules/.kota-installed; then
	npm ci --ignore-scripts --no-audit --no-fund >npm.log 2>&1 ||
		skip "npm cannot install the packages, see $work/npm.log"
	cp package-lock.json node_modules/.kota-installed
fi
exec timeout 300 node client.mjs
