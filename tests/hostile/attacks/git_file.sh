#!/bin/sh
# .git of the store is a file that names the repository of another project.
# Version 0.1.0: it succeeded.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=written
without=origin,guard,gitfile
forms=archive

victim()
{
	mkdir other && cd other && git init -q . && echo a >a && git add a && git commit -qm a
}
plant() { echo "gitdir: $HOME/other/.git" >.git; }

attack "$@"
