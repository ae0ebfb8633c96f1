#!/bin/sh
# What a long history costs: log of the oldest key, blame, and purge.
#
#	KOTA=/path/to/kota tests/bench/long_history.sh [COMMITS [WORKDIR]]
#
# Makes a store of 100 entries in WORKDIR (default: bench-work in the current folder) whose history
# has COMMITS (100,000) commits, each a set of one entry; half of them change state.json, where the
# oldest key is, and that key never changes again. So log has to go through all of them, and purge
# has to make all of them anew. git fast-import writes the commits as kota words them.
#
# Prints the seconds of each, the time of the processor in brackets, and exits 1 past a bar (for
# 100,000 commits) or when an answer is wrong. Build with -O2 for figures.
set -eu
commits=${1:-100000}
work=${2:-bench-work}
mkdir -p "$work"
work=$(cd "$work" && pwd)
store=$work/long-history
status=0
export HOME="$work/home" GIT_CONFIG_NOSYSTEM=1
unset KOTA_MEMORY_GIT XDG_STATE_HOME XDG_CONFIG_HOME KOTA_MEMORY_DIR
rm -rf "$store" "$HOME"
mkdir -p "$store" "$HOME"

# A stream for git fast-import: the commits of kota, after the one that is there.
write_commits() {
	awk -v commits="$commits" '
	function next_random() { return seed = (seed * 16807) % 2147483647 }
	function time_of(n) {
		return sprintf("2026-01-%02dT%02d:%02d:%02d.000+00:00", n / 86400 + 1, n / 3600 % 24,
			n / 60 % 60, n % 60)
	}
	function new_entry(name, n) {
		return "  \"" name "\": {\n    \"value\": \"step " n " of " next_random() " and " \
			next_random() "\",\n    \"created_at\": \"2026-01-01T00:00:00.000+00:00\",\n" \
			"    \"last_updated\": \"" time_of(n) "\"\n  }"
	}
	function put_file(c,   text, k) {
		text = "{\n" entries[c, 0]
		for (k = 1; k < count[c]; k++)
			text = text ",\n" entries[c, k]
		text = text "\n}\n"
		printf "M 100644 inline %s.json\ndata %d\n%s\n", files[c], length(text), text
	}
	function put_commit(n, c, k,   message) {
		message = "set " files[c] ":note " k "\n\nKota-Tool: memory_set\nKota-Client: bench 1\n" \
			sprintf("Kota-Change: %08x-1-%08x\n", n, next_random()) \
			"Kota-Ref: " files[c] ":note " k "\n"
		printf "commit refs/heads/main\ncommitter kota-memory <kota-memory@localhost> %d +0000\n",
			1767225600 + n
		printf "data %d\n%s\n", length(message), message
		if (n == 1)
			print "from refs/heads/main^0"
	}
	BEGIN {
		seed = 42
		split("state preferences connections patterns shortcuts", files)
		count[1] = 40
		for (c = 2; c <= 5; c++)
			count[c] = 15
		for (c = 1; c <= 5; c++)
			for (k = 0; k < count[c]; k++)
				entries[c, k] = new_entry("note " k, 1)
		for (n = 1; n <= commits; n++) {
			c = next_random() % 8
			c = c < 4 ? 1 : c - 2
			k = 1 + next_random() % (count[c] - 1)
			entries[c, k] = new_entry("note " k, n)
			put_commit(n, c, k)
			for (i = 1; i <= 5; i++)
				if (i == c || n == 1)
					put_file(i)
		}
	}' </dev/null
}

# Seconds, and whether they are within a bar: measure NAME BAR COMMAND...
measure() {
	name=$1 bar=$2
	shift 2
	times >"$work/before"
	begin=$(date +%s.%N)
	"$@" >"$work/out" 2>"$work/err" || {
		echo "long_history: $name failed: $(tail -1 "$work/err")" >&2
		status=1
	}
	end=$(date +%s.%N)
	times >"$work/after"
	awk -v name="$name" -v bar="$bar" -v begin="$begin" -v end="$end" -v n="$commits" '
	# The second line has what ended commands took, "0m1.50s 0m0.02s".
	function seconds(text,   parts) { split(text, parts, /[ms]/); return parts[1] * 60 + parts[2] }
	FNR == 2 { cpu = seconds($1) + seconds($2) - cpu }
	END {
		took = end - begin
		printf "%-24s %6.2f s (%.2f s)   bar %2d s%s\n", name, took, cpu, bar, (took > bar ? "   over" : "")
		exit (n == 100000 && took > bar)
	}' "$work/before" "$work/after" || status=1
}

expect() {
	grep -q "$1" "$work/out" || {
		echo "long_history: no $1 in the answer" >&2
		status=1
	}
}

"$KOTA" set "note 0" begin --category state --dir "$store" >/dev/null
write_commits | git -C "$store" fast-import --quiet --force
git -C "$store" reset -q --hard
"$KOTA" list --dir "$store" >/dev/null

measure "log of the oldest key" 2 "$KOTA" log "state:note 0" --json --dir "$store"
expect '"added"'
measure blame 2 "$KOTA" blame --json --dir "$store"
expect '"ref": "state:note 0"'
measure purge 20 "$KOTA" purge "state:note 0" --yes --dir "$store"
git -C "$store" fsck --full --no-dangling >/dev/null 2>&1 || {
	echo "long_history: the repository is damaged" >&2
	status=1
}
[ "$(git -C "$store" rev-list --count HEAD)" -eq $((commits + 2)) ] || {
	echo "long_history: commits are gone" >&2
	status=1
}
exit $status
