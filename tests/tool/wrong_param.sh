#!/bin/sh
# A row of parameters whose declared type and C member disagree must not compile, and no row may be
# written without PARAM(), which checks that.
#
#	tests/tool/wrong_param.sh [SOURCE_DIR]
set -eu
cd "${1:-${srcdir:-.}}"
compiler=${COMPILER:-${CC:-cc}}
include=$PWD/src

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# compiles KIND MEMBER: a table with one row, PARAM(KIND, row_args, MEMBER)
compiles()
{
	cat >"$scratch/row.c" <<-EOF
		#include "tool/tool.h"
		struct row_args {
			struct slice text;
			struct arg_texts texts;
			int chosen;
			int64_t whole;
			int16_t half;
			struct arg_json json;
		};
		const struct param params[] = {{PARAM($1, row_args, $2), .help = "a row"}};
	EOF
	$compiler -std=c11 -D_GNU_SOURCE -I"$include" -c -o "$scratch/row.o" "$scratch/row.c" \
		>"$scratch/said" 2>&1
}

printf 'int nothing;\n' >"$scratch/nothing.c"
if ! $compiler -std=c11 -c -o "$scratch/nothing.o" "$scratch/nothing.c" 2>/dev/null; then
	echo "skipped: $compiler is not installed (package gcc or clang)"
	exit 77
fi

bad=0
for kind in TEXT:text TEXTS:texts CHOICE:chosen BOOL:chosen INT:whole NUMBER:json OBJECT:json \
	JSON:json; do
	for member in text texts chosen whole half json; do
		if compiles "${kind%:*}" "$member"; then
			[ "$member" = "${kind#*:}" ] && continue
			echo "compiles, and must not: PARAM(${kind%:*}, row_args, $member)"
			bad=1
		elif [ "$member" = "${kind#*:}" ]; then
			echo "does not compile: PARAM(${kind%:*}, row_args, $member)"
			cat "$scratch/said"
			bad=1
		elif ! grep -q 'the type of the parameter does not fit its member' "$scratch/said"; then
			echo "does not compile for another reason: PARAM(${kind%:*}, row_args, $member)"
			cat "$scratch/said"
			bad=1
		fi
	done
done

if grep -rnE '\.offset = offsetof|\.type = PARAM_' src --include='*.[ch]' | grep -v '^src/tool/tool\.h:'; then
	echo "rows of parameters without PARAM()"
	bad=1
fi
[ "$bad" -eq 0 ] && echo "rows of parameters: types and members agree"
exit "$bad"
