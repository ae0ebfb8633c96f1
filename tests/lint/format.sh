#!/bin/sh
# Is every source formatted as .clang-format says? For clang-format 14: other versions differ in places.
# Checked since all was formatted once, which .git-blame-ignore-revs names.
#
#	tests/lint/format.sh [--fix]
#
# --fix formats what is not, whether it is checked or not.
set -eu
cd "${srcdir:-.}"
format=$(command -v clang-format-14 || command -v clang-format) || {
	echo "format: skipped, clang-format is not installed (package clang-format-14)"
	exit 0
}
case $("$format" --version) in
*"version 14."*) ;;
*)
	echo "format: skipped, $format is not version 14 (package clang-format-14)"
	exit 0
	;;
esac

# What is made from the lists in data is formatted by nobody.
sources() {
	find src tests -name '*.[ch]' ! -name '*_data.c' -print0
}

if [ "${1:-}" = --fix ]; then
	sources | xargs -0 -P 2 -n 40 "$format" -i
elif grep -Eqs '^[0-9a-f]{40}$' .git-blame-ignore-revs; then
	sources | xargs -0 -P 2 -n 40 "$format" --dry-run --Werror
fi
echo "format: done"
