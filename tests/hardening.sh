#!/bin/sh
# Is each protection that configure asks for in the program that was built? The answer comes from the
# program itself and not from the flags: a flag may be overruled, or be lost on its way.
#
#	tests/hardening.sh [PROGRAM [LIBRARY]]
#
# HARDENING lists what configure found possible; without it everything has to be there. With HARDENED_BY
# and HARDENED_LINK, the compiler and linker with their flags, there is a control for each protection: a
# small program is built without it, and the look at that program has to miss it.
set -u
export LC_ALL=C
program=${1:-${KOTA:?}}
library=${2:-${BUILD:+$BUILD/libkota.a}}
all="pie relro now stack-noexec stack-protector stack-clash control-flow fortify"
wanted=" ${HARDENING-$all} stack-noexec "
passed=0
failed=0

skip() {
	echo "hardening: skipped: $1"
	exit 77
}

for tool in readelf objdump; do
	command -v $tool >/dev/null || skip "$tool is not installed (package binutils)"
done
case ${HARDENED_BY:-} in
*-fsanitize=*) skip "the program has the sanitizers' own code in it" ;;
esac
machine=$(readelf -hW "$program" | sed -n 's/^ *Machine: *//p')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# ---- one look each: prints what is missing in PROGRAM and LIBRARY, and nothing when all is well

look_pie() {
	readelf -hW "$1" | grep -q 'Type: *DYN' && readelf -dW "$1" | grep -q 'FLAGS_1.* PIE' ||
		echo "its place in memory is fixed"
}

look_relro() {
	readelf -lW "$1" | grep -q GNU_RELRO || echo "tables of the loader stay writable"
}

look_now() {
	readelf -dW "$1" | grep -Eq 'BIND_NOW|FLAGS_1.* NOW' || echo "functions are bound when first called"
}

look_stack_noexec() {
	readelf -lW "$1" | grep -Eq 'GNU_STACK .* RW +0x' || echo "the stack can be executed"
}

undefined() {
	readelf --dyn-syms -W "$1" | awk '$7 == "UND" { sub(/@.*/, "", $8); print $8 }'
}

look_stack_protector() {
	undefined "$1" | grep -qx __stack_chk_fail || echo "no guard on the stack"
}

look_fortify() {
	undefined "$1" | grep -v __stack_chk_fail | grep -qx '__[a-z]*_chk' ||
		echo "no checked function of the C library"
}

# A frame of more than a page is taken a page at a time, and each page is touched.
look_stack_clash() {
	objdump -d --no-show-raw-insn "$1" | awk '
		function value(hex,  i, n) {
			for (i = 1; i <= length(hex); i++)
				n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
			return n
		}
		/sub +\$0x[0-9a-f]+,%rsp/ {
			match($0, /\$0x[0-9a-f]+/)
			size = substr($0, RSTART + 3, RLENGTH - 3)
			if (length(size) <= 8 && value(size) > 4096 && !large++)
				print "a frame of 0x" size " bytes is taken at once"
		}
		/(or|mov)[lq] +\$0x0,(0x0)?\(%rsp\)/ { touched++ }
		END { if (!touched) print "no page of a large frame is touched" }'
}

# Where main begins: it is the first argument of the call that the entry of the program makes.
first_of_main() {
	entry=$(readelf -hW "$1" | sed -n 's/^ *Entry point address: *//p')
	main=$(objdump -d --no-show-raw-insn --start-address="$entry" --stop-address=$((entry + 64)) "$1" |
		sed -n 's/.*\(lea .*# \|mov *\$0x\)\([0-9a-f]*\)\( <.*>\)\?\(,%rdi\)\?$/0x\2/p' | head -n 1)
	[ -z "$main" ] || objdump -d --no-show-raw-insn --start-address="$main" \
		--stop-address=$((main + 8)) "$1" | sed -n 's/^ *[0-9a-f]*:[[:space:]]*\([a-z0-9]*\).*/\1/p' |
		head -n 1
}

# Each object says for itself whether it takes part; the C library's own may not.
look_control_flow() {
	case $machine in
	*X86-64)
		mark='x86 feature:.*IBT, SHSTK'
		[ "$(first_of_main "$1")" = endbr64 ] || echo "main may be jumped into"
		;;
	*) mark='AArch64 feature:.*BTI, PAC' ;;
	esac
	[ -n "${2:-}" ] && [ -e "$2" ] || return 0
	readelf -nW "$2" 2>/dev/null | awk -v mark="$mark" '
		/^File: / { file = $2; all[file] = 1 }
		/feature:/ { if (file == "") all[""] = 1; if ($0 ~ mark) good[file] = 1 }
		END {
			for (file in all) { n++; if (!(file in good)) bad++ }
			if (!n || bad) printf "%d of %d objects are not marked\n", bad, n
		}'
}

look() {
	case $1 in
	stack-clash | control-flow)
		case $machine in
		*X86-64) ;;
		*AArch64) [ "$1" = control-flow ] || return 0 ;;
		*) return 0 ;;
		esac
		;;
	esac
	"look_$(echo "$1" | tr - _)" "$2" "${3:-}"
}

# expect WHAT WANTED GOT
expect() {
	if [ "$2" = "$3" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		printf '%s: %s\n' "$1" "${3:-nothing is missed}"
	fi
}

for name in $all; do
	case $wanted in
	*" $name "*) expect "$name" "" "$(look "$name" "$program" "$library")" ;;
	*) echo "hardening: not looked for: $name, which configure left out" ;;
	esac
done

# ---- the controls

level() {
	echo "__USE_FORTIFY_LEVEL" | $* -include string.h -P -E -x c - 2>/dev/null | tail -n 1
}

# What takes each away again from the linker.
unlinked() {
	case $1 in
	pie) echo "-no-pie" ;;
	relro) echo "-Wl,-z,norelro" ;;
	now) echo "-Wl,-z,lazy" ;;
	stack-noexec) echo "-Wl,-z,execstack" ;;
	esac
}

# And from the compiler, which may complain about flags that are not for it.
without() {
	case $1 in
	pie) echo "-fno-pie" ;;
	stack-protector) echo "-fno-stack-protector" ;;
	stack-clash) echo "-fno-stack-clash-protection" ;;
	control-flow)
		case $machine in
		*X86-64) echo "-fcf-protection=none" ;;
		*) echo "-mbranch-protection=none" ;;
		esac
		;;
	fortify) echo "-U_FORTIFY_SOURCE" ;;
	esac
}

# build FLAGS LINKER_FLAGS: the sample, as the program is built, and then these flags.
build() {
	$HARDENED_BY $1 -c -o "$work/sample.o" "$work/sample.c" 2>"$work/log" &&
		$HARDENED_BY $HARDENED_LINK $1 $2 -o "$work/sample" "$work/sample.o" 2>>"$work/log" || {
		expect "the sample is built" yes "no: $(head -n 5 "$work/log")"
		return 1
	}
}

cat >"$work/sample.c" <<'END'
#include <stdio.h>

int main(int argc, char **argv)
{
	char page[20000];

	if (argc != 2)
		return 1;
	snprintf(page, sizeof page, "%s %d", argv[1], argc);
	return puts(page) < 0;
}
END
if [ -n "${HARDENED_BY:-}" ] && build "" ""; then
	for name in $all; do
		case $wanted in
		*" $name "*) expect "$name in the sample" "" "$(look "$name" "$work/sample" "$work/sample.o")" ;;
		*) continue ;;
		esac
		case $machine:$name in
		*X86-64:* | *AArch64:control-flow) ;;
		*:stack-clash | *:control-flow)
			echo "hardening: not looked for: $name, which this processor's code does not show"
			continue
			;;
		esac
		build "$(without "$name")" "$(unlinked "$name")" || continue
		missed=$(look "$name" "$work/sample" "$work/sample.o")
		expect "control: a sample without $name" yes "${missed:+yes}"
	done
	strongest=$(level ${HARDENED_BY%% *} -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
	asked=$(level ${HARDENED_ENVIRONMENT:-${HARDENED_BY%% *}})
	case $wanted:$asked in
	*" fortify "*:0) expect "level of fortify" "$strongest" "$(level $HARDENED_BY)" ;;
	*" fortify "*) expect "level of fortify" "$asked" "$(level $HARDENED_BY)" ;;
	esac
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
