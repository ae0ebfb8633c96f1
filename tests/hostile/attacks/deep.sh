#!/bin/sh
# Values nested 200,000 deep, in each file: no stack runs out. There is no control: the scanner has
# always counted the levels as it goes, and no defence could be taken out of it.
# Version 0.1.0: it was stopped.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=died
without=none

plant()
{
	for file in state preferences archive relations config synonyms metadata; do
		printf '{"a":%s' "$(head -c 200000 /dev/zero | tr '\0' '[')" >$file.json
	done
	head -c 200000 /dev/zero | tr '\0' '[' >.journal
	head -c 200000 /dev/zero | tr '\0' '{' >usage.jsonl
}

attack "$@"
