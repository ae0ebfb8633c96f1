#!/bin/sh
# A folder of objects of the store's repository is a link to another project's: a purge would sweep
# what that project has not committed yet.
# Version 0.1.0: it was stopped.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=written
without=objects,guard,calls
forms=archive

victim()
{
	mkdir other && cd other && git init -q . || return 1
	for i in 1 2 3 4 5 6 7 8 9; do
		echo "unreachable $i" | git hash-object -w --stdin >/dev/null
	done
	find .git/objects -type f -exec touch -d '30 days ago' {} +
}
plant()
{
	echo '{"git":"own"}' >config.json
	HOME=$lab "$BUILD/kota" --dir . set wifi SECRETVALUE >/dev/null || return 1
	for folder in "$HOME"/other/.git/objects/??; do
		name=$(basename "$folder")
		[ -e ".git/objects/$name" ] || ln -s "$HOME/other/.git/objects/$name" .git/objects/
	done
}
raid()
{
	kota purge wifi --yes
	kota compact --no-dry-run
}

attack "$@"
