#include "match/words.h"

#include "match/distance.h"

#include <stdlib.h>
#include <string.h>

/* Sorted by bytes. */
static const char *const question_words[] = {
	"a",    "about", "an",    "and",    "any",    "are",      "at",   "can",   "could", "did",
	"do",   "does",  "find",  "for",    "from",   "get",      "give", "has",   "have",  "how",
	"i",    "in",    "is",    "it",     "its",    "know",     "look", "me",    "my",    "of",
	"on",   "or",    "our",   "please", "recall", "remember", "s",    "show",  "tell",  "that",
	"the",  "their", "there", "this",   "to",     "up",       "us",   "was",   "we",    "were",
	"what", "when",  "where", "which",  "who",    "why",      "with", "would", "you",   "your",
};

/* Those that join words and so may end a key ("format.from"). Sorted by bytes. */
static const char *const connecting_words[] = {
	"about", "and", "at", "for", "from", "in", "of", "on", "or", "to", "up", "with",
};

static int compare_word(const void *key, const void *element)
{
	const struct slice *word = key;
	const char *const *other = element;

	return slice_compare(*word, slice_of(*other));
}

static bool is_listed(struct slice word, const char *const *words, size_t count)
{
	return bsearch(&word, words, count, sizeof words[0], compare_word) != NULL;
}

/* The word as UTF-8, for the few that are ASCII and short; empty for all others. */
static struct slice short_word(const struct text *text, struct text_word word, char *buffer,
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

bool words_is_question_at(const struct text *text, uint32_t word)
{
	char buffer[16];
	struct slice bytes = short_word(text, text->words[word], buffer, sizeof buffer);

	return is_listed(bytes, question_words, sizeof question_words / sizeof question_words[0]);
}

static bool is_connecting_at(const struct text *text, uint32_t word)
{
	char buffer[16];
	struct slice bytes = short_word(text, text->words[word], buffer, sizeof buffer);

	return is_listed(bytes, connecting_words,
			 sizeof connecting_words / sizeof connecting_words[0]);
}

bool words_are_questions(const struct text *text)
{
	for (uint32_t i = 0; i < text->word_count; i++) {
		if (!words_is_question_at(text, i))
			return false;
	}
	return true;
}

void words_content(struct arena *arena, const struct text *question, struct text *out)
{
	struct text rest = *question;
	uint32_t begin = 0;
	uint32_t end = question->word_count;

	while (begin < end && words_is_question_at(question, begin))
		begin++;
	while (end > begin && words_is_question_at(question, end - 1) &&
	       !is_connecting_at(question, end - 1))
		end--;
	if (begin < end) {
		rest.words += begin;
		rest.word_count = end - begin;
	}
	text_join(arena, &rest, out);
}

static bool begins_with(const uint32_t *word, uint32_t len, const uint32_t *start,
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
	if (begins_with(word, len, query, query_len))
		return (struct words_likeness){WORDS_PREFIX, false};
	distance = distance_osa(query, query_len, word, len, limit);
	if (distance > limit)
		return none;
	result.likeness = 1 - (double)distance / longer;
	result.near = query_len >= 4 && distance <= query_len / 4;
	return result;
}
