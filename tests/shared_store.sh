#!/bin/sh
# A store whose entries a repository shares: what one person has not used for long, another may use
# daily. No rule takes anything out of it, whoever carries it out; the control is a store of one's
# own with the same entries, out of which they go. Needs the git program.
set -eu
command -v git >/dev/null 2>&1 || {
	echo "skipped: git is not installed (package git)"
	exit 77
}
dir=$(mktemp -d "${TMPDIR:-/tmp}/kota-shared-XXXXXX")
trap 'rm -rf "$dir"' EXIT
export HOME="$dir/home" XDG_CONFIG_HOME="$dir/home" XDG_STATE_HOME="$dir/home/state" GIT_CONFIG_NOSYSTEM=1
export KOTA_MEMORY_GIT=off
unset KOTA_MEMORY_DIR
mkdir "$HOME"
passed=0
failed=0

# expect WHAT WANTED GOT
expect() {
	if [ "$2" = "$3" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "$1: $3, not $2"
	fi
}

old=$(date -u -d '150 days ago' +%Y-%m-%dT%H:%M:%S.000+00:00)
long=$(head -c 3000 /dev/zero | tr '\0' x)

# limits SETTINGS: of this person; those of a store that others write to do not loosen or evict.
# What is there fades in days, whatever it says.
limits() {
	mkdir -p "$HOME/kota-memory"
	echo "{\"limits\": {$1}, \"decay\": {\"half_life_days\": 3}}" >"$HOME/kota-memory/config.json"
}

# lay_out NAME TRACKED: a store that was made here, with entries that nobody has used here for long.
lay_out() {
	store=$dir/$1/data/kota_memory
	mkdir -p "$dir/$1"
	cd "$dir/$1"
	git init -q .
	"$KOTA" init >/dev/null
	{
		echo '{'
		for key in deploy_host build_tool release_day; do
			printf '  "%s": {"value": "%s of %s", "created_at": "%s", "last_updated": "%s"},\n' \
				"$key" "$key" "$long" "$old" "$old"
		done
		printf '  "fresh": "kept"\n}\n'
	} >"$store/state.json"
	printf '{"since":"%s"}\n' "$old" >"$store/usage.jsonl"
	limits '"total_bytes": 12000'
	chmod 600 "$store"/*.json*
	git add "$2"
}

# in_file: how many of the old entries are in their file.
in_file() { grep -c '"\(deploy_host\|build_tool\|release_day\)": ' "$store/state.json"; }
kota() { "$KOTA" "$@" 2>&1 || true; }

count=3
for sharing in yes no; do
	# What the index names apart from files with entries shares none of them.
	lay_out "$sharing" "data/kota_memory/$([ $sharing = yes ] && echo state.json || echo .gitignore)"
	[ $sharing = yes ] || count=0
	expect "$sharing: doctor lists what is due" $((count / 3)) \
		"$(kota doctor | grep -c 'would have expired, but others may use them')"
	expect "$sharing: health lists what is due" $((count / 3)) \
		"$(kota health | grep -c 'others may use them: state:deploy_host, state:build_tool, state:release_day')"
	kota list >/dev/null
	expect "$sharing: a read" $count "$(in_file)"
	kota set another one --category patterns >/dev/null
	expect "$sharing: a change" $count "$(in_file)"
done
lay_out gc data/kota_memory/state.json
expect "gc lists what is due" 3 "$(kota gc --no-dry-run | grep -c '^left out\|left out state:')"
expect "gc takes nothing out" 3 "$(in_file)"
expect "a dry run says the same" "$(kota gc --dry-run | grep -c 'left out state:')" 3
kota optimize stale_cleanup --no-dry-run >/dev/null
expect "optimize" 3 "$(in_file)"
kota consolidate --no-dry-run >/dev/null
expect "consolidate" 3 "$(in_file)"
kota maintain >/dev/null
expect "maintain" 3 "$(in_file)"
# Past the limit nothing makes room, and the sizes are said.
kota set large "$long" --category patterns >"$dir/out"
expect "a set past the limit" 1 "$(grep -c 'bytes; the limit is 12000 (limits.total_bytes), and no entry is evicted' "$dir/out")"
expect "a set past the limit takes nothing out" 3 "$(in_file)"
# The one over the number of entries still sends one away, and names it.
limits '"entries_per_category": 4'
expect "one entry too many" 1 "$(kota set fifth 5 --category state | grep -c 'archived to make room: state:')"
expect "one entry too many sends one away" 2 "$(in_file)"
# In a store of one's own each of these takes entries out.
for run in "gc --no-dry-run" "optimize stale_cleanup --no-dry-run" "set large $long --category patterns"; do
	rm -rf "$dir/own"
	lay_out own data/kota_memory/.gitignore
	# Used 80 days ago: it does not expire yet.
	[ "${run%% *}" = optimize ] || sed -i "s/$old/$(date -u -d '80 days ago' +%Y-%m-%dT%H:%M:%S.000+00:00)/g" "$store/state.json" "$store/usage.jsonl"
	# shellcheck disable=SC2086 # words without blanks
	kota $run >"$dir/out"
	expect "$run in a store of one's own" yes "$([ "$(in_file)" -lt 3 ] && echo yes || cat "$dir/out")"
done
echo "$passed as expected, $failed not"
[ "$failed" -eq 0 ]
