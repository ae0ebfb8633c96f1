#!/bin/sh
# Behaviour as plain files: every recorded session must get the answers that it has.
set -eu
exec "$BUILD/tests/session" "$srcdir"/tests/sessions/*.session
