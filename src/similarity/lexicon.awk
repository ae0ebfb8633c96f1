# Makes C source of the lists in data/opposites, a row a word, sorted:
#
#	awk -f lexicon.awk LIST.txt... | LC_ALL=C sort | awk -v rows=1 -f lexicon.awk
#
# The first run says word, list, line and side; the second one makes C of that. See
# src/similarity/lexicon.h.

function list_of(file) {
	sub(/^.*\//, "", file)
	sub(/\.txt$/, "", file)
	return toupper(file)
}

BEGIN {
	if (rows) {
		print "/* Made from data/opposites by src/similarity/lexicon.awk; do not edit. */"
		print "#include \"similarity/lexicon.h\"\n"
		print "const struct lexicon_row lexicon_rows[] = {"
	}
}

END {
	if (rows) {
		print "};\n"
		print "const size_t lexicon_row_count = sizeof lexicon_rows / sizeof lexicon_rows[0];"
	}
}

rows {
	printf "\t{\"%s\", LEXICON_%s, %d, %d, %s},\n", $1, $2, $3, $4, $5
	next
}

FNR == 1 {
	list = list_of(FILENAME)
}

/^#/ || NF == 0 {
	next
}

{
	side = 0
	bars = gsub(/\|/, "|")
	things = $1 == "~" || ($1 != "!" && bars > 1) ? "true" : "false"
	for (i = $1 == "~" || $1 == "!" ? 2 : 1; i <= NF; i++) {
		if ($i == "|")
			side++
		else
			print $i, list, FNR, side, things
	}
}
