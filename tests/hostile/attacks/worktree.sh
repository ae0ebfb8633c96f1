#!/bin/sh
# A .git that pretends that the project is a linked work tree of another one, whose private memory
# would be taken for this project's.
# Version 0.1.0: it was stopped.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=told
without=worktree
forms=archive

victim()
{
	mkdir other && cd other && git init -q . && git commit -q --allow-empty -m a || return 1
	git worktree add -q ../linked
	mkdir -p data/kota_memory
	echo '{"diary":"CANARY of another project"}' >data/kota_memory/state.json
}
plant()
{
	cd ../..
	rm -r data
	echo "gitdir: $HOME/other/.git/worktrees/linked" >git
}
raid()
{
	hook
	kota list
	kota get diary
	kota export
}
prepare() { mv git .git; }

attack "$@"
