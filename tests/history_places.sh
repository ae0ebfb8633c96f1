#!/bin/sh
# A store in places where git is otherwise at home, or not well: a change is made in each of them,
# and is recorded where that is right. Needs the git program.
set -eu
command -v git >/dev/null 2>&1 || {
	echo "skipped: git is not installed (package git)"
	exit 77
}
dir=$(mktemp -d "${TMPDIR:-/tmp}/kota-places-XXXXXX")
trap 'rm -rf "$dir"' EXIT
export HOME="$dir/home" XDG_CONFIG_HOME="$dir/home" GIT_CONFIG_NOSYSTEM=1
unset KOTA_MEMORY_GIT KOTA_MEMORY_DIR
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

# set STORE KEY: a change, which has to be made whatever the history says.
set_key() {
	"$KOTA" --dir "$1" set "$2" "\"a value\"" --category state >"$dir/out" 2>&1 || true
	expect "$1: set $2" "a value" "$("$KOTA" --dir "$1" get "state:$2" 2>/dev/null)"
}

subject() {
	git -C "$1" log -1 --format=%s 2>&1
}

# The repository is sound, and its last commit has the file as it is.
sound() {
	expect "$1: fsck" "" "$(git -C "$1" fsck --no-dangling 2>&1 | grep -v '^notice:' || true)"
	expect "$1: recorded" "$(cat "$1/state.json")" "$(git -C "$1" show HEAD:state.json 2>&1)"
}

# In a repository of the person: left alone, unless that repository ignores it or the person says so.
git init -q "$dir/project"
mkdir -p "$dir/project/data"
set_key "$dir/project/data/plain" a
expect "unignored: no repository" no "$([ -e "$dir/project/data/plain/.git" ] && echo yes || echo no)"
expect "unignored: said" 1 "$(grep -c "lies in the repository" "$dir/out")"
echo "data/hidden/" >"$dir/project/.gitignore"
set_key "$dir/project/data/hidden" a
sound "$dir/project/data/hidden"
mkdir "$dir/project/data/chosen"
echo '{"git": "own"}' >"$dir/project/data/chosen/config.json"
set_key "$dir/project/data/chosen" a
sound "$dir/project/data/chosen"
expect "the project has no commit" 0 "$(git -C "$dir/project" rev-list --all --count)"

# A work tree of another repository: .git is a file there.
git init -q "$dir/main"
git -C "$dir/main" -c user.name=p -c user.email=p@e commit -q --allow-empty -m first
git -C "$dir/main" worktree add -q "$dir/tree" -b side/branch 2>/dev/null
"$BUILD/tests/own" "$dir/tree"
set_key "$dir/tree" a
sound "$dir/tree"
expect "worktree: its own branch" "set state:a" "$(git -C "$dir/main" log -1 --format=%s side/branch)"
expect "worktree: the other branch" first "$(subject "$dir/main")"

# A submodule: .git is a file there that leads into the folder of the project's repository.
git init -q "$dir/module"
git -C "$dir/module" -c user.name=p -c user.email=p@e commit -q --allow-empty -m first
git init -q "$dir/super"
git -C "$dir/super" -c protocol.file.allow=always submodule --quiet add "$dir/module" memory
git -C "$dir/super/memory" checkout -q -B notes
git -C "$dir/super" -c user.name=p -c user.email=p@e commit -q -m "the submodule"
set_key "$dir/super/memory" b
expect "submodule: not used before it is trusted" first "$(subject "$dir/super/memory")"
"$BUILD/tests/own" "$dir/super/memory"
set_key "$dir/super/memory" a
sound "$dir/super/memory"
expect "submodule: its own branch" "set state:a" "$(subject "$dir/super/memory")"
expect "submodule: the project's branch" "the submodule" "$(subject "$dir/super")"
expect "submodule: the project's index" "" "$(git -C "$dir/super" diff --cached --name-only)"

# Line ends and filters are for the person's work tree; blobs have the bytes of the files.
git init -q "$dir/crlf"
git -C "$dir/crlf" config core.autocrlf true
printf '{\r\n  "x": 1\r\n}\r\n' >"$dir/crlf/state.json"
set_key "$dir/crlf" a
sound "$dir/crlf"
git init -q "$dir/filter"
git -C "$dir/filter" config filter.shout.clean "tr a-z A-Z"
git -C "$dir/filter" config filter.shout.required true
echo '*.json filter=shout' >"$dir/filter/.gitattributes"
set_key "$dir/filter" a
sound "$dir/filter"

# Hooks are not run.
git init -q "$dir/hooks"
printf '#!/bin/sh\ntouch %s/ran\nexit 1\n' "$dir" >"$dir/hooks/.git/hooks/pre-commit"
cp "$dir/hooks/.git/hooks/pre-commit" "$dir/hooks/.git/hooks/reference-transaction"
chmod +x "$dir/hooks/.git/hooks/"*
set_key "$dir/hooks" a
expect "hooks: not run" no "$([ -e "$dir/ran" ] && echo yes || echo no)"
rm -f "$dir/hooks/.git/hooks/pre-commit" "$dir/hooks/.git/hooks/reference-transaction"
sound "$dir/hooks"

# What the person ignores is not recorded.
git init -q "$dir/ignored"
echo state.json >"$dir/ignored/.gitignore"
set_key "$dir/ignored" a
expect "ignored: not recorded" "" "$(git -C "$dir/ignored" ls-tree --name-only HEAD state.json 2>/dev/null)"

# As for git, a rule that comes later does not hold for what is recorded already.
set_key "$dir/later" a
echo '*' >"$dir/later/.gitignore"
set_key "$dir/later" b
expect "ignored later: recorded" "a b" "$(git -C "$dir/later" show HEAD:state.json | grep -o '"[ab]"' | tr -d '"' | paste -sd ' ')"
sound "$dir/later"

# Repositories in which nothing can be recorded.
git init -q --object-format=sha256 "$dir/sha256" 2>/dev/null && set_key "$dir/sha256" a
mkdir "$dir/broken" "$dir/broken/.git"
set_key "$dir/broken" a
mkdir "$dir/gitfile"
echo "gitdir: $dir/nowhere" >"$dir/gitfile/.git"
set_key "$dir/gitfile" a
if [ "$(id -u)" = 0 ]; then
	git init -q "$dir/foreign"
	chown -R 12345 "$dir/foreign/.git"
	set_key "$dir/foreign" a
	expect "foreign: nothing recorded" 0 "$(git -c safe.directory='*' -C "$dir/foreign" rev-list --all --count 2>/dev/null || echo 0)"
fi

# Odd states: recorded again as soon as they are over.
set_key "$dir/odd" a
first=$(git -C "$dir/odd" rev-parse HEAD)
git -C "$dir/odd" checkout -q --detach
set_key "$dir/odd" b
expect "detached: left alone" "$first" "$(git -C "$dir/odd" rev-parse HEAD)"
git -C "$dir/odd" checkout -q main
git -C "$dir/odd" pack-refs --all
set_key "$dir/odd" c
sound "$dir/odd"
rm "$dir/odd/.git/index"
set_key "$dir/odd" d
sound "$dir/odd"
expect "without an index: nothing staged" "" "$(git -C "$dir/odd" diff --cached --name-only)"
: >"$dir/odd/.git/index"
set_key "$dir/odd" e
sound "$dir/odd"
expect "damaged index: nothing staged" "" "$(git -C "$dir/odd" diff --cached --name-only)"
rm -rf "$dir/odd/.git"
set_key "$dir/odd" f
sound "$dir/odd"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
