#!/bin/sh
# Runs the rows of the torture table and their controls, and prints a line each.
#
#	run.sh [--full] [ROW...]
#
# rows lists them: a program, and the faults that make it fail when they are planted. Without --full
# each is cut short, for `make check`. With TORTURE_SEED all choose the same random numbers again.
set -u
here=${srcdir:-.}/tests/torture
build=${BUILD:-.}
mode=
only=
for word; do
	case $word in
	--full) mode=--full ;;
	*) only="$only $word" ;;
	esac
done
passed=0
failed=0
skipped=0

# run LABEL WANTED PROGRAM ARGUMENT...: one line, and what is behind a surprise.
run() {
	label=$1
	wanted=$2
	shift 2
	begun=$(date +%s)
	output=$("$@" 2>&1)
	status=$?
	took=$(($(date +%s) - begun))
	figure=$(printf '%s\n' "$output" | tail -n 1)
	if [ "$status" -eq 77 ]; then
		skipped=$((skipped + 1))
		verdict=skip
	elif [ "$status" -eq "$wanted" ]; then
		passed=$((passed + 1))
		verdict=ok
	else
		failed=$((failed + 1))
		verdict=FAILED
	fi
	printf '%-6s %-34s %s [%d s]\n' "$verdict" "$label" "$figure" "$took"
	if [ "$verdict" = FAILED ]; then
		printf '%s\n' "$output" | sed 's/^/       | /'
	fi
}

while read -r row faults; do
	case $row in
	'' | '#'*) continue ;;
	esac
	case "$only " in
	' ' | *" $row "*) ;;
	*) continue ;;
	esac
	program=$build/tests/torture/$row
	case $row in
	*.sh) program=$here/$row ;;
	esac
	run "$row" 0 "$program" $mode
	for fault in $faults; do
		run "  control: $fault" 1 "$program" --plant "$fault"
	done
done <"$here/rows"

printf '%d passed, %d failed' "$passed" "$failed"
[ "$skipped" -eq 0 ] || printf ', %d skipped' "$skipped"
printf '\n'
[ "$failed" -eq 0 ]
