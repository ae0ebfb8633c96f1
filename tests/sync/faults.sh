#!/bin/sh
# A sync in which a system call fails or kota is killed at it, call by call, and in which a git that it
# runs fails: the store is as before or as after, the next command works and finishes what was begun,
# and nothing that came is taken for a person's edit.
#
#	tests/sync/faults.sh [EACH]		make check: 40, each 40th call; all of them: 1
set -eu
. "${srcdir:-.}/tests/sync/machines.sh"
each=${1:-40}
first=$(($$ % each))
kills=0
errors=0
harmless=0

world() {
	apart
	mv "$dir/b" "$dir/before"
	mv "$hub" "$dir/hub.before"
	again
	m b sync >/dev/null
	mv "$dir/b" "$dir/after"
}

again() {
	rm -rf "$dir/b" "$hub"
	cp -a "$dir/before" "$dir/b"
	cp -a "$dir/hub.before" "$hub"
}

same_files() {
	for file in preferences state patterns archive; do
		[ -e "$dir/b/store/$file.json" ] || [ -e "$dir/$1/store/$file.json" ] || continue
		cmp -s "$dir/b/store/$file.json" "$dir/$1/store/$file.json" || return 1
	done
}

# judge WHAT: after it, with the status in $status. The control is played with "said" alone.
judge() {
	checks=$((checks + 1))
	[ "$status" -lt 128 ] || [ "$status" = 137 ] || fail "$1: status $status: $(cat "$dir/said")"
	[ "$status" != 0 ] || [ "$(git -C "$hub" rev-parse main)" = "$(git -C "$dir/b/store" rev-parse HEAD)" ] ||
		fail "$1: it says that it is done, and is not"
	if ! m b set later "after it" --category connections >"$dir/next" 2>&1; then
		fail "$1: no change can be made: $(cat "$dir/next")"
	fi
	[ ! -e "$dir/b/store/.sync" ] || fail "$1: .sync is left"
	same_files before || same_files after || fail "$1: neither before nor after"
	m b sync >"$dir/next" 2>&1 || fail "$1: no sync: $(cat "$dir/next")"
	same_files after || fail "$1: the next sync does not bring all of it"
	[ "$(git -C "$hub" rev-parse main)" = "$(git -C "$dir/b/store" rev-parse HEAD)" ] || fail "$1: the hub has not all of it"
	! git -C "$dir/b/store" log --format=%s | grep -E "^(edit|recovered)" >"$dir/next" || fail "$1: $(cat "$dir/next")"
	[ -z "$(git -C "$dir/b/store" status --porcelain)" ] || fail "$1: $(git -C "$dir/b/store" status --porcelain)"
	git -C "$dir/b/store" fsck --strict >"$dir/next" 2>&1 || fail "$1: $(cat "$dir/next")"
}

# b_with WORDS...: sync on b, run by these.
b_with() {
	status=0
	HOME=$dir/b XDG_STATE_HOME=$dir/b/state "$@" "$kota" --dir "$dir/b/store" sync --limit 20 \
		</dev/null >"$dir/said" 2>&1 || status=$?
}

# Each call of a kind: killed there, or it fails.
calls() {
	again
	b_with strace -o "$dir/trace" -e trace="$1"
	count=$(grep -c "^$1(" "$dir/trace" || :)
	at=$first
	first=$(((first + 5) % each))
	while [ "$at" -lt "$count" ]; do
		again
		b_with strace -o /dev/null -e trace="$1" -e inject="$1:signal=KILL:when=$((at + 1))"
		[ $status = 137 ] || fail "$1 $at: it is not killed, but ends with $status"
		kills=$((kills + 1))
		judge "killed at $1 $((at + 1)) of $count"
		again
		b_with strace -o /dev/null -e trace="$1" -e inject="$1:error=$2:when=$((at + 1))"
		errors=$((errors + 1))
		[ $status != 0 ] || harmless=$((harmless + 1))
		[ $status = 0 ] || [ -s "$dir/said" ] || fail "$1 $at: status $status and not a word"
		judge "$2 of $1 $((at + 1)) of $count"
		at=$((at + each))
	done
}

# A git that at its run number $FAIL_AT does not do what it should.
git_fails() {
	mkdir -p "$dir/bin"
	cat >"$dir/bin/git" <<-'GIT'
		#!/bin/sh
		number=$(($(cat "$COUNT" 2>/dev/null || echo 0) + 1))
		echo $number >"$COUNT"
		[ $number = "$FAIL_AT" ] || exec "$REAL" "$@"
		case $FAIL_HOW in
		one) exit 1 ;;
		fatal) echo "fatal: the index is on fire" >&2; exit 128 ;;
		killed) kill -KILL $$ ;;
		hangs) exec tail -f /dev/null ;;
		done) "$REAL" "$@" >/dev/null 2>&1; exit 128 ;;
		half) "$REAL" "$@" | head -c 5; exit 1 ;;
		nothing) exit 0 ;;
		esac
	GIT
	chmod +x "$dir/bin/git"
	for how in one fatal killed hangs done half nothing; do
		for at in 1 2; do
			# A push that did nothing and says that it did cannot be told from one that did.
			[ "$how $at" != "nothing 2" ] || continue
			again
			rm -f "$dir/count"
			b_with env PATH="$dir/bin:$PATH" COUNT="$dir/count" REAL="$(command -v git)" FAIL_AT=$at FAIL_HOW=$how \
				timeout 120
			[ "$(cat "$dir/count")" = $at ] || fail "git run $at, $how: it went on after it: $(cat "$dir/count")"
			[ $status = 69 ] || [ $status = 74 ] || fail "git run $at, $how: status $status: $(cat "$dir/said")"
			[ "$(wc -l <"$dir/said")" = 1 ] || fail "git run $at, $how: more than a sentence: $(cat "$dir/said")"
			judge "git run $at, $how"
		done
	done
}

world
git_fails
if command -v strace >/dev/null 2>&1 && strace -o /dev/null true 2>/dev/null; then
	calls fsync EIO
	calls renameat2 ENOSPC
	calls openat EMFILE
	calls unlinkat EACCES
	calls write ENOSPC
	calls mkdirat ENOSPC
	[ $kills -gt 0 ] || fail "no call was found"
	# Nothing is started, and so no network is waited for, while others wait for the store.
	again
	b_with strace -y -o "$dir/trace" -e trace=flock,close,clone,clone3,vfork,fork
	awk '/^flock\(.*\/store\/\.lock>, LOCK_EX.* = 0$/ { held = 1; locks++ }
		/^flock\(.*\/store\/\.lock>, LOCK_UN|^close\(.*\/store\/\.lock>/ { held = 0 }
		/^(clone3?|v?fork)\(/ { started++; if (held) print "started under the lock: " $0 }
		END { if (locks < 2 || started < 2) print locks + 0, "locks,", started + 0, "processes" }' "$dir/trace" >"$dir/held"
	[ ! -s "$dir/held" ] || fail "$(cat "$dir/held")"
else
	echo "without strace (package strace) only git fails here"
fi

# The controls: a kota that does not listen to how git ended is noticed ...
cat >"$dir/bin/git" <<'GIT'
#!/bin/sh
for word; do
	[ "$word" != push ] || exit 128
done
exec "$REAL" "$@"
GIT
again
kota_before=$kota
failed_before=$failed
kota=$careless
date -u +%Y-%m-%dT%H:%M:%SZ >"$dir/clock"
b_with env PATH="$dir/bin:$PATH" REAL="$(command -v git)" KOTA_CLOCK="$dir/clock" KOTA_CARELESS=unheard
kota=$kota_before
judge "control" >"$dir/control"
failed=$failed_before
grep -q "it says that it is done, and is not" "$dir/control" ||
	fail "control: a git that fails unheard is not noticed, status $status: $(cat "$dir/said" "$dir/control")"

# ... and a note that is thrown away with half of the files in place is noticed.
again
cp "$dir/after/store/state.json" "$dir/b/store/"
failed_before=$failed
status=0
judge "control" >"$dir/control"
[ "$failed" -gt "$failed_before" ] || fail "control: half of a sync is not noticed"
failed=$failed_before
[ -s "$dir/control" ] || fail "control: half of a sync is not noticed"

echo "$checks checks, $kills kills, $errors errors, of which $harmless did no harm, $failed failed"
[ $failed = 0 ]
