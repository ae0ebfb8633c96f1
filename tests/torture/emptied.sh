#!/bin/sh
# A file of entries is spoilt by a slip: emptied, blank, cut in the middle, overwritten with another
# file's text, left with a conflict, removed. With a history and without, while a server runs that
# has read it and while none does. Reads give what they gave before and say so, changes of that file
# are refused, others are made, blame names nobody else, and doctor --fix brings every byte back.
# The entries of a removed file are in the archive, and one undo brings them back.
#
#	emptied.sh [--full] [--plant DEFENCES]
#
# 6 slips, in full form 240. With --plant a kota without these defences, see
# tests/hostile/undefended.c: the first violation ends it.
set -u
slips=6
most=1000
while [ $# -gt 0 ]; do
	case $1 in
	--full) slips=240 ;;
	--plant)
		KOTA=$BUILD/tests/hostile/undefended
		HOSTILE_WITHOUT=$2
		export HOSTILE_WITHOUT
		slips=24
		most=1
		shift
		;;
	esac
	shift
done
top=$(mktemp -d "${TMPDIR:-/tmp}/kota-emptied-XXXXXX") || exit 1
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$top"' EXIT
trap 'exit 130' INT TERM
HOME=$top
GIT_CONFIG_NOSYSTEM=1
export HOME GIT_CONFIG_NOSYSTEM
store=$top/store
seed=${TORTURE_SEED:-$(date +%s)}
random=$seed
bad=0
calls=0

# below N: a random number, in $drawn.
below() {
	random=$(((random * 1103515245 + 12345) % 2147483648))
	drawn=$((random / 65536 % $1))
}

kota() {
	calls=$((calls + 1))
	"$KOTA" --dir "$store" "$@"
}

violation() {
	bad=$((bad + 1))
	echo "violation: $slip in $file, history $KOTA_MEMORY_GIT, server ${server:-none}: $*"
}

# What a reader gets, entry by entry; the comma behind the last one is no matter.
entries() { kota export 2>"$top/said" | grep '"entry"' | sed 's/},$/}/' | sort; }

# The same without what a stay in the archive adds: a bare value becomes an entry, and is seen anew.
values() { sed 's/,"usage":.*//; s/"entry":"mine"/"entry":{"value":"mine"}/; s/}*$//' "$1"; }

start_server() {
	mkfifo "$top/in" "$top/out"
	"$KOTA" --dir "$store" serve <"$top/in" >"$top/out" 2>/dev/null &
	server=$!
	exec 3>"$top/in" 4<"$top/out"
	ask initialize '{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}'
	echo '{"jsonrpc":"2.0","method":"notifications/initialized"}' >&3
	call memory_list '{}'
}

stop_server() {
	exec 3>&- 4<&-
	wait "$server"
	server=
	rm -f "$top/in" "$top/out"
}

# ask METHOD PARAMETERS: the answer is in $reply.
ask() {
	printf '{"jsonrpc":"2.0","id":1,"method":"%s","params":%s}\n' "$1" "$2" >&3
	read -r reply <&4
}

call() {
	calls=$((calls + 1))
	ask tools/call "{\"name\":\"$1\",\"arguments\":$2}"
}

# lay_out: entries in two categories or more, and in half of the cases one written by hand.
lay_out() {
	rm -rf "$store"
	mkdir -m 700 "$store"
	below 4
	entries=$((drawn + 2))
	for n in $(seq "$entries"); do
		kota set "key $n" "value $n $slip" --category "$category" >/dev/null 2>&1
	done
	kota set other 1 --category "$beside" >/dev/null 2>&1
	below 2
	if [ "$drawn" -eq 1 ]; then
		sed -i '1a\  "by hand": "mine",' "$store/$file"
		kota set other 2 --category "$beside" >/dev/null 2>&1
	fi
	[ "$KOTA_MEMORY_GIT" = off ] || kota blame 2>/dev/null | grep "$category:" >"$top/blame"
}

spoil() {
	bytes=$(wc -c <"$store/$file")
	case $slip in
	emptied) : >"$store/$file" ;;
	blank) printf ' \n\n' >"$store/$file" ;;
	cut)
		below $((bytes - 4))
		head -c $((drawn + 1)) "$top/before" >"$store/$file"
		;;
	overwritten) cat "$store/$beside.json" "$store/metadata.json" >"$store/$file" ;;
	conflict) printf '<<<<<<< HEAD\n%s\n=======\n{}\n>>>>>>> theirs\n' "$(cat "$top/before")" >"$store/$file" ;;
	removed) rm "$store/$file" ;;
	esac
	cp "$store/$file" "$top/spoilt" 2>/dev/null
}

judge_spoilt() {
	entries >"$top/after"
	cmp -s "$top/entries" "$top/after" || violation "a read gives $(diff "$top/entries" "$top/after" | head -n 4)"
	grep -q "$file" "$top/said" || violation "a read does not say so: $(cat "$top/said")"
	! kota set late 1 --category "$category" >"$top/said" 2>&1 || violation "a change of it is made"
	grep -q "$file" "$top/said" || violation "a refusal does not say why: $(cat "$top/said")"
	if [ -n "$server" ]; then
		call memory_get "{\"query\":\"$category:key 1\"}"
		case $reply in
		*"\"value\":\"value 1 $slip\""*) ;;
		*) violation "the server answers $reply" ;;
		esac
		call memory_set "{\"key\":\"$category:late\",\"value\":1}"
		case $reply in
		*'"isError":true'*) ;;
		*) violation "the server makes a change of it" ;;
		esac
	fi
	kota set third 3 --category "$beside" >"$top/said" 2>&1 || violation "other files do not work: $(cat "$top/said")"
	cmp -s "$store/$file" "$top/spoilt" || violation "its bytes are other ones"
	if [ "$KOTA_MEMORY_GIT" = own ]; then
		kota blame 2>/dev/null | grep "$category:" >"$top/now"
		cmp -s "$top/blame" "$top/now" || violation "blame says $(diff "$top/blame" "$top/now" | head -n 4)"
		[ "$(git -C "$store" log --oneline -- "$file" | wc -l)" -eq "$commits" ] || violation "it is recorded"
	fi
	kota doctor --fix >"$top/said" 2>&1
	cmp -s "$store/$file" "$top/before" || violation "doctor --fix does not bring it back: $(cat "$top/said")"
	case $slip in
	emptied | blank) ;;
	*) cmp -s "$store/.$file.prev-broken" "$top/spoilt" || violation "what stood there is not kept" ;;
	esac
	kota set late 1 --category "$category" >"$top/said" 2>&1 || violation "it is not of use again: $(cat "$top/said")"
}

# What is archived of a file that was removed comes back with one undo, and before with the first look.
judge_removed() {
	if [ -n "$server" ]; then
		call memory_list '{}'
	else
		kota set later 1 --category "$beside" >"$top/said" 2>&1
	fi
	[ "$(kota archived 2>/dev/null | grep -c "^$category:")" -eq "$(grep -c "\"$category\"" "$top/entries")" ] ||
		violation "its entries are not in the archive: $(kota archived 2>&1)"
	kota list 2>&1 | grep -q "^$category:" && violation "its entries are still there"
	if [ -n "$server" ]; then
		kota undo >"$top/said" 2>&1 || violation "it cannot be undone: $(cat "$top/said")"
		entries >"$top/after"
		values "$top/entries" >"$top/wanted"
		values "$top/after" >"$top/got"
		cmp -s "$top/wanted" "$top/got" || violation "after an undo: $(diff "$top/wanted" "$top/got" | head -n 4)"
	else
		kota restore "$category:key 1" >"$top/said" 2>&1 || violation "it cannot be restored: $(cat "$top/said")"
	fi
	kota list >/dev/null 2>"$top/said"
	grep -q "was removed" "$top/said" && violation "it is told more than once"
}

i=0
while [ "$i" -lt "$slips" ] && [ "$bad" -lt "$most" ]; do
	slip=$(printf '%s\n' emptied cut removed overwritten blank conflict | sed -n "$((i % 6 + 1))p")
	KOTA_MEMORY_GIT=$(printf '%s\n' own off off own | sed -n "$(((i + i / 6) % 4 + 1))p")
	command -v git >/dev/null || KOTA_MEMORY_GIT=off
	export KOTA_MEMORY_GIT
	below 5
	category=$(printf '%s\n' preferences connections patterns shortcuts state | sed -n "$((drawn + 1))p")
	beside=$([ "$category" = patterns ] && echo shortcuts || echo patterns)
	file=$category.json
	lay_out
	cp "$store/$file" "$top/before"
	entries >"$top/entries"
	[ "$KOTA_MEMORY_GIT" = off ] || commits=$(git -C "$store" log --oneline -- "$file" | wc -l)
	[ $(((i / 3 + i / 6) % 2)) -eq 0 ] || start_server
	spoil
	if [ "$slip" = removed ]; then
		judge_removed
	else
		judge_spoilt
	fi
	[ -z "$server" ] || stop_server
	i=$((i + 1))
done
echo "$i slips, $calls calls: $bad lost, changed, unsaid or recorded; seed $seed"
[ "$bad" -eq 0 ]
