# Makes C source of the lists in data/words; see src/text/dictionary.h.
#
#	awk -v part=phrases -f dictionary.awk LIST.txt...	an array of each list of phrases
#	awk -v part=words -f dictionary.awk LIST.txt...	a line a word: word, list, line, side, things
#	LC_ALL=C sort | awk -v part=rows -f dictionary.awk	C of these lines: words, rows, buckets
#	awk -v part=forms -f dictionary.awk forms.txt short.txt	a line a form: form, word
#	LC_ALL=C sort | awk -v part=pairs -f dictionary.awk	C of these lines
#	awk -v part=blocks -f dictionary.awk english.txt	C of the list of English, a word a line
#
# awk runs with LC_ALL=C, so that characters are bytes. No table has pointers in it: the loader
# would have to write to each page of it whenever the program starts.

function name_of(file) {
	sub(/^.*\//, "", file)
	sub(/\.txt$/, "", file)
	return file
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

function finish() {
	if (list != "")
		print "\t{0, 0},\n};\n"
}

# C promises strings of 4,095 characters; DICTIONARY_TEXT_SIZE is one more than the longest here.
function finish_block() {
	if (block != "")
		print "\t{" quoted(block) ", RARITY_" toupper(rarity) "},"
	block = ""
}

# The same hash as dictionary_bucket().
function bucket_of(word, at, hash) {
	hash = 0
	for (at = 1; at <= length(word); at++)
		hash = (hash * 31 + byte[substr(word, at, 1)]) % 65521
	return hash % buckets
}

# Puts a word into the texts, each of them TEXT_SIZE long.
function add_word(word) {
	if (text_len + length(word) + 1 > text_size - 1) {
		texts = texts "\t\"" text "\",\n"
		text_start += text_size
		text = ""
		text_len = 0
	}
	word_text[words] = text_start + text_len
	word_row[words] = rows
	word_next[words] = first[bucket_of(word)] + 0
	first[bucket_of(word)] = ++words
	text = text word "\\000"
	text_len += length(word) + 1
}

function print_rows(i) {
	print "const char dictionary_texts[][DICTIONARY_TEXT_SIZE] = {"
	printf "%s\t\"%s\",\n};\n\n", texts, text
	print "const struct dictionary_word dictionary_words[] = {"
	for (i = 0; i < words; i++)
		printf "\t{%d, %d, %d},\n", word_text[i], word_row[i], word_next[i]
	printf "\t{0, %d, 0},\n};\n\n", rows
	print "const struct dictionary_row dictionary_rows[] = {"
	printf "%s};\n\n", row_lines
	print "const size_t dictionary_row_count ="
	print "\tsizeof dictionary_rows / sizeof dictionary_rows[0];\n"
	print "const uint16_t dictionary_buckets[DICTIONARY_BUCKETS] = {"
	for (i = 0; i < buckets; i++)
		printf "\t%d,\n", first[i] + 0
	print "};"
}

BEGIN {
	if (part == "phrases") {
		print "/* Made from data/words by src/text/dictionary.awk; do not edit. */"
		print "#include \"text/dictionary.h\"\n"
	}
	text_size = 4001
	buckets = 8192
	text_start = text_len = words = rows = 0
	for (i = 1; i < 256; i++)
		byte[sprintf("%c", i)] = i
	if (part == "pairs")
		print "\nconst struct dictionary_form dictionary_forms[] = {"
	if (part == "blocks")
		print "\nconst struct dictionary_block dictionary_blocks[] = {"
}

END {
	if (part == "rows")
		print_rows()
	if (part == "pairs") {
		print "};\n"
		print "const size_t dictionary_form_count ="
		print "\tsizeof dictionary_forms / sizeof dictionary_forms[0];"
	}
	if (part == "phrases" && !failed)
		finish()
	if (part == "blocks" && !failed) {
		finish_block()
		print "};\n"
		print "const size_t dictionary_block_count ="
		print "\tsizeof dictionary_blocks / sizeof dictionary_blocks[0];"
	}
	exit failed
}

part == "rows" {
	if (length($1) > 48)
		fail("longer than DICTIONARY_WORD_MAX allows: " $1)
	if ($1 != last)
		add_word($1)
	last = $1
	row_lines = row_lines sprintf("\t{%d, DICTIONARY_%s, %s, %d, %d},\n", words - 1, $2, $5, $3, $4)
	rows++
	next
}

part == "forms" {
	if ($0 !~ /^#/ && $0 ~ /["\\A-Z]/)
		fail("words are written in lower case, without quotes and backslashes")
	for (i = 2; i <= NF; i++)
		if ($1 != "#")
			print $i, $1
	next
}

part == "pairs" {
	if ($1 == last)
		fail("a form of two words: " $1)
	if (length($1) > 15 || length($2) > 15)
		fail("longer than DICTIONARY_FORM_SIZE allows: " $0)
	last = $1
	print "\t{" quoted($1) ", " quoted($2) "},"
	next
}

part == "blocks" {
	if ($1 == "#" && $2 ~ /^(common|usual|rare)$/) {
		finish_block()
		rarity = $2
		word = ""
	}
	if ($0 ~ /^#/)
		next
	if ($0 !~ /^[a-z]+$/ || rarity == "" || word >= $0)
		fail("words are of small letters, sorted, a word a line")
	word = $0
	if (length(block) + length(word) > text_size - 2)
		finish_block()
	block = block (block == "" ? "" : " ") word
	next
}

FNR == 1 {
	line = 0
	if (part == "phrases")
		finish()
	list = name_of(FILENAME)
	if (part == "phrases")
		printf "const struct phrase phrases_%s[] = {\n", list
}

/^[ \t]*#/ || NF == 0 {
	next
}

# A line that ends in "\\" goes on in the next.
/\\$/ {
	begun = begun substr($0, 1, length($0) - 1)
	next
}

{
	line++
	$0 = begun $0
	begun = ""
}

part == "phrases" {
	text = trim($0)
	note = ""
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
	print "\t{" quoted(text) ", " (note == "" ? "0" : quoted(note)) "},"
	next
}

{
	side = 0
	bars = gsub(/\|/, "|")
	things = $1 == "~" || ($1 != "!" && bars > 1) ? "true" : "false"
	for (i = $1 == "~" || $1 == "!" ? 2 : 1; i <= NF; i++) {
		if ($i == "|")
			side++
		else if ($i ~ /["\\A-Z]/)
			fail("words are written in lower case, without quotes and backslashes")
		else
			print $i, toupper(list), line, side, things
	}
}
