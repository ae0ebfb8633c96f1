#include "text/words.h"

#include "text/distance.h"

#include <string.h>

/* The word as UTF-8, for the few that are ASCII and short; empty for all others. */
static struct slice words_short_word(const struct text *text, struct text_word word, char *buffer,
				     size_t size)
{
	if (word.len > size)
		return slice_make(buffer, 0);
	for (uint32_t i = 0; i < word.len; i++) {
		uint32_t c = text->chars[word.start + i];

		if (c >= 0x80)
			return slice_make(buffer, 0);
		buffer[i] = (char)c;
	}
	return slice_make(buffer, word.len);
}

bool words_is_listed_at(const struct text *text, uint32_t word, enum word_list list)
{
	char buffer[16];

	return dictionary_has(words_short_word(text, text->words[word], buffer, sizeof buffer),
			      list);
}

uint32_t words_kind_at(const struct text *text, uint32_t word)
{
	char buffer[16];
	size_t count;
	const struct dictionary_row *rows = dictionary_find(
		words_short_word(text, text->words[word], buffer, sizeof buffer), &count);

	for (size_t i = 0; i < count; i++)
		if (rows[i].list == DICTIONARY_HINTS && rows[i].side == 0)
			return rows[i].line;
	return 0;
}

/* "we use": somebody, and what they do. */
static bool words_is_doing_at(const struct text *text, uint32_t word)
{
	return word > 0 && words_is_listed_at(text, word, DICTIONARY_DOINGS) &&
	       words_is_listed_at(text, word - 1, DICTIONARY_PEOPLE);
}

bool words_are_questions(const struct text *text)
{
	for (uint32_t i = 0; i < text->word_count; i++) {
		if (!words_is_listed_at(text, i, DICTIONARY_ASKING))
			return false;
	}
	return true;
}

/* Where the content of a question begins; *did says whether somebody did something before. */
static uint32_t words_begin_of(const struct text *question, bool *did)
{
	uint32_t begin = 0;

	for (*did = false; begin < question->word_count; begin++) {
		bool doing = words_is_doing_at(question, begin);

		*did |= doing;
		if (!doing && !words_is_listed_at(question, begin, DICTIONARY_ASKING))
			break;
	}
	return begin;
}

/* Is a word at the end none of the content? What joins words is, unless it belongs to a doing. */
static bool words_is_end_at(const struct text *question, uint32_t word, uint32_t begin, bool did)
{
	if (words_is_listed_at(question, word, DICTIONARY_ASKING))
		return did || !words_is_listed_at(question, word, DICTIONARY_JOINING);
	return words_is_doing_at(question, word) ||
	       (begin > 1 && words_is_listed_at(question, word, DICTIONARY_PARTINGS));
}

void words_content(struct arena *arena, const struct text *question, struct text *out)
{
	struct text rest = *question;
	bool did;
	uint32_t begin = words_begin_of(question, &did);
	uint32_t end = question->word_count;

	while (end > begin && words_is_end_at(question, end - 1, begin, did))
		end--;
	if (begin < end) {
		rest.words += begin;
		rest.word_count = end - begin;
	}
	text_join(arena, &rest, out);
}

static bool words_begins_with(const uint32_t *word, uint32_t len, const uint32_t *start,
			      uint32_t start_len)
{
	return start_len >= 3 && start_len < len &&
	       memcmp(word, start, start_len * sizeof *word) == 0;
}

struct words_likeness words_compare(const uint32_t *query, uint32_t query_len, const uint32_t *word,
				    uint32_t len)
{
	struct words_likeness none = {0, false};
	uint32_t longer = query_len > len ? query_len : len;
	size_t limit = (size_t)((1 - WORDS_ALIKE) * longer);
	struct words_likeness result;
	size_t distance;

	if (query_len == len && memcmp(query, word, len * sizeof *word) == 0)
		return (struct words_likeness){1, true};
	if (words_begins_with(word, len, query, query_len))
		return (struct words_likeness){WORDS_PREFIX, false};
	distance = distance_osa(query, query_len, word, len, limit);
	if (distance > limit)
		return none;
	result.likeness = 1 - (double)distance / longer;
	result.near = query_len >= 4 && distance <= query_len / 4;
	return result;
}
