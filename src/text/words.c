#include "text/words.h"

#include "text/distance.h"

#include <stdlib.h>
#include <string.h>

/* Sorted by bytes. */
static const char *const question_words_list[] = {
	"a",    "about", "an",    "and",    "any",    "are",      "at",   "can",   "could", "did",
	"do",   "does",  "find",  "for",    "from",   "get",      "give", "has",   "have",  "how",
	"i",    "in",    "is",    "it",     "its",    "know",     "look", "me",    "my",    "of",
	"on",   "or",    "our",   "please", "recall", "remember", "s",    "show",  "tell",  "that",
	"the",  "their", "there", "this",   "to",     "up",       "us",   "was",   "we",    "were",
	"what", "when",  "where", "which",  "who",    "why",      "with", "would", "you",   "your",
};

/* Those that join words and so may end a key ("format.from"). Sorted by bytes. */
static const char *const connecting_words_list[] = {
	"about", "and", "at", "for", "from", "in", "of", "on", "or", "to", "up", "with",
};

/* What people do with things they ask for: "where did I put", "do we use". Sorted by bytes. */
static const char *const doings_list[] = {
	"agree", "call", "choose", "decide", "keep",   "leave", "like",
	"mean",  "need", "note",   "pick",   "prefer", "put",   "save",
	"say",   "set",  "settle", "store",  "use",    "want",  "write",
};

/* How questions end. Sorted by bytes. */
static const char *const partings_list[] = {
	"again", "called", "currently", "exactly", "now", "thanks", "then", "today",
};

struct list {
	const char *const *words;
	size_t count;
};

static const struct list question_words = {
	question_words_list, sizeof question_words_list / sizeof *question_words_list};
static const struct list connecting_words = {
	connecting_words_list, sizeof connecting_words_list / sizeof *connecting_words_list};
static const struct list doings = {doings_list, sizeof doings_list / sizeof *doings_list};
static const struct list partings = {partings_list, sizeof partings_list / sizeof *partings_list};

static int compare_word(const void *key, const void *element)
{
	const struct slice *word = key;
	const char *const *other = element;

	return slice_compare(*word, slice_of(*other));
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

static bool is_listed_at(const struct text *text, uint32_t word, const struct list *list)
{
	char buffer[16];
	struct slice bytes = short_word(text, text->words[word], buffer, sizeof buffer);

	return bsearch(&bytes, list->words, list->count, sizeof *list->words, compare_word) != NULL;
}

bool words_is_question_at(const struct text *text, uint32_t word)
{
	return is_listed_at(text, word, &question_words);
}

/* "we use": somebody, and what they do. */
static bool is_doing_at(const struct text *text, uint32_t word)
{
	static const char *const words[] = {"i", "we", "you"};
	static const struct list people = {words, sizeof words / sizeof *words};

	return word > 0 && is_listed_at(text, word, &doings) &&
	       is_listed_at(text, word - 1, &people);
}

bool words_are_questions(const struct text *text)
{
	for (uint32_t i = 0; i < text->word_count; i++) {
		if (!words_is_question_at(text, i))
			return false;
	}
	return true;
}

/* Where the content of a question begins; *did says whether somebody did something before. */
static uint32_t begin_of(const struct text *question, bool *did)
{
	uint32_t begin = 0;

	for (*did = false; begin < question->word_count; begin++) {
		bool doing = is_doing_at(question, begin);

		*did |= doing;
		if (!doing && !words_is_question_at(question, begin))
			break;
	}
	return begin;
}

/* Is a word at the end none of the content? What joins words is, unless it belongs to a doing. */
static bool is_end_at(const struct text *question, uint32_t word, uint32_t begin, bool did)
{
	if (words_is_question_at(question, word))
		return did || !is_listed_at(question, word, &connecting_words);
	return is_doing_at(question, word) ||
	       (begin > 1 && is_listed_at(question, word, &partings));
}

void words_content(struct arena *arena, const struct text *question, struct text *out)
{
	struct text rest = *question;
	bool did;
	uint32_t begin = begin_of(question, &did);
	uint32_t end = question->word_count;

	while (end > begin && is_end_at(question, end - 1, begin, did))
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
