# To be sourced: Chromium as $CHROMIUM, and the packages of package-lock.json with the scripts of this
# folder in $work, never in the source tree; $sources is this folder. Calls skip with a reason where
# something is missing.
CHROMIUM=$(command -v chromium || command -v chromium-browser) || skip "chromium is not installed (package chromium)"
command -v node >/dev/null 2>&1 || skip "node is not installed (package nodejs)"
command -v npm >/dev/null 2>&1 || skip "npm is not installed (package npm)"
[ "$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ] || skip "node 20 or later is needed"
export CHROMIUM

sources=$(realpath "$srcdir/tests/report")
work=${TMPDIR:-/tmp}/kota-report-npm
mkdir -p "$work"
cp -f "$sources"/package*.json "$sources"/*.mjs "$work"
if ! cmp -s "$work/package-lock.json" "$work/node_modules/.kota-installed"; then
	(cd "$work" && npm ci --ignore-scripts --no-audit --no-fund >npm.log 2>&1) ||
		skip "npm cannot install the packages, see $work/npm.log"
	cp "$work/package-lock.json" "$work/node_modules/.kota-installed"
fi
