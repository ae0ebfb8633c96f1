#include "similarity/lexicon.h"

/* The first row whose word is not before this one. */
static size_t first_row(struct slice word)
{
	size_t low = 0;
	size_t high = lexicon_row_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (slice_compare(slice_of(lexicon_rows[middle].word), word) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct lexicon_row *lexicon_find(struct slice word, size_t *count)
{
	size_t first = first_row(word);
	size_t last = first;

	while (last < lexicon_row_count && slice_is(word, lexicon_rows[last].word))
		last++;
	*count = last - first;
	return lexicon_rows + first;
}

bool lexicon_has(struct slice word, enum lexicon_list list)
{
	size_t count;
	const struct lexicon_row *found = lexicon_find(word, &count);

	for (size_t i = 0; i < count; i++) {
		if (found[i].list == list)
			return true;
	}
	return false;
}

/* Is the one word the other with "un" or the like before it? */
static bool is_negated(struct slice word, struct slice negated)
{
	static const struct {
		const char *text;
		size_t least; /* characters of the word: "import" is not the opposite of "port" */
	} prefixes[] = {{"un", 4}, {"non", 4}, {"in", 5}, {"im", 5}, {"ir", 5}, {"dis", 5}};

	for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
		size_t len = strlen(prefixes[i].text);

		if (word.len >= prefixes[i].least && negated.len == word.len + len &&
		    memcmp(negated.ptr, prefixes[i].text, len) == 0 &&
		    memcmp(negated.ptr + len, word.ptr, word.len) == 0)
			return true;
	}
	return false;
}

bool lexicon_opposed(struct slice a, struct slice b, bool *things)
{
	size_t a_count;
	size_t b_count;
	const struct lexicon_row *one = lexicon_find(a, &a_count);
	const struct lexicon_row *other = lexicon_find(b, &b_count);

	*things = false;
	for (size_t i = 0; i < a_count; i++) {
		for (size_t j = 0; j < b_count; j++) {
			if (one[i].list != LEXICON_OPPOSITES || other[j].list != LEXICON_OPPOSITES)
				continue;
			*things = one[i].things;
			if (one[i].line == other[j].line && one[i].side != other[j].side)
				return true;
		}
	}
	return is_negated(a, b) || is_negated(b, a);
}
