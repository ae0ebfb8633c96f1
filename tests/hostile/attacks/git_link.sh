#!/bin/sh
# .git of the store is a link to the repository of another project: changes would be recorded there.
# Version 0.1.0: it succeeded.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=written
without=origin,calls,guard
forms=archive

victim()
{
	mkdir other && cd other && git init -q . && echo a >a && git add a && git commit -qm a
}
plant() { ln -s $home_from_store/other/.git .git; }

attack "$@"
