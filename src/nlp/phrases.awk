# Makes C source of the lists in data/phrases: awk -f phrases.awk LIST.txt... >phrases_data.c
#
# Each list becomes an array of the name phrases_LIST, ended by a phrase without text; see
# src/nlp/phrases.h.

function finish() {
	if (list != "")
		printf "%s\t{0, 0},\n};\n", line == "" ? "" : line "\n"
	line = ""
}

function fail(what) {
	printf "%s:%d: %s\n", FILENAME, FNR, what >"/dev/stderr"
	failed = 1
	exit 1
}

function trim(text) {
	gsub(/^[ \t\r]+|[ \t\r]+$/, "", text)
	return text
}

function quoted(text) {
	return "\"" text "\""
}

function add(element) {
	if (line != "" && length(line) + length(element) > 90) {
		print line
		line = ""
	}
	line = line (line == "" ? "\t" : " ") element
}

BEGIN {
	print "/* Made from data/phrases by src/nlp/phrases.awk; do not edit. */"
	print "#include \"nlp/phrases.h\""
}

FNR == 1 {
	finish()
	list = FILENAME
	sub(/^.*\//, "", list)
	sub(/\.txt$/, "", list)
	printf "\nconst struct phrase phrases_%s[] = {\n", list
}

{
	text = trim($0)
	note = ""
	if (text == "" || text ~ /^#/)
		next
	if ((at = index(text, " = ")) > 0) {
		note = trim(substr(text, at + 3))
		text = trim(substr(text, 1, at - 1))
	}
	if (text ~ /^".*"$/)
		text = substr(text, 2, length(text) - 2)
	if (text == "" || text ~ /["\\]/ || note ~ /["\\]/)
		fail("a phrase is text without quotes and backslashes inside")
	if (text ~ /[A-Z]/)
		fail("phrases are written in lower case")
	add("{" quoted(text) ", " (note == "" ? "0" : quoted(note)) "},")
}

END {
	if (!failed)
		finish()
	exit failed
}
