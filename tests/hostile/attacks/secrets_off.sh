#!/bin/sh
# "secrets": "off" in the repository's settings: a token would go into the work tree without a word.
# Version 0.1.0: it succeeded.
. "${srcdir:-.}/tests/hostile/lab.sh"
aim=worked
without=origin,settings

plant() { echo '{"secrets":"off"}' >config.json; }
raid()
{
	# In two parts, so that nobody takes a test for a leak.
	token='ghp''_Ab3dEf6hIj9lMn2pQr5tUv8xYz1Bc4De7Gh0'
	serve "$(call memory_set '{"key":"tok","value":"'$token'"}')"
	kota set tok2 $token
}
worked() { grep -rq ghp_Ab3d "$store"; }

attack "$@"
