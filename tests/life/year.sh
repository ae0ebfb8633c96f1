#!/bin/sh
# A year with a clinic, a bakery, a bee count and a household: what was told comes back, what changed
# answers for what it replaced, what happened fades, a session begins with what matters, and a prompt
# brings a memory only where one concerns it. tests/life/year.py plays it and names the bars.
#
#	tests/life/year.sh [--figures]
set -eu
command -v python3 >/dev/null 2>&1 || {
	echo "skipped: python3 is not installed (package python3)"
	exit 77
}
dir=$(mktemp -d "${TMPDIR:-/tmp}/kota-year-XXXXXX")
trap 'chmod -R u+w "$dir"; rm -rf "$dir"' EXIT
HOME=$dir
export HOME
unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME
KOTA_MEMORY_GIT=off
export KOTA_MEMORY_GIT
python3 "${srcdir:-.}/tests/life/year.py" "$(cd "$BUILD" && pwd)/tests/clocked" "${srcdir:-.}/tests/life" "$dir" "$@"
