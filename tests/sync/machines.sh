# For the tests of this folder: machines with a home of their own and a store each, and a bare
# repository between them. Sourced.
command -v git >/dev/null 2>&1 || {
	echo "skipped: git is not installed (package git)"
	exit 77
}
dir=$(mktemp -d "${TMPDIR:-/tmp}/kota-sync-XXXXXX")
dir=$(cd "$dir" && pwd -P)
trap 'rm -rf "$dir"' EXIT
kota=$(cd "$(dirname "$KOTA")" && pwd)/$(basename "$KOTA")
clocked=$(cd "$BUILD" && pwd)/tests/clocked
careless=$(cd "$BUILD" && pwd)/tests/sync/careless
unset KOTA_MEMORY_GIT XDG_STATE_HOME XDG_CONFIG_HOME XDG_DATA_HOME GIT_DIR
GIT_CONFIG_NOSYSTEM=1
export GIT_CONFIG_NOSYSTEM
hub=$dir/hub.git
failed=0
checks=0

fail() {
	failed=$((failed + 1))
	echo "FAILED $*"
}

# m MACHINE WORDS...: kota on that machine.
m() {
	machine=$1
	shift
	HOME=$dir/$machine XDG_STATE_HOME=$dir/$machine/state "$kota" --dir "$dir/$machine/store" "$@"
}

# new MACHINE...: homes without anything.
new() {
	for machine; do
		rm -rf "${dir:?}/$machine"
		mkdir -p "$dir/$machine"
	done
}

new_hub() {
	rm -rf "$hub"
	git init -q --bare "$hub"
	git -C "$hub" symbolic-ref HEAD refs/heads/main
}

# apart: a and b were the same and have both changed since; a has sent what it did.
apart() {
	new a b
	new_hub
	for i in 1 2 3; do
		m a set "k$i" "from a $i" --category preferences >/dev/null 2>&1
		m a set "s$i" "from a $i" --category state >/dev/null 2>&1
	done
	m a delete s3 >/dev/null
	m a sync --remote "$hub" >/dev/null
	m b sync --remote "$hub" >/dev/null
	m a set k1 "changed on a" --category preferences >/dev/null
	m a set n1 "new on a" --category state >/dev/null
	m a delete s2 >/dev/null
	m a set p1 "new on a" --category patterns >/dev/null
	m a sync >/dev/null
	m b set k1 "changed on b" --category preferences >/dev/null
	m b set k2 "changed on b" --category preferences >/dev/null
	m b set n2 "new on b" --category state >/dev/null
}

# sync_all MACHINE...: until nobody gives or takes anything, at most three times.
sync_all() {
	for _ in 1 2; do
		for machine; do
			m "$machine" sync >"$dir/said" 2>&1 || fail "sync of $machine: $(cat "$dir/said")"
		done
	done
}

# same MACHINE MACHINE WHAT: the files of both stores are the same, byte for byte.
same() {
	checks=$((checks + 1))
	for file in preferences connections patterns shortcuts state archive relations; do
		[ -e "$dir/$1/store/$file.json" ] || [ -e "$dir/$2/store/$file.json" ] || continue
		cmp -s "$dir/$1/store/$file.json" "$dir/$2/store/$file.json" ||
			fail "$3: $file.json of $1 and $2 differ"
	done
	[ "$(git -C "$dir/$1/store" rev-parse HEAD)" = "$(git -C "$dir/$2/store" rev-parse HEAD)" ] ||
		fail "$3: the histories of $1 and $2 differ"
	for machine in "$1" "$2"; do
		[ ! -e "$dir/$machine/store/.sync" ] || fail "$3: .sync is left on $machine"
		[ -z "$(git -C "$dir/$machine/store" status --porcelain)" ] ||
			fail "$3: $machine: $(git -C "$dir/$machine/store" status --porcelain)"
	done
}

# value MACHINE REF WANTED WHAT; "(none)" is an entry that is not active.
value() {
	checks=$((checks + 1))
	if m "$1" list --json | grep -q "\"$2\""; then
		found=$(m "$1" get "$2" 2>/dev/null || echo "(unreadable)")
	else
		found="(none)"
	fi
	[ "$found" = "$3" ] || fail "$4: $2 on $1 is \"$found\", not \"$3\""
}

# says FILE WORDS WHAT
says() {
	checks=$((checks + 1))
	grep -q -- "$2" "$1" || fail "$3: it is not said that \"$2\": $(head -n 20 "$1")"
}
