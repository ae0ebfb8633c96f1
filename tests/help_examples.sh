#!/bin/sh
# Each command has two examples in its help, and each of them works: every example runs in a project
# of its own, whose store has what the examples name, and ends with status 0.
set -eu
kota=$(cd "$(dirname "$KOTA")" && pwd)/$(basename "$KOTA")
dir=$(mktemp -d "${TMPDIR:-/tmp}/kota-help-XXXXXX")
dir=$(cd "$dir" && pwd -P)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/bin" "$dir/home/project"
ln -s "$kota" "$dir/bin/kota"
failed=0

# run COMMAND: in a fresh copy of the project.
run() {
	rm -rf "$dir/run"
	cp -a "$dir/home" "$dir/run"
	(
		cd "$dir/run/project" &&
			env -i PATH="$dir/bin:$PATH" HOME="$dir/run" TZ=UTC TERM=dumb LC_ALL=C.UTF-8 \
				LSAN_OPTIONS="${LSAN_OPTIONS:-}" \
				XDG_STATE_HOME="$dir/run/.local/state" TMPDIR="$dir/run" EDITOR=true \
				GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=you GIT_AUTHOR_EMAIL=you@example.org \
				GIT_COMMITTER_NAME=you GIT_COMMITTER_EMAIL=you@example.org \
				sh -c "$1"
	) </dev/null >"$dir/out" 2>&1
}

run '
kota init
kota set editor nano --category preferences
kota set editor vim --category preferences
kota set state:release "{\"version\": \"2.1\"}" --tags work
kota set state:todo "water the plants"
kota set state:chores "water the plants"
kota set state:shell zsh
kota delete shell
kota set connections:Anna "leads the design team"
kota export > memories.json
printf "%s\n" "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}" > requests.jsonl
git init -q . && echo data > .gitignore && git add .gitignore && git commit -qm "begin"
kota log --limit 1
' || { cat "$dir/out"; exit 1; }
rm -rf "$dir/home"
mv "$dir/run" "$dir/home"

commands=$("$KOTA" complete '' | grep -v '^-')
for command in $commands; do
	"$KOTA" help "$command" | sed -n '/^Examples$/,/^$/s/^  //p' >"$dir/examples"
	if [ "$(wc -l <"$dir/examples")" -ne 2 ]; then
		echo "kota help $command: no two examples"
		failed=1
	fi
	while read -r example; do
		case $example in
		*/tmp/*) example=$(printf '%s\n' "$example" | sed "s|/tmp/|$dir/run/|") ;;
		esac
		if ! run "$example"; then
			echo "kota help $command: this fails: $example"
			cat "$dir/out"
			failed=1
		fi
	done <"$dir/examples"
done
[ -n "$commands" ]
exit $failed
