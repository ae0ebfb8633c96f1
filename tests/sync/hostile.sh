#!/bin/sh
# Remotes and stores that somebody made to do harm: whatever they hold, nothing of it is executed,
# nothing is written outside the store, no sync hangs, what is here stays, and the store works.
#
#	tests/sync/hostile.sh [SHARE [FIRST]]	every SHARE-th case, from the FIRST; make check: 16, all: 1
set -eu
. "${srcdir:-.}/tests/sync/machines.sh"
share=${1:-16}
number=$((share - ${2:-1}))
cases=0
ran=$dir/ran
raw=$dir/raw

# ---- trees that git itself would not make

# entry MODE NAME ID: adds an entry to the tree that is being made; NAME may hold escapes of printf.
entry() {
	printf "$1 $2\\0" >>"$raw"
	printf "$(echo "$3" | awk '{
		for (i = 1; i < 40; i += 2)
			printf "\\%03o", 16 * (index("0123456789abcdef", substr($0, i, 1)) - 1) +
				index("0123456789abcdef", substr($0, i + 1, 1)) - 1
	}')" >>"$raw"
}

in_hub() {
	git -C "$hub" "$@"
}

blob() {
	printf '%s' "$1" | in_hub hash-object -w --stdin
}

# tree_done: the id of the tree made of the entries so far.
tree_done() {
	in_hub hash-object -t tree -w --literally "$raw"
	: >"$raw"
}

# put_tree TREE [MESSAGE]: makes it the remote's next commit.
put_tree() {
	in_hub update-ref refs/heads/main "$(in_hub -c user.name=x -c user.email=x@x \
		commit-tree -p main -m "${2:-hostile}" "$1")"
}

# with MODE NAME ID: the remote's tree with one entry more, or another one, in the right place.
# NAME may be in a folder.
with() {
	case $2 in
	*/*)
		inner=$({ in_hub ls-tree "main:${2%%/*}" 2>/dev/null || :; printf '%s %s %s\t%s\n' "$1" "$(kind "$1")" "$3" "${2#*/}"; } |
			sort -u | in_hub mktree --missing)
		set -- 040000 "${2%%/*}" "$inner"
		;;
	esac
	put_tree "$({ in_hub ls-tree main | grep -v "	$2\$" || :; printf '%s %s %s\t%s\n' "$1" "$(kind "$1")" "$3" "$2"; } |
		in_hub mktree --missing)"
}

kind() {
	case $1 in
	160000) echo commit ;;
	040000) echo tree ;;
	*) echo blob ;;
	esac
}

text() {
	with 100644 "$1" "$(blob "$2")"
}

# ---- one case

# Counted from another repository: git itself does not get past some settings of the store.
edits() {
	GIT_OBJECT_DIRECTORY=$dir/b/store/.git/objects git -C "$dir/a/store" log --format=%s \
		"$(cat "$dir/b/store/.git/refs/heads/main")" | grep -c '^edit'
}

outside() {
	find "$dir/victim" "$dir/b" -path "$dir/b/store" -prune -o -path "$dir/b/state" -prune -o -print
	cat "$dir/victim/file"
}

lay_out() {
	rm -rf "$dir/b" "$dir/b.git" "$hub" "$dir/victim" "$ran"
	cp -a "$dir/first/b" "$dir/b"
	cp -a "$dir/first/hub.git" "$hub"
	mkdir "$dir/victim"
	echo untouched >"$dir/victim/file"
	: >"$raw"
	words=
}

# try NAME MAKE [ARGUMENT...]: plays a case of this share.
try() {
	number=$((number + 1))
	[ $((number % share)) = 0 ] || return 0
	cases=$((cases + 1))
	what=$1
	shift
	lay_out
	outside >"$dir/outside"
	# A tree that git refuses to make is refused when it is fetched, too.
	"$@" >"$dir/made" 2>&1 || fail "$what: it could not be made: $(cat "$dir/made")"
	rm -f "$ran"
	for turn in first second; do
		status=0
		begun=$(date +%s)
		HOME=$dir/b XDG_STATE_HOME=$dir/b/state timeout -s KILL 150 "$kota" --dir "$dir/b/store" \
			sync $words >"$dir/said" 2>&1 </dev/null || status=$?
		[ $(($(date +%s) - begun)) -le 130 ] || fail "$what: $turn sync: $(($(date +%s) - begun)) s"
		case $status in
		0 | 1 | 65 | 69) ;;
		2) [ -n "$words" ] || fail "$what: $turn sync: status 2 without an argument of its own" ;;
		*) fail "$what: $turn sync: status $status: $(tail -n 2 "$dir/said")" ;;
		esac
		[ $status = 0 ] || grep -q "^these would disappear" "$dir/said" || [ "$(wc -l <"$dir/said")" = 1 ] ||
			fail "$what: more than a sentence: $(cat "$dir/said")"
		[ -z "$(find "$dir/b/store" -path "$dir/b/store/.git" -prune -o -type l -print)" ] ||
			fail "$what: a link has landed"
		if LC_ALL=C grep -q "$(printf '\033')" "$dir/said"; then
			fail "$what: a control character is shown"
		fi
		m b set "after $turn" works --category state >"$dir/said" 2>&1 ||
			fail "$what: no change can be made after the $turn sync: $(cat "$dir/said")"
	done
	value b state:mine "only here" "$what"
	value b "state:after second" works "$what"
	[ ! -e "$ran" ] || fail "$what: something was executed"
	outside | cmp -s - "$dir/outside" || fail "$what: written outside: $(outside | diff - "$dir/outside")"
	[ "$(edits)" = "$edits" ] || fail "$what: what came is taken for an edit"
}

# ---- what everything begins with
new a b
new_hub
m a set editor nano --category preferences >/dev/null 2>&1
m a set pet "a cat" --category state >/dev/null
m a set old "gone soon" --category state >/dev/null
m a delete old >/dev/null
mkdir "$dir/a/store/notes"
echo "a note" >"$dir/a/store/notes/n.md"
printf '{"limits": {"entry_bytes": 5000}}\n' >"$dir/a/store/config.json"
m a sync --remote "$hub" >/dev/null
m b sync --remote "$hub" >/dev/null
m b set mine "only here" --category state >/dev/null
edits=$(edits)
mkdir "$dir/first"
cp -a "$dir/b" "$hub" "$dir/first"
empty=$(git -C "$dir/first/hub.git" hash-object -t tree /dev/null)
commit=$(git -C "$dir/first/hub.git" rev-parse main)

# ---- names
named() {
	entry "$1" "$2" "$(blob "$3")"
	put_tree "$(tree_done)"
}
named_inside() {
	entry 100644 "$2" "$(blob evil)"
	inner=$(tree_done)
	entry 40000 "$1" "$inner"
	put_tree "$(tree_done)"
}
for item in . .. .git .GIT git~1 ".git " ".g\\342\\200\\214it" "..\\\\victim" "a\\033[31mb.md" "a\\nb" \
	"../victim/file" "$dir/victim/file" "C:\\\\x"; do
	try "the name $item" named 100644 "$item" evil
	try "a link $item" named 120000 "$item" "$dir/victim/file"
	try "notes/$item" named_inside notes "$item"
done
hooks() {
	entry 100755 post-checkout "$(blob "touch $ran")"
	inner=$(tree_done)
	entry 100644 config "$(blob "[core] fsmonitor = touch $ran")"
	entry 40000 hooks "$inner"
	inner=$(tree_done)
	entry 40000 .git "$inner"
	put_tree "$(tree_done)"
}
try "a .git with hooks" hooks
twins() {
	text State.json '{"pet": {"value": "another"}}'
	text STATE.JSON '{"pet": {"value": "a third"}}'
	text notes/N.md other
}
try "twins" twins
doubled() {
	entry 100644 state.json "$(blob '{}')"
	entry 100644 state.json "$(blob '{"a":1}')"
	put_tree "$(tree_done)"
}
try "an entry twice" doubled
unsorted() {
	entry 100644 state.json "$(blob '{}')"
	entry 100644 patterns.json "$(blob '{}')"
	put_tree "$(tree_done)"
}
try "a tree that is not sorted" unsorted
deep() {
	inner=$(blob x)
	entry 100644 x "$inner"
	inner=$(tree_done)
	i=0
	while [ $i -lt "$1" ]; do
		printf '40000 x\0' >"$raw"
		printf "$(echo "$inner" | sed 's/../\\x&/g')" >>"$raw"
		i=$((i + 1))
		inner=$(tree_done)
	done
	with 040000 deep "$inner"
}

# ---- what is no file
for item in state.json archive.json config.json .kota .gitignore notes/n.md archive.cold/2026-01.jsonl notes/new.md; do
	try "a submodule $item" with 160000 $item 1111111111111111111111111111111111111111
	try "a submodule $item that is here" with 160000 $item "$commit"
	link() {
		with 120000 "$1" "$(blob "$2")"
	}
	try "a link $item" link $item "$dir/victim/file"
	try "a link $item upwards" link $item ../../../victim/file
	try "a program $item" with 100755 $item "$(git -C "$dir/first/hub.git" rev-parse main:state.json)"
	try "a folder $item" with 040000 $item "$(git -C "$dir/first/hub.git" rev-parse main:notes)"
done
for item in notes archive.cold; do
	try "a submodule $item" with 160000 $item "$commit"
	try "a link $item" link $item "$dir/victim"
	try "a file $item" text $item "no folder"
done
modules() {
	text .gitmodules "[submodule \"x\"]
	path = x
	url = -u./payload
	update = !touch $ran"
	with 160000 x "$commit"
}
try "submodules that execute" modules
attributes() {
	text .gitattributes "* filter=x merge=x diff=x"
	text .gitconfig "[filter \"x\"] smudge = touch $ran"
	in_hub config filter.x.smudge "touch $ran"
	in_hub config filter.x.clean "touch $ran"
	in_hub config merge.x.driver "touch $ran"
}
try "attributes and filters" attributes

# ---- what the files say
try "deep JSON" text state.json "$(printf '%2000s' | sed 's/ /[/g')"
try "an array" text state.json '[1,2,3]'
try "nothing" text state.json ''
try "other bytes" text state.json "$(printf '{"a\377": "\001\033[31m"}')"
try "a key with terminal codes" text state.json "$(printf '{"\\u001b[31mred": {"value": "\\u001b]0;x\\u0007"}}')"
try "a key twice" text state.json '{"pet": {"value": 1}, "pet": {"value": 2}}'
try "records that are none" text archive.json '{"state": [1, {"key": 7}], "x": {"y": []}}'
try "relations that are none" text relations.json '{"a": [], "b": 7}'
try "synonyms that are none" text synonyms.json '{"a": 7}'
try "a settings file that is none" text config.json '[]'
try "an unknown setting" text config.json '{"limits": {"entry_bytes": 6000}, "from_the_future": true}'
try "a setting out of range" text config.json '{"limits": {"entry_bytes": -1}}'
try "a setting of the wrong type" text config.json '{"git": {"own": 1}}'
try "a folder of notes elsewhere" text config.json "{\"notes_dir\": \"$dir/victim\"}"
try "a folder of notes above" text config.json '{"notes_dir": "../../victim"}'
try "no history wanted" text config.json '{"git": "off"}'
try "a higher format" text .kota 'kota-memory data directory, format 99999999999999999999'
try "a format that is none" text .kota 'format -1'
try "everything ignored" text .gitignore '*'
try "no format" text .kota ''
large() {
	with 100644 "$1" "$(head -c "$2" /dev/zero | tr '\0' "$3" | in_hub hash-object -w --stdin)"
}
try "9 MB" large state.json 9000000 ' '
try "300 MB of zeros" large notes/big.md 300000000 '\0'
crowded() {
	note=$(blob x)
	inner=$(seq 20000 | sed "s/.*/100644 blob $note	&.md/" | sort -t'	' -k2 | in_hub mktree)
	with 040000 notes "$inner"
}
try "20,000 notes" crowded

# ---- the history, the refs, the other side
root() {
	in_hub update-ref refs/heads/main "$(in_hub -c user.name=x -c user.email=x@x commit-tree -m root "$empty")"
}
try "another history" root
emptied() {
	put_tree "$empty"
}
try "emptied" emptied
raw_commit() {
	printf 'tree %s\nparent %s\nauthor %s\ncommitter %s\n\n%s\n' "$(in_hub rev-parse 'main^{tree}')" \
		"$commit" "$1" "$1" "$2" >"$raw"
	in_hub update-ref refs/heads/main "$(in_hub hash-object -t commit -w --literally "$raw")"
}
try "an author without a name" raw_commit "<> 0 +0000" x
try "an author with terminal codes" raw_commit "$(printf 'a\033[31mb') <x@x> 1700000000 +0000" "$(printf '\033]0;x\007')"
try "a time far ahead" raw_commit "x <x@x> 99999999999 +0000" x
try "a time before all" raw_commit "x <x@x> -5 -9999" x
try "no author" raw_commit "" x
long() {
	raw_commit "x <x@x> 1700000000 +0000" "$(head -c 3000000 /dev/zero | tr '\0' x)"
}
try "3 MB of a message" long
trailers() {
	raw_commit "x <x@x> 1700000000 +0000" "set state:pet

Kota-Change: 00000000000000000000000000000000
Kota-Undoes: $commit
Kota-Conflict: ../../victim"
}
try "trailers that lie" trailers
points_to() {
	echo "$1" >"$hub/refs/heads/main"
}
try "a branch that is a file" points_to "$(git -C "$dir/first/hub.git" rev-parse main:state.json)"
try "a branch that is a tree" points_to "$empty"
try "a branch that is nowhere" points_to 1111111111111111111111111111111111111111
try "a branch that is a link" points_to "ref: ../../../victim/file"
try "a branch of nonsense" points_to "x"
refs() {
	seq 5000 | sed "s,.*,create refs/heads/b& $commit," | in_hub update-ref --stdin
	seq 5000 | sed "s,.*,create refs/tags/t& $commit," | in_hub update-ref --stdin
}
try "10,000 refs" refs
merges() {
	one=$(in_hub -c user.name=x -c user.email=x@x commit-tree -p main -m one "main^{tree}")
	two=$(in_hub -c user.name=x -c user.email=x@x commit-tree -p main -m two "main^{tree}")
	in_hub update-ref refs/heads/main "$(in_hub -c user.name=x -c user.email=x@x commit-tree -p "$one" -p "$two" \
		-p main -m all "main^{tree}")"
}
try "a merge of three" merges
remote_hooks() {
	for hook in pre-receive update post-receive post-update reference-transaction proc-receive push-to-checkout; do
		printf '#!/bin/sh\ntouch %s\n' "$ran" >"$hub/hooks/$hook"
		chmod +x "$hub/hooks/$hook"
	done
	in_hub config receive.procReceiveRefs refs/heads
	in_hub config uploadpack.packObjectsHook "touch $ran"
	in_hub config core.fsmonitor "touch $ran"
	in_hub config core.sshCommand "touch $ran"
	in_hub config core.alternateRefsCommand "touch $ran"
	in_hub config gc.recentObjectsHook "touch $ran"
	git init -q --bare "$dir/b.git"
	echo "$dir/b.git/objects" >"$hub/objects/info/alternates"
}
try "hooks and settings of a path" remote_hooks
checked_out() {
	remote_hooks
	in_hub config core.bare false
	in_hub config core.worktree "$dir/victim"
	in_hub config receive.denyCurrentBranch updateInstead
}
try "a remote with a work tree" checked_out
shallow() {
	echo "$commit" >"$hub/shallow"
}
try "a shallow remote" shallow
lazy() {
	in_hub config core.repositoryFormatVersion 1
	in_hub config extensions.partialClone x
	in_hub config remote.x.url "ext::touch% $ran"
	in_hub config remote.x.promisor true
	rm -f "$hub"/objects/"$(in_hub rev-parse main:state.json | sed 's,^..,&/,')"
}
try "a remote that fetches what it lacks" lazy
lost() {
	rm -f "$hub"/objects/"$(echo "$(in_hub rev-parse "main:$1")" | sed 's,^..,&/,')"
	text notes/more.md more
}
try "objects are missing" lost patterns.json
damaged() {
	text notes/more.md more
	file=$hub/objects/$(in_hub rev-parse main:notes/more.md | sed 's,^..,&/,')
	chmod +w "$file"
	printf 'xxxx' | dd of="$file" bs=1 seek=3 conv=notrunc 2>/dev/null
}
try "an object is damaged" damaged
outpaced() {
	i=0
	while [ $i -lt 60 ]; do
		raw_commit "x <x@x> 1700000000 +0000" "$i"
		commit=$(in_hub rev-parse main)
		i=$((i + 1))
	done
	commit=$(git -C "$dir/first/hub.git" rev-parse main)
}
try "60 empty commits" outpaced
try "a tree 3,000 deep" deep 3000

# ---- what answers
over() {
	printf '#!/bin/sh\n%s\n' "$1" >"$dir/ssh"
	chmod +x "$dir/ssh"
	GIT_SSH_COMMAND=$dir/ssh
	export GIT_SSH_COMMAND
	words="--remote host:x --limit 3"
}
try "it is silent" over "exec sleep 300"
try "it is silent and does not end" over "trap '' TERM; while :; do sleep 1; done"
try "it says zeros for ever" over "exec cat /dev/zero"
try "it says lines for ever" over "exec yes 'fatal: not this'"
try "it says errors for ever" over "exec yes 'remote: not this' >&2"
try "it begins a pack for ever" over "printf '003fNAK\n'; exec cat /dev/urandom"
try "it ends at once" over "exit 0"
try "it says terminal codes" over "printf '\\033[31mfatal: \\033]0;x\\007\\n' >&2; exit 128"
try "it asks for a password" over "read -r password </dev/tty && touch $ran"
refs_for_ever='id=1111111111111111111111111111111111111111
printf "0000" | head -c 0
i=0
while :; do i=$((i + 1)); printf "%04x%s refs/heads/b%09d\n" 66 $id $i; done'
try "it lists refs for ever" over "$refs_for_ever"
unset GIT_SSH_COMMAND
say_words() {
	words=$1
}
for url in "--remote=ext::touch%20$ran" "--remote=ext::sh%20-c%20touch" "--remote=-oProxyCommand=touch" \
	"--remote=--upload-pack=touch" "--remote=ssh://-oProxyCommand=touch/x" "--remote=-x:y" \
	"--remote=ssh://x@-oProxyCommand=touch/x" "--remote=file::$dir/first/hub.git" "--remote=fd::0" \
	"--remote=git://127.0.0.1/x" "--remote=http://127.0.0.1/x" "--remote=ftp://127.0.0.1/x" \
	"--remote=$dir/victim/file" "--remote=$dir/victim" "--remote=/dev/zero" "--remote=/proc/self/root" \
	"--remote=https://127.0.0.1:1/x" "--branch=-x" "--branch=../x" "--branch=a..b" "--branch=refs/heads/main@{1}"; do
	try "$url" say_words "$url"
done

# ---- stores that came from somebody
in_store() {
	git -C "$dir/b/store" "$@"
}
setting() {
	in_store config "$1" "$2"
}
for item in "core.sshCommand touch $ran" "core.fsmonitor touch $ran" "core.gitProxy touch $ran" \
	"core.alternateRefsCommand touch $ran" "core.pager touch $ran" "core.editor touch $ran" \
	"core.askPass touch $ran" "gpg.program touch $ran" "credential.helper !touch $ran" \
	"filter.x.clean touch $ran" "filter.x.process touch $ran" "diff.external touch $ran" \
	"merge.x.driver touch $ran" "remote.origin.url ext::touch% $ran" "remote.origin.uploadpack touch $ran" \
	"url.ext::touch%.insteadOf /" "gc.recentObjectsHook touch $ran" "core.worktree $dir/victim" \
	"include.path /dev/zero" "commit.gpgSign true"; do
	try "a store with ${item%% *}" setting "${item%% *}" "${item#* }"
done
store_hooks() {
	mkdir -p "$dir/b/store/.git/hooks"
	for hook in pre-push post-checkout reference-transaction post-index-change pre-commit post-commit post-rewrite \
		pre-auto-gc fsmonitor-watchman; do
		printf '#!/bin/sh\ntouch %s\n' "$ran" >"$dir/b/store/.git/hooks/$hook"
		chmod +x "$dir/b/store/.git/hooks/$hook"
	done
}
try "a store with hooks" store_hooks
store_attributes() {
	mkdir -p "$dir/b/store/.git/info"
	echo "* filter=x merge=x" >"$dir/b/store/.git/info/attributes"
	setting filter.x.clean "touch $ran"
	setting merge.x.driver "touch $ran"
	echo "* filter=x merge=x" >"$dir/b/store/.gitattributes"
}
try "a store with attributes" store_attributes
store_alternates() {
	mkdir -p "$dir/b/store/.git/objects/info"
	echo "$dir/victim" >"$dir/b/store/.git/objects/info/alternates"
	ln -s "$dir/victim/file" "$dir/b/store/.git/FETCH_HEAD"
}
try "a store with links in .git" store_alternates
store_note() {
	printf '%s\n' "$1" >"$dir/b/store/.sync"
}
try "a store with a .sync of nonsense" store_note '[['
try "a store with a .sync that leads nowhere" store_note \
	"{\"from\": \"$(git -C "$dir/first/b/store" rev-parse HEAD)\", \"to\": \"1111111111111111111111111111111111111111\"}"
try "news, for comparison" text notes/more.md more

# The control: git as usual in such a store runs what it says.
lay_out
store_hooks
git -C "$dir/b/store" push -q "$hub" HEAD:refs/heads/control >/dev/null 2>&1 || :
[ -e "$ran" ] || fail "control: a store's hooks would not have run anyway"
lay_out
remote_hooks
git -C "$dir/b/store" push -q "$hub" HEAD:refs/heads/control >/dev/null 2>&1 || :
[ -e "$ran" ] || fail "control: a remote's hooks would not have run anyway"

echo "$cases of $number cases, $failed failed"
[ $failed = 0 ]
