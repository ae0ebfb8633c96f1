#include "text/dictionary.h"

const struct dictionary_row *dictionary_find(struct slice word, size_t *count)
{
	size_t first = 0;
	size_t high = dictionary_row_count;
	size_t last;

	while (first < high) {
		size_t middle = first + (high - first) / 2;

		if (slice_compare(slice_of(dictionary_rows[middle].word), word) < 0)
			first = middle + 1;
		else
			high = middle;
	}
	last = first;
	while (last < dictionary_row_count && slice_is(word, dictionary_rows[last].word))
		last++;
	*count = last - first;
	return dictionary_rows + first;
}

bool dictionary_has(struct slice word, enum word_list list)
{
	size_t count;
	const struct dictionary_row *found = dictionary_find(word, &count);

	for (size_t i = 0; i < count; i++) {
		if (found[i].list == list)
			return true;
	}
	return false;
}

/* Is the one word the other with "un" or the like before it? */
static bool dictionary_is_negated(struct slice word, struct slice negated)
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

bool dictionary_opposed(struct slice a, struct slice b, bool *things)
{
	size_t a_count;
	size_t b_count;
	const struct dictionary_row *one = dictionary_find(a, &a_count);
	const struct dictionary_row *other = dictionary_find(b, &b_count);

	*things = false;
	for (size_t i = 0; i < a_count; i++) {
		for (size_t j = 0; j < b_count; j++) {
			if (one[i].list != DICTIONARY_OPPOSITES ||
			    other[j].list != DICTIONARY_OPPOSITES)
				continue;
			*things = one[i].things;
			if (one[i].line == other[j].line && one[i].side != other[j].side)
				return true;
		}
	}
	return dictionary_is_negated(a, b) || dictionary_is_negated(b, a);
}

bool dictionary_counterparts(struct slice a, struct slice b, bool *same)
{
	size_t a_count;
	size_t b_count;
	const struct dictionary_row *one = dictionary_find(a, &a_count);
	const struct dictionary_row *other = dictionary_find(b, &b_count);
	bool apart = false;

	*same = false;
	for (size_t i = 0; i < a_count; i++) {
		for (size_t j = 0; j < b_count; j++) {
			if (one[i].list != DICTIONARY_COUNTERPARTS ||
			    other[j].list != DICTIONARY_COUNTERPARTS ||
			    one[i].line != other[j].line)
				continue;
			apart = apart || one[i].side != other[j].side;
			*same = *same || one[i].side == other[j].side;
		}
	}
	return apart && !*same;
}
