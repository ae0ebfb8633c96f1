#!/bin/sh
# Runs the rows of the torture table and their controls, and prints a line each.
#
#	run.sh [--full] [-jN] [ROW...]
#
# rows lists them: a program, and the faults that make it fail when they are planted. Without --full
# each is cut short, for `make check`. N run at a time; their lines come in the order of the table
# all the same. With TORTURE_SEED all choose the same random numbers again. A run that hangs is ended
# after TORTURE_LIMIT seconds (600, in full form 7,200) and has failed: it says nothing else.
set -u
here=${srcdir:-.}/tests/torture
build=${BUILD:-.}

# One run, for xargs: the line of the list of runs, and where the list and its results are.
if [ "${1:-}" = --run ]; then
	results=$2
	number=$3
	line=$(sed -n "${number}p" "$results/list")
	# A state folder of its own: what a planted fault leaves there is nobody else's.
	export XDG_STATE_HOME="$results/state-$number"
	mkdir -m 700 "$XDG_STATE_HOME"
	begun=$(date +%s)
	# shellcheck disable=SC2086 # words without blanks
	timeout -k 10 "$TORTURE_LIMIT" ${line#* * } >"$results/$number" 2>&1 </dev/null
	status=$?
	took=$(($(date +%s) - begun))
	[ "$status" -ne 124 ] || echo "hung: ended after $TORTURE_LIMIT s" >>"$results/$number"
	echo "$status $took" >"$results/$number.ending"
	mv "$results/$number.ending" "$results/$number.end"
	echo "$number" >"$results/ended"
	exit 0
fi

mode=
only=
jobs=1
for word; do
	case $word in
	--full) mode=--full ;;
	-j*) jobs=${word#-j} ;;
	*) only="$only $word" ;;
	esac
done
if [ -n "$mode" ]; then
	TORTURE_LIMIT=${TORTURE_LIMIT:-7200}
else
	TORTURE_LIMIT=${TORTURE_LIMIT:-600}
fi
export TORTURE_LIMIT
passed=0
failed=0
skipped=0
results=$(mktemp -d) || exit 1
trap 'rm -rf "$results"' EXIT
trap 'exit 130' INT TERM
mkfifo "$results/ended" || exit 1

# What is to be run: the exit status that is wanted, the fault or "-", the program and its words.
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
	echo "0 $row $program $mode"
	for fault in $faults; do
		echo "1 control:$fault $program --plant $fault"
	done
done <"$here/rows" >"$results/list"

# tell NUMBER: one line, and what is behind a surprise.
tell() {
	read -r wanted label rest <<-EOF
		$(sed -n "$1p" "$results/list")
	EOF
	read -r status took <"$results/$1.end"
	case $label in
	control:*) label="  control: ${label#control:}" ;;
	esac
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
	figure=$(tail -n 1 "$results/$1")
	printf '%-6s %-34s %s [%d s]\n' "$verdict" "$label" "$figure" "$took"
	if [ "$verdict" = FAILED ]; then
		printf '       | %s\n' "$rest"
		sed 's/^/       | /' "$results/$1"
	fi
}

count=$(wc -l <"$results/list")
exec 3<>"$results/ended"
{
	seq "$count" | xargs -P "$jobs" -n 1 "$0" --run "$results"
	echo over >"$results/ended"
} &
next=1
while [ "$next" -le "$count" ]; do
	read -r what <&3
	if [ "$what" = over ] && [ ! -e "$results/$next.end" ]; then
		echo "FAILED no run is left, and $((count + 1 - next)) have not ended"
		failed=$((failed + 1))
		break
	fi
	while [ -e "$results/$next.end" ]; do
		tell "$next"
		next=$((next + 1))
	done
done
wait

printf '%d passed, %d failed' "$passed" "$failed"
[ "$skipped" -eq 0 ] || printf ', %d skipped' "$skipped"
printf '\n'
[ "$failed" -eq 0 ]
