# Makes english.txt from the word lists of SCOWL, as Debian's package "scowl" installs them: every list
# of English, American and British words of the sizes 10 to 50.
#
#	cd /usr/share/dict/scowl
#	LC_ALL=C awk -f english.awk {english,american,british}-words.{10,20,35,40,50} >english.txt
#
# A word is common (sizes 10 and 20), usual (35) or rare. What words_rarity_at() of src/text/words.c
# makes of another word by its rules for endings is left out, so that the list stays short: plurals and
# tenses of words that are as common, and of rare words also what is derived from any.

function level_of(file) {
	sub(/^.*\./, "", file)
	return file <= 20 ? 1 : file <= 35 ? 2 : 3
}

# Is it a listed word, no rarer than this one, with the ending?
function listed_with(word, ending, instead, least, before, not_before,   rest, form) {
	rest = substr(word, 1, length(word) - length(ending))
	form = rest instead
	if (rest == "" || substr(word, length(rest) + 1) != ending || length(form) < least)
		return 0
	if (before != "" && !index(before, substr(rest, length(rest))))
		return 0
	if (not_before != "" && index(not_before, substr(rest, length(rest))))
		return 0
	return form in kept && kept[form] <= level[word]
}

function listed_after(word, beginning) {
	return length(word) >= length(beginning) + 4 && index(word, beginning) == 1 && \
		substr(word, length(beginning) + 1) in kept
}

# The table "endings" of src/text/words.c: those of the word itself …
function is_inflected(word) {
	return listed_with(word, "s", "", 3, "", "sxz") || listed_with(word, "es", "", 3, "sxzho", "") || \
		listed_with(word, "ies", "y", 3, "", "") || listed_with(word, "ed", "", 3, "", "") || \
		listed_with(word, "ed", "e", 3, "", "") || listed_with(word, "ied", "y", 3, "", "") || \
		listed_with(word, "ing", "", 3, "", "") || listed_with(word, "ing", "e", 3, "", "")
}

# … and those that make another word of it.
function is_derived(word) {
	return listed_with(word, "er", "", 3, "", "e") || listed_with(word, "er", "e", 4, "", "") || \
		listed_with(word, "or", "", 4, "ts", "") || listed_with(word, "or", "e", 4, "ts", "") || \
		listed_with(word, "ly", "", 4, "", "") || listed_with(word, "ness", "", 4, "", "") || \
		listed_with(word, "ment", "", 4, "", "") || listed_with(word, "ion", "", 4, "ts", "") || \
		listed_with(word, "ion", "e", 4, "ts", "") || listed_with(word, "able", "", 4, "", "") || \
		listed_with(word, "al", "", 4, "", "") || \
		listed_after(word, "un") || listed_after(word, "non") || listed_after(word, "dis")
}

/^[a-z][a-z][a-z]+$/ {
	of = level_of(FILENAME)
	if (!($0 in level) || of < level[$0])
		level[$0] = of
	longest = length($0) > longest ? length($0) : longest
}

# A form is longer than the word that it is one of, but for "y" and "ies".
END {
	for (len = 3; len <= longest; len++)
		for (word in level)
			if (length(word) == len && !is_inflected(word) && !(level[word] == 3 && is_derived(word)))
				kept[word] = level[word]
	for (of = 1; of <= 3; of++) {
		print "# " (of == 1 ? "common" : of == 2 ? "usual" : "rare")
		fflush()
		for (word in kept)
			if (kept[word] == of)
				print word | "LC_ALL=C sort"
		close("LC_ALL=C sort")
	}
}
