#!/bin/sh
# One memory on two machines, by way of a bare repository: what each does comes to the other, what
# both change is kept, nothing that goes wrong on the way loses anything.
#
#	tests/sync/two_machines.sh
set -eu
. "${srcdir:-.}/tests/sync/machines.sh"

begin() {
	new a b
	new_hub
	m a set editor nano --category preferences >/dev/null 2>&1
	m a sync --remote "$hub" >/dev/null
	m b sync --remote "$hub" >"$dir/said" 2>&1 || fail "first sync of b: $(cat "$dir/said")"
}

# A clone of the remote, for somebody who has only git.
clone() {
	rm -rf "$dir/w"
	git clone -q "$hub" "$dir/w" 2>/dev/null
}

# by_git MESSAGE: what lies in the clone is the remote's.
by_git() {
	git -C "$dir/w" add -A
	git -C "$dir/w" -c user.name=x -c user.email=x@x commit -qm "$1"
	git -C "$dir/w" push -q 2>/dev/null
}

# remote_gets FILE TEXT: somebody puts that text there.
remote_gets() {
	clone
	printf '%s\n' "$2" >"$dir/w/$1"
	by_git "$1"
}

# ---- both do something, in different places
begin
value b preferences:editor nano "a store comes to a machine that has none"
same a b "after the first sync"
m a set shell zsh --category preferences >/dev/null
m b set theme dark --category preferences >/dev/null
m b set "pet" "a cat" --category state >/dev/null
sync_all a b
same a b "both added"
value a preferences:theme dark "added on b"
value b preferences:shell zsh "added on a"
[ -z "$(git -C "$hub" log --merges --format=%h main)" ] || fail "the history is no straight line"
git -C "$hub" log --format=%s main >"$dir/log"
for subject in "set preferences:shell" "set preferences:theme" "set state:pet"; do
	says "$dir/log" "^$subject\$" "each change is a commit of its own"
done
m a sync >"$dir/said"
says "$dir/said" "the same as here" "without news"

# ---- both change the same
m a set editor vim --category preferences >/dev/null
m b set editor emacs --category preferences >/dev/null
m a sync >/dev/null
m b sync >"$dir/said"
says "$dir/said" "changed on both sides: 1" "a conflict is told"
says "$dir/said" "preferences:editor" "a conflict is told by name"
m a sync >/dev/null
same a b "conflict"
value a preferences:editor emacs "the later text stands in front"
m a archived >"$dir/said"
says "$dir/said" "preferences:editor@" "the other text is in the archive"
grep -q '"vim"' "$dir/a/store/archive.json" || fail "what lost is not kept"

for machine in a b; do
	m $machine conflicts >"$dir/said"
	says "$dir/said" '  lost, .*: "vim"' "what lost is shown on $machine"
	m $machine prime >"$dir/said"
	says "$dir/said" "1 entry was changed on two machines at once" "a session is told on $machine"
	m $machine doctor >"$dir/said" || :
	says "$dir/said" "changed on both sides: preferences:editor" "doctor on $machine"
done
m a log >"$dir/said"
says "$dir/said" "sync preferences:editor" "the log names what lost"
m b conflicts editor --keep >/dev/null || fail "keep"
sync_all b a
for machine in a b; do
	[ -z "$(m $machine conflicts 2>/dev/null)" ] || fail "a decision does not reach $machine"
	m $machine prime >"$dir/said"
	! grep -q "two machines at once" "$dir/said" || fail "a session is told what is decided"
done
same a b "a decision"
m a archived >"$dir/said"
says "$dir/said" "preferences:editor@" "a decision takes nothing out of the archive"

# ---- one deletes what the other changes; one deletes what the other leaves
m a delete editor >/dev/null
m b set editor ed --category preferences >/dev/null
m b delete shell >/dev/null
sync_all a b
same a b "delete against change"
value a preferences:editor ed "a change outlives a deletion"
value a preferences:shell "(none)" "what was deleted is gone"

# ---- by hand
sed -i 's/"dark"/"light, by hand"/' "$dir/a/store/preferences.json"
m b set theme blue --category preferences >/dev/null
printf '{\n  "mine":   {"value": "spaced  out"}\n}\n' >"$dir/b/store/shortcuts.json"
sync_all a b
same a b "by hand"
value a preferences:theme "light, by hand" "a hand goes before a tool"
grep -q '"blue"' "$dir/b/store/archive.json" || fail "what lost to a hand edit is not kept"
grep -q '"mine":   {"value": "spaced  out"}' "$dir/a/store/shortcuts.json" || fail "a person's layout is changed"

# ---- undo of something that another machine did, by its id; and it travels
m a set undone yes --category state >/dev/null
sync_all a b
id=$(git -C "$dir/b/store" log --format=%h --grep "set state:undone" | tail -n 1)
m b undo "$id" >/dev/null || fail "undo of a change of another machine"
sync_all a b
value a state:undone "(none)" "an undo travels"
same a b "undo"

# ---- undo without an id takes back what this machine did, and the log says where it was
new c
m c sync --remote "$hub" >/dev/null
status=0
m c undo >"$dir/said" 2>&1 || status=$?
[ $status = 1 ] || fail "undo on a machine that did nothing: status $status: $(cat "$dir/said")"
says "$dir/said" "no change is known to have been made on this machine" "undo on a machine that did nothing"
m a set mine "of a" --category patterns >/dev/null
m a sync >/dev/null
m b sync >/dev/null
m b set yours "of b" --category patterns >/dev/null
sync_all b a
m a log --json >"$dir/said"
[ "$(grep -o '"host": "[^"]*"' "$dir/said" | head -n 2 | sort -u | wc -l)" = 2 ] ||
	fail "the log does not say on which machine"
m a undo >"$dir/said" 2>&1 || fail "undo: $(cat "$dir/said")"
value a patterns:mine "(none)" "undo takes back what this machine did"
value a patterns:yours "of b" "undo leaves what another machine did"
sync_all a b

# ---- links, notes, the cold archive, settings
m a relate "preferences:editor" "preferences:theme" supports >/dev/null
m b relate "preferences:theme" "state:pet" supports >/dev/null
m a promote pet --force --dry-run false >/dev/null 2>&1 || m a promote state:pet --force --dry-run false >/dev/null
printf '{"limits": {"entry_bytes": 9000}}\n' >"$dir/b/store/config.json"
sync_all a b
same a b "links and notes"
[ "$(m b --json relate preferences:theme 2>/dev/null | grep -c '"type"' || :)" -ge 0 ]
grep -q 9000 "$dir/a/store/config.json" || fail "settings do not come"
cmp -s "$dir/a/store/notes/$(ls "$dir/a/store/notes" | head -n 1)" "$dir/b/store/notes/$(ls "$dir/b/store/notes" | head -n 1)" ||
	fail "a note does not come"

# ---- a remote that is not there, hangs, has lost its branch, was rewritten
mv "$hub" "$dir/away"
status=0
m a sync >"$dir/said" 2>&1 || status=$?
[ $status = 69 ] || fail "a remote that is away: status $status: $(cat "$dir/said")"
says "$dir/said" "cannot be reached: git: " "a remote that is away"
m a set meanwhile works --category state >/dev/null || fail "the store does not work while the remote is away"
m a sync --status >"$dir/said"
says "$dir/said" "last try: .*cannot be reached" "status tells of the failure"
mv "$dir/away" "$hub"
sync_all a b
value b state:meanwhile works "after the remote was away"
git -C "$hub" update-ref -d refs/heads/main
status=0
m a sync >"$dir/said" 2>&1 || status=$?
[ $status = 1 ] || fail "a branch that is gone: status $status"
says "$dir/said" "push-all" "a branch that is gone"
m a sync --push-all >/dev/null || fail "push-all"
sync_all a b
same a b "push-all"
m b set kept here --category state >/dev/null
git clone -q "$hub" "$dir/w" 2>/dev/null
git -C "$dir/w" -c user.name=x -c user.email=x@x commit -q --amend -m "rewritten"
git -C "$dir/w" push -q --force 2>/dev/null
status=0
m b sync >"$dir/said" 2>&1 || status=$?
[ $status = 1 ] || fail "a rewritten remote: status $status: $(cat "$dir/said")"
says "$dir/said" "was rewritten since" "a rewritten remote"
m b sync --join >/dev/null || fail "join of a rewritten remote"
m a sync --join >/dev/null || fail "join of a rewritten remote, a"
sync_all a b
same a b "joined again"
value a state:kept here "what was here while the remote was rewritten"

# ---- two stores that have never met
new c
m c set own "of c" --category state >/dev/null 2>&1
m c set editor "of c" --category preferences >/dev/null
status=0
m c sync --remote "$hub" >"$dir/said" 2>&1 || status=$?
[ $status = 1 ] || fail "a stranger: status $status: $(cat "$dir/said")"
says "$dir/said" "another store" "a stranger"
says "$dir/said" "entries here: 2, there: [0-9]*, keys with two values: 1" "a stranger"
m c sync --join >/dev/null || fail "join of a stranger"
sync_all a b c
same a c "joined"
value a state:own "of c" "joined"
grep -q '"of c"' "$dir/a/store/preferences.json" "$dir/a/store/archive.json" || fail "join loses an entry"

# ---- more than a quarter gone at once
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do
	m a set "many $i" "$i" --category connections >/dev/null
done
sync_all a b c
remote_gets connections.json '{}'
status=0
m b sync >"$dir/said" 2>&1 || status=$?
[ $status = 1 ] || fail "many gone: status $status: $(cat "$dir/said")"
says "$dir/said" "entries would disappear" "many gone"
says "$dir/said" "connections:many 13" "many gone, by name"
value b "connections:many 13" 13 "many gone: nothing is taken over"
m b sync --yes >/dev/null || fail "--yes"
value b "connections:many 13" "(none)" "--yes"
m a sync --yes >/dev/null || fail "--yes on a"
m c sync --yes >/dev/null || fail "--yes on c"

# ---- a file that somebody has broken at the remote, and one that is broken here
remote_gets preferences.json '{"editor": '
m b sync >"$dir/said" 2>&1 || fail "a broken remote: $(cat "$dir/said")"
says "$dir/said" "preferences.json is broken at the remote" "a broken remote"
m b get theme >/dev/null || fail "a broken file of the remote replaced a good one"
sync_all a b c
same a b "after the remote was broken"
cp "$dir/a/store/state.json" "$dir/good"
printf '{"x": \n' >"$dir/a/store/state.json"
status=0
m a sync >"$dir/said" 2>&1 || status=$?
[ $status = 65 ] || fail "a broken file here: status $status: $(cat "$dir/said")"
says "$dir/said" "state.json:" "a broken file here"
cp "$dir/good" "$dir/a/store/state.json"

# ---- a newer format, no remote, odd remotes, no git
remote_gets .kota 'kota-memory data directory, format 2'
status=0
m b sync >"$dir/said" 2>&1 || status=$?
[ $status = 65 ] || fail "a newer format: status $status: $(cat "$dir/said")"
says "$dir/said" "update it" "a newer format"
new d
m d set x 1 >/dev/null 2>&1
for url in "ext::sh -c true" "--upload-pack=true" "http://localhost/x" "git://localhost/x" "$dir/nowhere"; do
	if m d sync --remote "$url" >"$dir/said" 2>&1; then
		fail "the remote $url is taken"
	fi
done
if m d sync >"$dir/said" 2>&1; then
	fail "a sync without a remote"
fi
says "$dir/said" "kota sync --remote URL" "a sync without a remote"
if PATH=/nowhere m d sync >"$dir/said" 2>&1; then
	fail "a sync without git"
fi
says "$dir/said" "there is no git program" "a sync without git"

# ---- nothing of a store's own settings and hooks is run
begin
for what in "core.sshCommand touch $dir/ran" "core.fsmonitor touch $dir/ran" \
	"remote.origin.url ext::touch% $dir/ran" "core.hooksPath $dir/b/store/.git/hooks" \
	"credential.helper !touch $dir/ran" "filter.x.clean touch $dir/ran"; do
	git -C "$dir/b/store" config "${what%% *}" "${what#* }"
done
mkdir -p "$dir/b/store/.git/hooks"
for hook in pre-push post-checkout reference-transaction post-index-change pre-commit; do
	printf '#!/bin/sh\ntouch %s\n' "$dir/ran" >"$dir/b/store/.git/hooks/$hook"
	chmod +x "$dir/b/store/.git/hooks/$hook"
done
m b set more things --category state >/dev/null
rm -f "$dir/ran"
m b sync >/dev/null || fail "sync beside hostile settings"
[ ! -e "$dir/ran" ] || fail "something of the store's settings was run"
# The control: git as usual runs it.
git -C "$dir/b/store" -c core.fsmonitor= push -q "$hub" HEAD:refs/heads/control 2>/dev/null || :
[ -e "$dir/ran" ] || fail "control: the hooks would not have run anyway"

# ---- a remote that hangs is ended, and its reason is one sentence
printf '#!/bin/sh\nexec sleep 600\n' >"$dir/hang"
chmod +x "$dir/hang"
status=0
GIT_SSH_COMMAND="$dir/hang" m b sync --remote "nowhere:x" --limit 2 >"$dir/said" 2>&1 || status=$?
[ $status = 69 ] || fail "a remote that hangs: status $status: $(cat "$dir/said")"
says "$dir/said" "no answer within" "a remote that hangs"
printf '#!/bin/sh\necho "Host key verification failed." >&2\nexit 255\n' >"$dir/hang"
status=0
GIT_SSH_COMMAND="$dir/hang" m b sync >"$dir/said" 2>&1 || status=$?
[ $status = 69 ] || fail "an unknown host: status $status"
says "$dir/said" "Host key verification failed" "an unknown host"
[ "$(wc -l <"$dir/said")" = 1 ] || fail "an unknown host takes more than a sentence: $(cat "$dir/said")"
m b set still works --category state >/dev/null || fail "the store does not work any more"

# ---- what is purged on one machine does not come back, and goes elsewhere
begin
m a set secret "Xylophon" --category state >/dev/null
sync_all a b
m b set unsent "of b" --category state >/dev/null
m b set secret "Xylophon, once more" --category state >/dev/null
m a purge --yes state:secret >"$dir/said" || fail "purge"
says "$dir/said" "the remote of kota sync, until kota sync --push-all" "what purge does not reach"
status=0
m a sync >"$dir/said" 2>&1 || status=$?
[ $status = 1 ] || fail "sync after a purge: status $status: $(cat "$dir/said")"
says "$dir/said" "push-all replaces it there" "sync after a purge"
# has REPOSITORY: does any object have the text?
has() {
	git -C "$1" cat-file --batch-all-objects --batch | grep -qa Xylophon
}
if has "$dir/a/store"; then
	fail "sync brings back what was purged"
fi
has "$hub" || fail "control: the text is not found where it is"
m a sync --push-all >"$dir/said" || fail "push-all after a purge"
says "$dir/said" "out of reach" "what purge cannot reach"
if git -C "$hub" log -p main | grep -q Xylophon; then
	fail "the remote's history still has what was purged"
fi
m b sync >"$dir/said" 2>&1 || fail "a purge elsewhere: $(cat "$dir/said")"
says "$dir/said" "1 entry was purged on another machine" "a purge elsewhere"
if has "$dir/b/store"; then
	fail "what was purged elsewhere is still here"
fi
! grep -rq Xylophon "$dir/b/store" || fail "what was purged elsewhere is still in a file"
m a sync >/dev/null || fail "sync after a purge that travelled"
same a b "purged"
value b state:secret "(none)" "purged"
value b preferences:editor nano "purged"
value a state:unsent "of b" "what was not sent before a purge elsewhere"
! grep -q secret "$dir/a/store/purged.jsonl" || fail "purged.jsonl names what was purged"

# ---- a remote that refuses, in its own words; by way of a program in the place of ssh
begin
printf '#!/bin/sh\nwhile [ "$1" != there ]; do shift; done\neval "$2"\n' >"$dir/ssh"
chmod +x "$dir/ssh"
printf '#!/bin/sh\necho "no space left here" >&2\nexit 1\n' >"$hub/hooks/pre-receive"
chmod +x "$hub/hooks/pre-receive"
m b set full disk --category state >/dev/null
status=0
GIT_SSH_COMMAND="$dir/ssh" m b sync --remote "there:$hub" >"$dir/said" 2>&1 || status=$?
[ $status = 69 ] || fail "a remote that refuses: status $status: $(cat "$dir/said")"
says "$dir/said" "refuses the changes: remote: no space left here" "a remote that refuses"
# Of a path no hook is run: it may have come with the disk.
m b sync --remote "$hub" >/dev/null || fail "hooks of a path are run"

# ---- a secret does not leave
begin
mkdir -p "$dir/b/.config/kota-memory"
printf '{"secrets": "warn"}\n' >"$dir/b/.config/kota-memory/config.json"
m b set token "ghp_""Zx8kQ2mVb7Lr4TnYp1WcJd9HsGf3EaUu5Ki6" --category state >"$dir/said" 2>&1 || fail "set of a secret: $(cat "$dir/said")"
rm "$dir/b/.config/kota-memory/config.json"
status=0
m b sync >"$dir/said" 2>&1 || status=$?
[ $status != 0 ] || fail "a secret was sent"
says "$dir/said" "holds a secret" "a secret is not sent"
m b sync --allow-secret >/dev/null || fail "--allow-secret"

# ---- another machine's settings do not let secrets in
begin
printf '{"secrets": "off"}\n' >"$dir/a/store/config.json"
m a sync >/dev/null || fail "a sends its settings"
m b sync >/dev/null || fail "b takes them"
grep -q off "$dir/b/store/config.json" || fail "the settings did not arrive"
! m b set token "ghp_""Zx8kQ2mVb7Lr4TnYp1WcJd9HsGf3EaUu5Ki6" --category state >"$dir/said" 2>&1 || fail "a secret is stored since another machine said so"

# ---- a base that is broken: one mends what the remote had broken while this machine could not push
begin
remote_gets preferences.json '{"editor": '
printf '#!/bin/sh\nexit 1\n' >"$hub/hooks/pre-receive"
chmod +x "$hub/hooks/pre-receive"
m a set shell zsh --category preferences >/dev/null
GIT_SSH_COMMAND="$dir/ssh" m a sync --remote "there:$hub" >/dev/null 2>&1 && fail "a hook lets it pass"
rm "$hub/hooks/pre-receive"
m a sync --remote "$hub" --dry-run >/dev/null
remote_gets preferences.json '{"editor": {"value": "mended"}, "pager": {"value": "less"}}'
m a sync >"$dir/said" 2>&1 || fail "a base that is broken: $(cat "$dir/said")"
value a preferences:editor mended "a base that is broken"
value a preferences:pager less "a base that is broken"
value a preferences:shell zsh "a base that is broken"

# ---- a file that was never anything but broken, here a link, does not stand in the way
begin
clone
ln -s /etc/passwd "$dir/w/state.json"
by_git "a link"
m b sync >"$dir/said" 2>&1 || fail "a link at the remote: $(cat "$dir/said")"
[ ! -e "$dir/b/store/.sync" ] || fail "a link at the remote: .sync is left"
[ ! -e "$dir/b/store/state.json" ] || fail "a link at the remote is taken over"
m b set pet "a cat" --category state >/dev/null
sync_all a b
same a b "a link at the remote"

# ---- a file that is removed at the remote: its entries go, and nothing makes it anew
begin
m a set alias ls --category shortcuts >/dev/null
m a relate preferences:editor shortcuts:alias supports >/dev/null
printf '{"limits": {"entry_bytes": 9000}}\n' >"$dir/a/store/config.json"
sync_all a b
clone
git -C "$dir/w" rm -q shortcuts.json relations.json config.json .gitignore
by_git "removed"
sync_all b a b
same a b "removed at the remote"
value a shortcuts:alias "(none)" "removed at the remote"
grep -q 9000 "$dir/b/store/config.json" || fail "settings go with their file"
[ "$(git -C "$dir/b/store" log --format=%s | grep -c '^edit')" = 1 ] || fail "what is gone comes back as an edit"

# ---- a setting that only a newer program knows travels, and counts for nothing here
begin
remote_gets config.json '{"from_the_future": true, "limits": {"entry_bytes": 9000}}'
m a sync >/dev/null || fail "a setting that is not known stops sync"
m a set pet "a cat" --category state >"$dir/said" 2>&1 || fail "a setting that is not known stops set"
says "$dir/said" "from_the_future" "a setting that is not known"
m a sync >/dev/null 2>&1 || fail "a setting that is not known stops the next sync"
git -C "$hub" show main:config.json | grep -q from_the_future || fail "a setting that is not known is lost"

# ---- a setting of the remote that would turn the history off, and with it sync
begin
remote_gets config.json '{"git": "off", "limits": {"entry_bytes": 9000}}'
m a sync >/dev/null || fail "no history wanted by the remote: sync"
m a set pet "a cat" --category state >"$dir/said" 2>&1 || fail "no history wanted by the remote: set"
says "$dir/said" "kota sync --forget" "no history wanted by the remote"
sync_all a b
same a b "no history wanted by the remote"
value b state:pet "a cat" "no history wanted by the remote"
m b sync --forget >"$dir/said" 2>&1
says "$dir/said" "hub.git is forgotten" "a remote that is forgotten"
m b set pet "a dog" --category state >/dev/null 2>&1
[ "$(git -C "$dir/b/store" rev-parse HEAD)" = "$(git -C "$dir/a/store" rev-parse HEAD)" ] || fail "a store without a remote keeps the history that it turns off"

# ---- a remote that was set back to a change which was undone here
begin
m a set pet "a cat" --category state >/dev/null
m a sync >/dev/null
id=$(git -C "$dir/a/store" rev-parse HEAD)
m a undo "$id" >/dev/null
m a sync >/dev/null
git -C "$hub" update-ref refs/heads/main "$id"
status=0
HOME=$dir/a XDG_STATE_HOME=$dir/a/state timeout 60 "$kota" --dir "$dir/a/store" sync --join >"$dir/said" 2>&1 || status=$?
[ $status = 0 ] || fail "a remote that was set back: status $status: $(cat "$dir/said")"

# ---- a store that took over the history of another one is known as one's own when it was restored
begin
rm -rf "$dir/b"
new b
echo 2026-01-01T00:00:00Z >"$dir/clock"
KOTA_CLOCK=$dir/clock kota=$clocked m b sync --remote "$hub" >/dev/null 2>&1 || fail "a store of another time"
mv "$dir/b" "$dir/backup"
cp -a "$dir/backup" "$dir/b"
rm -rf "$dir/backup"
m b sync >"$dir/said" 2>&1 || fail "a store that was restored: $(cat "$dir/said")"

echo "$checks checks, $failed failed"
[ $failed = 0 ]
