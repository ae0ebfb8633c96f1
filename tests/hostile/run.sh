#!/bin/sh
# Tries each attack of attacks/ on kota, in each form in which it can come, and its control: the same
# on a kota without the defences that the attack names, where it has to succeed.
#
#	run.sh [--full] [-jN] [ATTACK...]
#
# Without --full each is tried in one form, in turn. With KOTA another version and HOSTILE_BEFORE=1:
# which of them reach their aim there, without controls.
set -u
here=${srcdir:-.}/tests/hostile
BUILD=${BUILD:-.}
export BUILD

# One run, for xargs: NUMBER ATTACK FORM [--control].
if [ "${1:-}" = --run ]; then
	results=$2
	shift 2
	# shellcheck disable=SC2086 # words without blanks
	set -- $1
	number=$1
	shift
	begun=$(date +%s%N)
	sh "$here/attacks/$1.sh" "$2" ${3:+"$3"} >"$results/$number.out" 2>&1 </dev/null
	echo "$? $((($(date +%s%N) - begun) / 1000000)) $*" >"$results/$number.end"
	exit 0
fi

full=
only=
jobs=2
for word; do
	case $word in
	--full) full=yes ;;
	-j*) jobs=${word#-j} ;;
	*) only="$only $word" ;;
	esac
done
results=$(mktemp -d) || exit 1
trap 'rm -rf "$results"' EXIT

number=0
turn=0
for path in "$here"/attacks/*.sh; do
	attack=$(basename "$path" .sh)
	case "$only " in
	' ' | *" $attack "*) ;;
	*) continue ;;
	esac
	forms=$(sed -n 's/^forms=//p' "$path" | tr -d '"')
	# shellcheck disable=SC2086 # words without blanks
	set -- ${forms:-clone pull archive}
	turn=$((turn + 1))
	[ "$full" ] || shift $((turn % $#))
	for form; do
		number=$((number + 1))
		printf '%06d %s %s\n' "$number" "$attack" "$form"
		if [ "${HOSTILE_BEFORE:-}" = "" ] && ! grep -q '^without=none' "$path"; then
			number=$((number + 1))
			printf '%06d %s %s --control\n' "$number" "$attack" "$form"
		fi
		[ "$full" ] || break
	done
done >"$results/list"
xargs -a "$results/list" -d '\n' -P "$jobs" -n 1 "$0" --run "$results"

passed=0
failed=0
skipped=0
for end in "$results"/*.end; do
	read -r status ms attack form control <"$end"
	wanted=0
	[ -z "$control" ] || wanted=1
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
	if [ "$verdict" != ok ] || [ "$full" ]; then
		printf '%-6s %-20s %-8s %s [%d ms]\n' "$verdict" "$attack" "$form" "$control" "$ms"
	fi
	[ "$verdict" != FAILED ] || sed 's/^/       | /' "${end%.end}.out"
	[ "$verdict" != skip ] || sed 's/^/       | /' "${end%.end}.out"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
