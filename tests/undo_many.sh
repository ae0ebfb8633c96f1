#!/bin/sh
# Undoing a change of many entries, an import or a maintenance with its merges, takes time in
# proportion to them: for four times as many at most eight times as long, in CPU time. Looking each
# entry up by going through all the others would take sixteen times as long. Of up to three runs the
# shortest counts, since a busy machine makes some of them longer.
set -eu
KOTA=${KOTA:-${BUILD:-.}/kota}
command -v git >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME="$work/home" GIT_CONFIG_NOSYSTEM=1
unset KOTA_MEMORY_GIT XDG_STATE_HOME XDG_CONFIG_HOME KOTA_MEMORY_DIR
mkdir "$HOME"

die() {
	echo "undo_many: $*" >&2
	exit 1
}

# Makes a store in which the history has begun.
begin() {
	store=$work/store
	rm -rf "$store"
	mkdir "$store"
	echo '{"limits":{"entries_per_category":100000,"total_bytes":100000000}}' >"$store/config.json"
	"$KOTA" set first 1 --category state --dir "$store" >/dev/null 2>&1
}

# So many entities of the reference server's memory.
entities() {
	awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++)
		printf "{\"type\":\"entity\",\"name\":\"note %d\",\"entityType\":\"fact\",\"observations\":[\"step %d of the work\"]}\n", i, i }'
}

# So many pairs of old entries that say the same of the same thing.
pairs() {
	awk -v n="$1" '
	function word(number, i, text) {
		text = ""
		for (i = 0; i < 4; i++) {
			text = text substr("bdfgklmnprstvz", number % 14 + 1, 1) substr("aeiou", number % 5 + 1, 1)
			number = int(number / 14)
		}
		return text
	}
	function entry(key, value, end) {
		printf "  \"%s\": {\"value\": \"%s\", \"created_at\": \"%s\", \"last_updated\": \"%s\"}%s\n", key, value, day, day, end
	}
	BEGIN {
		day = "2020-01-01T10:00:00.000+00:00"
		print "{"
		for (i = 0; i < n; i++) {
			one = word(i * 4 + 1); two = word(i * 4 + 2)
			value = one " " two " " word(i * 4 + 3) " " word(i * 4 + 4) " " i
			entry(one " " two, value, ",")
			entry(two " " one, value, i + 1 < n ? "," : "")
		}
		print "}"
	}'
}

# Undoes the last change; prints the hundredths of a second that this took.
undo() {
	times >"$work/before"
	"$KOTA" undo --dir "$store" >"$work/undone"
	times >"$work/after"
	awk 'function seconds(text,   parts) { split(text, parts, /[ms]/); return parts[1] * 60 + parts[2] }
		FNR == 2 { at[++n] = seconds($1) + seconds($2) }
		END { printf "%d\n", (at[2] - at[1]) * 100 + 1 }' "$work/before" "$work/after"
}

less() {
	if [ "$1" -lt "$2" ]; then echo "$1"; else echo "$2"; fi
}

imported() {
	begin
	entities "$1" >"$work/memory.jsonl"
	"$KOTA" import "$work/memory.jsonl" --yes --dir "$store" >/dev/null
	undo
	[ "$(git -C "$store" rev-list --count HEAD)" -eq 4 ] || die "an import is not one change"
	! grep -q '"note ' "$store/state.json" || die "something is left of the import"
}

merged() {
	begin
	pairs "$1" >"$store/state.json"
	cp "$store/state.json" "$work/pairs"
	TZ=UTC "$KOTA" maintain merge --dir "$store" >/dev/null 2>&1
	! cmp -s "$store/state.json" "$work/pairs" || die "nothing was merged"
	undo
	[ "$(grep -c '^put back state:' "$work/undone")" -ge "$1" ] || die "not all came back"
	cmp "$store/state.json" "$work/pairs" || die "the merges are not undone"
}

for what in imported:2500 merged:400; do
	count=${what#*:}
	what=${what%:*}
	few=$("$what" "$count")
	many=$("$what" $((count * 4)))
	for _ in 1 2; do
		[ "$many" -gt $((few * 8)) ] || break
		few=$(less "$few" "$("$what" "$count")")
		many=$(less "$many" "$("$what" $((count * 4)))")
	done
	echo "undo_many: $what $count and four times as many: $few and $many hundredths of a second"
	[ "$many" -le $((few * 8)) ] || die "four times as much $what takes more than eight times as long to undo"
done
