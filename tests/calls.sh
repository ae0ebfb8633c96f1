#!/bin/sh
# A set keeps its price: so many system calls and flushes in a server that stays, with a history and
# without, as tests/bench/calls.sh counts them. What the C library asks of the kernel for itself, such
# as memory, is not counted: it differs from one library and one way to build to the next.
#
#	KOTA=/path/to/kota tests/calls.sh
#
# A set within 10 ms of the one before makes some 12 calls more, see docs/internals/performance.md: the
# bounds have room for these. Skipped without strace. CALLS_OWN, CALLS_OFF and CALLS_FLIGHT set other bounds,
# to see it fail.
set -eu
KOTA=${KOTA:-${BUILD:-.}/kota}
export KOTA
# Nothing can be told of leaks under strace.
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"
counts=$("${srcdir:-.}/tests/bench/calls.sh" 40) || exit $?
echo "$counts"

# check MODE CALLS FSYNCS
check() {
	echo "$counts" | awk -v mode="$1:" -v calls="$2" -v fsyncs="$3" '
		$4 == mode { found = 1; over = $5 > calls || $8 > fsyncs }
		END { exit !found || over }' || {
		echo "history $1: more than $2 system calls or $3 fsyncs"
		exit 1
	}
}

# Many at once share nearly all of it.
echo "$counts" | awk -v calls="${CALLS_FLIGHT:-25}" '
	/ 64 at once/ { found = 1; over = $9 > calls || $12 > 0.35 }
	END { exit !found || over }' || {
	echo "64 at once: more than ${CALLS_FLIGHT:-25} system calls or 0.35 fsyncs a set"
	exit 1
}

check own "${CALLS_OWN:-135}" 4
check off "${CALLS_OFF:-95}" 3
