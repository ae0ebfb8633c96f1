#!/bin/sh
# Building, installing and removing on a bare Debian 12, each in a root of its own: from a checkout as
# README says, from the source archive without autotools, and as a Debian package; and what Claude
# Code then remembers.
#
#	tests/packages.sh [SCENE...]		checkout, archive, package; all of them without an argument
#
# Needs root, debootstrap, overlay mounts and Debian's archive. The bare root is made once, in
# $PACKAGES (else /var/tmp/kota-packages), and each scene sees a copy that is thrown away; mounts are
# in a name space of their own and end with this program. What apt downloads is kept for the next run.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
work=${PACKAGES:-/var/tmp/kota-packages}
suite=bookworm

skip() {
	echo "packages: skipped: $1"
	echo "0 passed, 0 failed"
	exit 77
}

[ "$(id -u)" = 0 ] || skip "not root"
for program in debootstrap unshare:util-linux git; do
	command -v "${program%:*}" >/dev/null ||
		skip "${program%:*} is not installed (package ${program#*:})"
done
if [ -z "${KOTA_PACKAGES_APART:-}" ]; then
	unshare --mount true 2>/dev/null || skip "no name space for mounts"
	KOTA_PACKAGES_APART=1 exec unshare --mount --propagation private "$0" "$@"
fi

mkdir -p "$work/apt"
if [ ! -e "$work/bare/.made" ]; then
	rm -rf "$work/bare"
	debootstrap --variant=minbase "$suite" "$work/bare" >"$work/debootstrap.log" 2>&1 ||
		skip "debootstrap cannot make a root, see $work/debootstrap.log"
	touch "$work/bare/.made"
fi
passed=0
failed=0

# expect WHAT WANTED GOT
expect() {
	if [ "$2" = "$3" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		printf '%s:\n%s\nnot\n%s\n' "$1" "$3" "$2"
	fi
}

# Throws the root away, never what is mounted into it.
discard() {
	! mountpoint -q "$root" || umount --recursive --lazy "$root"
	rm -rf --one-file-system "${work:?}/$name"
}

# root NAME: a bare root of this name, in $root; what was there is thrown away.
root() {
	name=$1
	root=$work/$name/root
	discard
	mkdir -p "$work/$name/changes" "$work/$name/overlay" "$root"
	mount -t overlay overlay \
		-o "lowerdir=$work/bare,upperdir=$work/$name/changes,workdir=$work/$name/overlay" "$root"
	mount -t proc proc "$root/proc"
	mount --rbind /dev "$root/dev"
	mount --bind "$work/apt" "$root/var/cache/apt/archives"
	rm -f "$root/etc/apt/apt.conf.d/docker-clean"
	cp -L /etc/resolv.conf "$root/etc/resolv.conf"
	log=$work/$name.log
	: >"$log"
}

# inside COMMAND: in that root, as a person who has just logged in; its output goes to the log.
inside() {
	env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb \
		DEBIAN_FRONTEND=noninteractive ${http_proxy:+http_proxy="$http_proxy"} \
		chroot "$root" /bin/sh -ec "cd; $1" 2>>"$log"
}

# run WHAT COMMAND: it must succeed; says how long it took.
run() {
	start=$(date +%s%N)
	if inside "$2" >>"$log"; then
		took=$((($(date +%s%N) - start) / 100000000))
		printf '%-10s %-44s %3d.%d s\n' "$name" "$1" $((took / 10)) $((took % 10))
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		printf '%s: %s: failed, see %s\n' "$name" "$1" "$log"
		tail -n 20 "$log"
	fi
}

# What there is in the root but for what the package manager keeps for itself.
listing() {
	(cd "$root" && find . -xdev \( -path ./var/lib/apt -o -path ./var/lib/dpkg -o -path ./var/cache \
		-o -path ./var/log -o -path ./tmp -o -path ./root \) -prune -o -print) | LC_ALL=C sort
}

fetch='apt-get update -q && apt-get install -q -y --no-install-recommends'

# The commands of README's block of them that has this in it, as root.
readme() {
	awk -v want="$1" '
		/^```/ && on { if (index(block, want)) { printf "%s", block; exit }; on = 0; next }
		/^```/ { on = 1; block = "" ; next }
		on { block = block $0 "\n" }' "$here/README.md" | sed 's/^sudo //'
}

# A session of Claude Code: session PROMPT PLAN; the requests are in $work/requests. The client is
# one program, that of tests/claude.sh; the API that it asks is outside of the root.
session() {
	rm -f "$work/api"
	mkfifo "$work/api"
	node "$here/tests/claude/serve.mjs" "$2" "$work/requests" <"$work/api" >"$work/url" &
	exec 4>"$work/api"
	while [ ! -s "$work/url" ]; do sleep 0.1; done
	run "claude -p \"$1\"" "ANTHROPIC_BASE_URL=$(cat "$work/url") ANTHROPIC_API_KEY=sk-ant-none \
		CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 claude -p '$1' \
		--allowedTools mcp__memory__memory_set,mcp__memory__memory_get </dev/null"
	exec 4>&-
	wait
	rm -f "$work/url"
}

# From README's last command of the start to a preference that the next session begins with.
claude_remembers() {
	if ! [ -x "$claude" ]; then
		echo "$name: skipped: Claude Code cannot be had"
		return
	fi
	touch "$root/usr/local/bin/claude"
	mount --bind "$(realpath "$claude")" "$root/usr/local/bin/claude"
	run "kota setup claude --hooks" "$(readme "kota setup claude --hooks" | grep '^kota setup')"
	session "remember I use vim" '[
		{"tool":"memory_set","input":{"key":"editor","value":"vim","category":"preferences"}},
		{"text":"I will remember that."}]'
	session "which editor do I use?" '[{"tool":"memory_get","input":{"query":"editr"}},
		{"text":"You use vim."}]'
	expect "$name: the next session begins with it" 1 \
		"$(head -n 1 "$work/requests" | grep -c 'Preferences:.n- editor: vim')"
	run "kota setup claude --remove" "kota setup claude --remove"
	umount "$root/usr/local/bin/claude"
	rm "$root/usr/local/bin/claude"
	rm -rf "$root/root/.local"
}

claude=
if command -v node >/dev/null; then
	missing() { claude=; }
	. "$here/tests/claude/client.sh"
fi

# What a person sees who keeps something and asks for it with a typo.
remembers() {
	run "keeps a preference" "kota set 'preferences:editor' vim"
	expect "$name: and finds it" vim "$(inside "kota get editr")"
	expect "$name: with a history" 1 "$(inside "kota log editor" | grep -c added)"
}

scene_checkout() {
	root checkout
	git clone -q "$here" "$root/root/kota-memory"
	needs=$(sed -n "s/^[a-z]*:[^ ]* \([a-z0-9-]*\)\$/\1/p" "$here/bootstrap" | tr '\n' ' ')
	run "what apt downloads" "apt-get update -q &&
		apt-get install -q -y --no-install-recommends --download-only $needs"
	readme "make demo" | sed 's/ && /\n/g' >"$work/commands"
	while read -r command; do
		run "README: $command" "cd kota-memory; $command"
	done <"$work/commands"
	before=$(listing)
	run "README: make install" "cd kota-memory; $(readme 'make install' | grep install)"
	claude_remembers
	remembers
	run "make uninstall" "cd kota-memory; make uninstall"
	expect "checkout: nothing is left" "$before" "$(listing)"
	run "make dist" "cd kota-memory; make -s dist; cp kota-memory-*.tar.xz first"
	run "make dist gives the same again" "cd kota-memory; make -s dist; cmp kota-memory-*.tar.xz first"
	cp "$root"/root/kota-memory/kota-memory-*.tar.xz "$work"
	run "debhelper and lintian" "$fetch build-essential debhelper lintian"
	run "make deb" "cd kota-memory; make -s deb"
	run "lintian" "cd kota-memory; lintian --fail-on error kota-memory_*.deb"
	rm -f "$work"/kota-memory_*.deb
	cp "$root"/root/kota-memory/kota-memory_*.deb "$work"
}

# The archive of the scene before, with a compiler and the libraries alone, and with times that would
# have make believe that everything made by autotools is out of date.
scene_archive() {
	root archive
	cp "$work"/kota-memory-*.tar.xz "$root/root"
	run "compiler and libraries" "$fetch gcc libc6-dev make pkg-config xz-utils tzdata libcjson-dev \
		libtre-dev libutf8proc-dev libmd-dev libgit2-dev libcmocka-dev"
	expect "archive: no autotools" "" "$(inside "command -v autoconf automake autoreconf || :")"
	run "configure" "tar -xf kota-memory-*.tar.xz; cd kota-memory-*/
		find . -name '*.in' -exec touch {} +; sleep 1; touch configure.ac Makefile.am */Makemodule.am
		./configure"
	run "make" "cd kota-memory-*/; make -j2"
	run "make check" "cd kota-memory-*/; make check -j2"
	before=$(listing)
	run "make install" "cd kota-memory-*/; make install"
	remembers
	run "make uninstall" "cd kota-memory-*/; make uninstall"
	expect "archive: nothing is left" "$before" "$(listing)"
}

scene_package() {
	root package
	cp "$work"/kota-memory_*.deb "$root/root"
	inside "apt-get update -q" >>"$log"
	before=$(listing)
	run "what apt downloads" "apt-get install -q -y --download-only ./kota-memory_*.deb"
	run "apt-get install" "apt-get install -q -y ./kota-memory_*.deb"
	claude_remembers
	remembers
	expect "package: hardened" "8 passed, 0 failed" \
		"$("$here/tests/hardening.sh" "$root/usr/bin/kota" "")"
	run "apt-get purge" "apt-get purge -q -y kota-memory; apt-get autoremove -q -y --purge"
	expect "package: nothing is left" "$before" "$(listing)"
	run "shells and man" "apt-get install -q -y ./kota-memory_*.deb man-db bash-completion zsh fish"
	expect "package: man kota" 1 "$(inside "man kota" | grep -c '^NAME')"
	expect "package: bash completes" "complete -F _kota kota" \
		"$(inside "bash -c '. /usr/share/bash-completion/bash_completion
			_completion_loader kota; complete -p kota'")"
	expect "package: zsh completes" _kota \
		"$(inside "zsh -fc 'autoload -Uz compinit; compinit -D -u; print \$_comps[kota]'")"
	expect "package: fish completes" doctor "$(inside "fish -c 'complete -C \"kota doct\"'" | cut -f1)"
}

for scene in ${*:-checkout archive package}; do
	"scene_$scene"
	discard
done
rm -f "$work/api" "$work/commands" "$work/requests"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
