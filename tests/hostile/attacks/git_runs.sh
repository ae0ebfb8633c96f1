#!/bin/sh
# The store's repository names commands: hooks, a file system monitor, filters, a pager, an editor, a
# transport. No command is run, since the library runs none; the control is git's own program, for
# which they are meant.
# Version 0.1.0: it was stopped.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=ran
without=git
forms=archive

plant()
{
	git init -q . && git config user.name a && git config user.email a@example.org || return 1
	git add -fA && git commit -qm a
	for hook in post-commit pre-commit post-checkout post-index-change reference-transaction; do
		printf '#!/bin/sh\ntouch "%s/ran"\n' "$lab" >.git/hooks/$hook
		chmod +x .git/hooks/$hook
	done
	for key in core.fsmonitor core.sshCommand core.editor core.pager core.askPass \
		credential.helper gpg.program diff.external filter.x.clean filter.x.smudge \
		filter.x.process diff.x.textconv merge.x.driver core.alternateRefsCommand; do
		git config $key "touch '$lab/ran'; false"
	done
	git config core.hooksPath "$PWD/.git/hooks"
	git config commit.gpgSign true
	echo '* filter=x diff=x merge=x' >.gitattributes
	rm -f "$lab/ran"
}
raid()
{
	if [ "${HOSTILE_WITHOUT:-}" = git ]; then
		git -C data/kota_memory status >/dev/null 2>&1
		return
	fi
	kota set colour blue
	kota set colour green
	kota log
	kota diff colour
	kota blame colour
	kota undo
	kota purge colour --yes
	kota doctor --fix
	hook
}

attack "$@"
