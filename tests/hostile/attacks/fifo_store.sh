#!/bin/sh
# Files of the store are FIFOs.
# Version 0.1.0: it was stopped.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=hung
without=calls
forms="archive inited"

plant()
{
	for file in state.json .journal config.json usage.jsonl .lock .pending archive.json \
		relations.json synonyms.json metadata.json .state.json.prev; do
		mkfifo $file
	done
}
raid()
{
	hook
	kota list
	kota get build
	kota set colour blue
	kota log
	kota doctor
}

attack "$@"
