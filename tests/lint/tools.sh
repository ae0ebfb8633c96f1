#!/bin/sh
# clang-tidy and cppcheck over the sources, where they are installed; any finding fails.
#
#	tests/lint/tools.sh [COMPILER_FLAGS]
set -eu
status=0

if command -v clang-tidy >/dev/null 2>&1; then
	find src -name '*.c' | sort |
		xargs -P 2 -n 1 sh -c 'tidy_flags=$0; clang-tidy --quiet "$@" -- -std=c11 $tidy_flags 2>/dev/null' "$*" || status=1
	echo "clang-tidy: done"
else
	echo "clang-tidy: skipped, not installed (package clang-tidy)"
fi

if command -v cppcheck >/dev/null 2>&1; then
	cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
		--suppress=missingInclude --suppress=unknownMacro --error-exitcode=1 \
		-D_GNU_SOURCE -Isrc src || status=1
	echo "cppcheck: done"
else
	echo "cppcheck: skipped, not installed (package cppcheck)"
fi
exit $status
