#!/bin/sh
# The replay of cases must be able to fail: each folder made here has one thing wrong in it, which
# the program has to find and name. The first has nothing wrong.
#
#	tests/golden_selftest.sh [GOLDEN_PROGRAM]
set -eu
golden=${1:-${BUILD:-.}/tests/golden}
[ -x "$golden" ] || { echo "no program $golden"; exit 1; }
dir=$(mktemp -d "${TMPDIR:-/tmp}/kota-golden-XXXXXX")
trap 'rm -rf "$dir"' EXIT
passed=0
failed=0

# file NAME: standard input becomes the cases of a file in the folder that is being made.
file() {
	{
		echo '{"about": "a test", "source": "none", "rule": "none", "cases": ['
		cat
		echo ']}'
	} >"$dir/cases/$1.json"
}

# fresh: begins a folder in which all is right.
fresh() {
	rm -rf "$dir/cases"
	mkdir "$dir/cases"
	file similar_pairs <<-'END'
		{"in": ["the sky is blue", "tabs of eight"], "label": "unrelated", "merge_unattended": false}
	END
	file decay <<-'END'
		{"in": {"model": "power_law", "uses": 0, "days": 3, "strength": 1.0}, "out": 0.5}
	END
	file time_until_threshold <<-'END'
		{"in": {"model": "exponential", "score": 0.1, "threshold": 0.1, "days_since_used": 0}, "out": null}
	END
	file review_priority <<-'END'
		{"in": 0.2, "out": 0.75}
	END
	file normalize <<-'END'
		{"in": "Dark-Mode", "out": "dark mode"},
		{"in": "???", "out": "", "ours": true}
	END
	file levenshtein <<-'END'
		{"in": ["slack", "slcak"], "out": 2, "osa": 1}
	END
	file merge_values <<-'END'
		{"in": {"value": {"a": 1.5}, "addition": {"b": 2}}, "out": {"b": 2.0, "a": 1.5000000000001}}
	END
	file infer_category <<-'END'
		{"in": {"key": "editor_preference"}, "out": "preferences"}
	END
	file sanitize <<-'END'
		{"in": {"kind": "tag", "text": "#Odd Tag"}, "out": "odd_tag"}
	END
	file time <<-'END'
		{"in": "2025-03-09T09:59:59.999Z", "tz": "America/Los_Angeles", "out": "2025-03-09T01:59:59.999-08:00"},
		{"in": "soon", "tz": "UTC", "out": null}
	END
	sequence
}

# sequence [SED_SCRIPT]: a sequence in which all is right, unless the script changes that.
sequence() {
	sed -e "${1:-}" <<-'END' | file sequences
		{"name": "short", "load": {"state": {"old": {"value": [1], "created": "2025-05-01T00:00:00Z", "updated": "2025-05-02T00:00:00Z"}}},
		 "steps": [
		  {"op": "get", "args": {"query": "old"}, "now": "2025-06-01T10:00:00.000-07:00", "expect": {"ref": "state:old", "value": [1], "last_updated": "2025-05-01T17:00:00.000-07:00", "archived": false}},
		  {"op": "set", "args": {"key": "long", "value": {"$repeat": ["ab", 100]}}, "now": "2025-06-01T10:00:01.000-07:00", "expect": {"key": "long", "created_at": "2025-06-01T17:00:01.000Z"}},
		  {"op": "set", "args": {"key": "longer", "value": [{"$repeat": ["x", 5000]}]}, "now": "2025-06-01T10:00:02.000-07:00", "expect": {"error": "too_large"}},
		  {"op": "set", "args": {"key": "vim", "value": "yes", "category": "preferences"}, "now": "2025-06-01T10:00:03.000-07:00", "expect": {"category": "preferences"}},
		  {"op": "list", "args": {}, "now": "2025-06-01T10:00:04.000-07:00", "expect": {"refs": ["preferences:vim", "state:long", "state:old"]}},
		  {"op": "clear_state", "args": {}, "now": "2025-06-01T10:00:05.000-07:00", "expect": {"cleared": true, "archived": ["long", "old"]}},
		  {"op": "list_archived", "args": {}, "now": "2025-06-01T10:00:06.000-07:00", "expect": {"refs": ["state:long@2025-06-01T17:00:05.000Z", "state:old@2025-06-01T10:00:05.000-07:00"]}},
		  {"op": "forget", "args": {}, "now": "2025-06-01T10:00:07.000-07:00", "expect": {"error": "unknown_operation"}}],
		 "final": {"active": {"preferences": {"vim": "yes"}, "connections": 0}, "archived": ["state:old *", "state:long state_clear"]}}
	END
}

# outcome NAME STATUS PATTERN: the folder must be answered with this status and a matching line.
outcome() {
	status=0
	"$golden" "$dir/cases" >"$dir/out" 2>&1 || status=$?
	if [ "$status" -eq "$2" ] && grep -q -e "$3" "$dir/out"; then
		passed=$((passed + 1))
		return
	fi
	failed=$((failed + 1))
	echo "FAILED: $1: status $status instead of $2, or nothing like \"$3\" in:"
	cat "$dir/out"
}

# wrong NAME CASE PATTERN: one case of file NAME put in its place must fail.
wrong() {
	fresh
	printf '%s\n' "$2" | file "$1"
	outcome "wrong or unknown case of $1" 1 "$3"
}

# wrong_sequence SED_SCRIPT PATTERN: the sequence changed by the script must fail.
wrong_sequence() {
	fresh
	sequence "$1"
	outcome "sequence after $1" 1 "$2"
}

fresh
outcome "a folder that is right" 0 '^similar_pairs 1/1$'
outcome "a folder that is right" 0 '^normalize 2/2$'
outcome "a folder that is right" 0 '^sequences 1/1$'
outcome "a folder that is right" 0 '^13 passed, 0 failed'

# A wrong expectation.
wrong normalize '{"in": "Dark-Mode", "out": "darkmode"}' '^normalize 0/1$'
wrong levenshtein '{"in": ["slack", "slcak"], "out": 1}' 'expected 1, got 2'
wrong levenshtein '{"in": ["slack", "slcak"], "out": 2, "osa": 2}' 'osa: expected 2, got 1'
wrong infer_category '{"in": {"key": "editor_preference"}, "out": "state"}' 'got "preferences"'
wrong infer_category '{"in": {"key": "a", "category": "state"}, "out": "patterns"}' 'got "state"'
wrong merge_values '{"in": {"value": 1.5, "addition": 2.5}, "out": 2.50001}' 'got 2.5'
wrong merge_values '{"in": {"value": 0, "addition": 9007199254740993}, "out": 9007199254740992}' 'expected 9007199254740992'
wrong merge_values '{"in": {"value": [1], "addition": [2]}, "out": [2, 1]}' 'got \[1,2\]'
wrong merge_values '{"in": {"value": {}, "addition": {"a": 1}}, "out": {"b": 1}}' 'got {"a":1}'
wrong sanitize '{"in": {"kind": "entity", "text": "A B"}, "out": "a b"}' 'got "A B"'
wrong time '{"in": 0, "tz": "UTC", "out": null}' 'expected null'
wrong time '{"in": "soon", "tz": "UTC", "out": "1970-01-01T00:00:00.000+00:00"}' 'got no time'
wrong decay '{"in": {"model": "power_law", "uses": 0, "days": 3, "strength": 1.0}, "out": 0.500000001}' 'got 0.5'
wrong decay '{"in": {"model": "power_law", "uses": 0, "days": 3, "strength": 1e-3}, "out": 0.5000001e-3}' 'expected'
wrong time_until_threshold '{"in": {"model": "exponential", "score": 0.2, "threshold": 0.1, "days_since_used": 0}, "out": 259316}' 'got 259314'
wrong time_until_threshold '{"in": {"model": "exponential", "score": 0.2, "threshold": 0.1, "days_since_used": 0}, "out": null}' 'expected null'
wrong time_until_threshold '{"in": {"model": "exponential", "score": 0.1, "threshold": 0.1, "days_since_used": 0}, "out": 0}' 'got never'
wrong review_priority '{"in": 0.2, "out": 0.74}' 'got 0.7'

# An unknown form.
wrong decay '{"in": {"model": "linear", "uses": 0, "days": 3, "strength": 1.0}, "out": 0.5}' 'unknown form: no model'
wrong review_priority '{"in": "low", "out": 0}' 'unknown form: in is no number'
wrong normalize '{"in": 7, "out": "7"}' 'unknown form'
wrong normalize '{"in": "a", "out": "a", "since": 1}' 'unknown form: with since'
wrong normalize '{"in": "a"}' 'unknown form: without out'
wrong normalize '"a"' 'unknown form: not an object'
wrong levenshtein '{"in": ["a"], "out": 0}' 'unknown form'
wrong sanitize '{"in": {"kind": "label", "text": "a"}, "out": "a"}' 'unknown form'
wrong infer_category '{"in": {"key": "a", "category": "none"}, "out": "none"}' 'unknown form'
wrong merge_values '{"in": {"value": 1}, "out": 1}' 'unknown form: without addition'
wrong time '{"in": 0, "out": null}' 'unknown form: without tz'
wrong normalize '' 'no list of cases'
wrong normalize '{"in": "a", "in": "b", "out": "a"}' '^normalize.json:2:'

# An unknown file.
fresh
mv "$dir/cases/time.json" "$dir/cases/times.json"
outcome "an unknown file" 1 '^times.json: an unknown file'
fresh
rm "$dir"/cases/*
outcome "an empty folder" 1 'no \*.json in it'

# Sequences: replies.
wrong_sequence 's/"ref": "state:old"/"ref": "state:new"/' 'step 1 (get): ref: expected "state:new"'
wrong_sequence 's/"value": \[1\], "last/"value": [2], "last/' 'step 1 (get): value: expected'
wrong_sequence 's/T17:00:00.000-07:00/T17:00:00.001-07:00/' 'step 1 (get): last_updated'
wrong_sequence 's/"archived": false/"archived": true/' 'step 1 (get): archived'
wrong_sequence 's/"archived": false/"absent": 1/' 'step 1 (get): absent'
wrong_sequence 's/5000/50/' 'step 3 (set): error'
wrong_sequence 's/too_large/not_found/' 'step 3 (set): .*refused as too_large'
wrong_sequence 's/{"error": "too_large"}/{"key": "longer"}/' 'step 3 (set): .*refused as too_large'
wrong_sequence 's/"preferences:vim", "state:long"/"state:long", "preferences:vim"/' 'step 5 (list): refs'
wrong_sequence 's/"preferences:vim", "state:long"/"state:long"/' 'step 5 (list): refs'
wrong_sequence 's/\["long", "old"\]/["long"]/' 'step 6 (clear_state): archived'
wrong_sequence 's/\["long", "old"\]/["long", "long"]/' 'step 6 (clear_state): archived'
wrong_sequence 's/T17:00:05.000Z/T17:00:06.000Z/' 'step 7 (list_archived): refs'
wrong_sequence 's/unknown_operation/bad_value/' 'step 8 (forget): .*refused as unknown_operation'

# Sequences: the store in the end.
wrong_sequence 's/{"vim": "yes"}/{"vim": "no"}/' 'final: preferences:vim: expected'
wrong_sequence 's/{"vim": "yes"}/{"emacs": "..."}/' 'final: preferences:emacs is missing'
wrong_sequence 's/{"vim": "yes"}/2/' 'final: preferences: expected 2 active entries, got 1'
wrong_sequence 's/"preferences": {"vim": "yes"}, //' 'final: preferences: expected 0 active'
wrong_sequence 's/"state:old \*", //' 'final: archived: unexpected state:old'
wrong_sequence 's/"state:long state_clear"/"state:long evicted"/' 'final: archived: missing'
wrong_sequence 's/"state:old \*"/"state:new *"/' 'final: archived: missing state:new'

# Sequences: the form.
wrong_sequence 's/"query": "old"}, "now"/"query": "old"}, "at"/' 'unknown form: without now, in step 1'
wrong_sequence 's/2025-06-01T10:00:00.000-07:00/soon/' 'unknown form: now is no time'
wrong_sequence 's/\["ab", 100\]/["ab"]/' 'unknown form: $repeat'
wrong_sequence 's/"load": {"state"/"load": {"status"/' 'unknown form'
wrong_sequence 's/"active"/"alive"/' 'unknown form: with alive'
wrong_sequence 's/"connections": 0/"people": 0/' 'unknown form: with people'
wrong_sequence 's/"final"/"end"/' 'unknown form: without final'

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
