#!/bin/sh
# Replays a folder of golden cases, where there is one: make check-golden GOLDEN=DIR.
set -eu
if ! [ -d "$GOLDEN" ]; then
	echo "no folder $GOLDEN: skipped"
	exit 77
fi
exec "$BUILD/tests/golden" "$GOLDEN"
