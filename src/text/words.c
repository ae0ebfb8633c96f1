#include "text/words.h"

#include "base/utf8.h"
#include "text/distance.h"
#include "text/stem.h"

#include <string.h>

/* Neighbours as UTF-8; empty where they are longer than any word of the dictionary. */
static struct slice words_spelt(const struct text *text, uint32_t start, uint32_t len,
				char buffer[WORDS_LISTED_MAX])
{
	size_t at = 0;

	for (uint32_t i = 0; i < len; i++) {
		if (at + UTF8_BYTES_MAX > WORDS_LISTED_MAX)
			return slice_make(buffer, 0);
		at += utf8_put(buffer + at, text->chars[start + i]);
	}
	return slice_make(buffer, at);
}

struct slice words_spelt_at(const struct text *text, uint32_t word, char buffer[WORDS_LISTED_MAX])
{
	return words_spelt(text, text->words[word].start, text->words[word].len, buffer);
}

bool words_is_listed_at(const struct text *text, uint32_t word, enum word_list list)
{
	char buffer[WORDS_LISTED_MAX];

	return dictionary_has(words_spelt_at(text, word, buffer), list);
}

/* ---- words without a subject */

/* Lines of the list of function words, as its languages; English is the first. */
#define LANGUAGES_MAX 16

/* Words of another language that make a question one of it; one is enough in a script of its own.
 */
#define LANGUAGE_LEAST 2

/* Most characters without spaces between them that make a function word together. */
#define JOINED_MAX 4

/* A shorter word is one edit away from too many. */
#define MISSPELT_LEAST 4
#define MISSPELT_LONG 6

struct language_words {
	uint64_t of[LANGUAGES_MAX]; /* the words that each language has in its line */
	uint16_t first;             /* line of English */
};

static uint64_t words_run(uint32_t first, uint32_t count)
{
	return (((uint64_t)1 << count) - 1) << first;
}

/* The rows of a Korean word without its particle: "whom" is "who" with one. */
static const struct dictionary_row *words_find_hangul(const uint32_t *chars, uint32_t len,
						      size_t *rows)
{
	struct text stem = {0};
	uint32_t cut[STEM_LEN_MAX];
	char buffer[WORDS_LISTED_MAX];

	*rows = 0;
	if (len > STEM_LEN_MAX || chars[len - 1] < 0xAC00 || chars[len - 1] > 0xD7A3)
		return NULL;
	stem.chars = cut;
	return dictionary_find(words_spelt(&stem, 0, (uint32_t)stem_word(chars, len, cut), buffer),
			       rows);
}

/* Notes the languages in which these neighbours are one function word. Is it one of any? */
static bool words_note_languages(const struct text *text, uint32_t word, uint32_t count,
				 struct language_words *found)
{
	const struct text_word *last = &text->words[word + count - 1];
	uint32_t start = text->words[word].start;
	uint32_t len = last->start + last->len - start;
	char buffer[WORDS_LISTED_MAX];
	size_t rows;
	const struct dictionary_row *row = dictionary_find(words_spelt(text, start, len, buffer),
							   &rows);
	bool any = false;

	if (!rows)
		row = words_find_hangul(text->chars + start, len, &rows);

	for (size_t i = 0; i < rows; i++) {
		if (row[i].list != DICTIONARY_FUNCTION || row[i].line >= LANGUAGES_MAX)
			continue;
		found->of[row[i].line] |= words_run(word, count);
		any = true;
	}
	return any;
}

/* How many words from this one on stand together without spaces, so that they may be one. */
static uint32_t words_joined_at(const struct text *text, uint32_t word, uint32_t end)
{
	uint32_t count = 1;

	while (count < JOINED_MAX && word + count < end &&
	       text->words[word + count].start ==
		       text->words[word + count - 1].start + text->words[word + count - 1].len)
		count++;
	return count;
}

static uint16_t words_english_line(void)
{
	size_t count;
	const struct dictionary_row *row = dictionary_find(slice_of("whose"), &count);

	for (size_t i = 0; i < count; i++) {
		if (row[i].list == DICTIONARY_FUNCTION)
			return row[i].line;
	}
	return 0;
}

static bool words_is_of_own_script(const struct text *text, uint64_t words)
{
	/* Latin and Greek end below Cyrillic. */
	return words && text->chars[text->words[__builtin_ctzll(words)].start] >= 0x0400;
}

/* "issue 12", "pull request 7": the words before a number say what is numbered. */
static uint64_t words_labels(const struct text *text, uint32_t end)
{
	uint64_t labels = 0;

	for (uint32_t i = end; i-- > 1;) {
		bool before_number = text_has_digit(text->chars + text->words[i].start,
						    text->words[i].len) ||
				     labels >> i & 1;

		if (before_number && words_is_listed_at(text, i - 1, DICTIONARY_NUMBERED))
			labels |= words_run(i - 1, 1);
	}
	return labels;
}

bool words_is_light_form(const struct text *text, uint32_t word)
{
	static const char *const endings[] = {"", "s", "d", "ed", "ing"};
	char buffer[WORDS_LISTED_MAX];
	struct slice spelt = words_spelt_at(text, word, buffer);

	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
		if (slice_ends(spelt, endings[i]) &&
		    dictionary_has(slice_make(spelt.ptr, spelt.len - strlen(endings[i])),
				   DICTIONARY_LIGHT))
			return true;
	return false;
}

bool words_is_nearly_light(const struct text *text, uint32_t word)
{
	const uint32_t *chars = text->chars + text->words[word].start;
	uint32_t len = text->words[word].len;
	uint16_t english = words_english_line();
	size_t edits = 1 + (len >= MISSPELT_LONG);
	char buffer[WORDS_LISTED_MAX];
	size_t listed_as;

	dictionary_find(words_spelt_at(text, word, buffer), &listed_as);
	for (size_t i = 0; !listed_as && len >= MISSPELT_LEAST && i < dictionary_row_count; i++) {
		const struct dictionary_row *row = &dictionary_rows[i];
		const char *spelling = dictionary_spelling(row);
		uint32_t listed[WORDS_LISTED_MAX];
		uint32_t count = 0;

		if (row->list != DICTIONARY_LIGHT &&
		    (row->list != DICTIONARY_FUNCTION || row->line != english))
			continue;
		for (; spelling[count]; count++)
			listed[count] = (unsigned char)spelling[count];
		if (count >= MISSPELT_LEAST &&
		    distance_osa(chars, len, listed, count, edits) <= edits)
			return true;
	}
	return false;
}

/* "how long", "what time": what is asked for, and not what it is asked of. */
static bool words_is_measure_at(const struct text *text, uint32_t word)
{
	char buffer[WORDS_LISTED_MAX];
	char before[WORDS_LISTED_MAX];
	size_t count;
	size_t before_count;
	const struct dictionary_row *row = dictionary_find(words_spelt_at(text, word, buffer),
							   &count);

	if (!word)
		return false;
	const struct dictionary_row *asking = dictionary_find(
		words_spelt_at(text, word - 1, before), &before_count);
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < before_count; j++)
			if (row[i].list == DICTIONARY_MEASURES && row[i].side == 1 &&
			    asking[j].list == DICTIONARY_MEASURES && asking[j].side == 0 &&
			    asking[j].line == row[i].line)
				return true;
	return false;
}

uint64_t words_measures(const struct text *text)
{
	uint32_t count = text->word_count < WORDS_KINDS_MAX ? text->word_count : WORDS_KINDS_MAX;
	uint64_t measures = 0;

	for (uint32_t i = 0; i < count; i++)
		if (words_is_measure_at(text, i))
			measures |= words_run(i, 1);
	return measures;
}

uint64_t words_measures_from(const struct text *question, uint32_t begin)
{
	return begin < WORDS_KINDS_MAX ? words_measures(question) >> begin : 0;
}

struct words_kinds words_kinds_of(const struct text *text)
{
	uint32_t end = text->word_count < WORDS_KINDS_MAX ? text->word_count : WORDS_KINDS_MAX;
	uint16_t english = words_english_line();
	struct language_words found = {{0}, english};
	struct words_kinds kinds = {0};

	for (uint32_t i = 0; i < end; i++) {
		uint32_t count = words_joined_at(text, i, end);

		while (count > 0 && !words_note_languages(text, i, count, &found))
			count--;
		if (count > 1)
			i += count - 1;
		else if (words_is_listed_at(text, i, DICTIONARY_LIGHT) ||
			 words_is_measure_at(text, i))
			kinds.light |= words_run(i, 1);
	}
	kinds.function = found.of[english];
	for (uint32_t line = 0; line < LANGUAGES_MAX; line++) {
		uint64_t others = found.of[line] & ~found.of[english];

		size_t count = text_count_bits(found.of[line]);
		bool foreign = others && count >= LANGUAGE_LEAST &&
			       (text_count_bits(others) >= LANGUAGE_LEAST ||
				count > text_count_bits(found.of[english]));

		if (foreign || words_is_of_own_script(text, others))
			kinds.function |= found.of[line];
		kinds.foreign |= foreign;
	}
	kinds.light &= ~kinds.function;
	kinds.labels = words_labels(text, end);
	return kinds;
}

/* ---- words of the language */

/*
 * An ending, what stands in its place in the word that is listed, and what must stand before it.
 * Plurals and tenses are as common as the word; what is derived from one is rare unless it is
 * listed itself. data/words/english.awk leaves out what is found here.
 */
static const struct {
	const char *ending;
	const char *instead;
	size_t least;       /* characters of the listed word */
	const char *before; /* one of these; NULL for anything */
	const char *not_before;
	bool derives;
} endings[] = {
	{"s", "", 3, NULL, "sxz", false},   {"es", "", 3, "sxzho", NULL, false},
	{"ies", "y", 3, NULL, NULL, false}, {"ed", "", 3, NULL, NULL, false},
	{"ed", "e", 3, NULL, NULL, false},  {"ied", "y", 3, NULL, NULL, false},
	{"ing", "", 3, NULL, NULL, false},  {"ing", "e", 3, NULL, NULL, false},
	{"er", "", 3, NULL, "e", true},     {"er", "e", 4, NULL, NULL, true},
	{"or", "", 4, "ts", NULL, true},    {"or", "e", 4, "ts", NULL, true},
	{"ly", "", 4, NULL, NULL, true},    {"ness", "", 4, NULL, NULL, true},
	{"ment", "", 4, NULL, NULL, true},  {"ion", "", 4, "ts", NULL, true},
	{"ion", "e", 4, "ts", NULL, true},  {"able", "", 4, NULL, NULL, true},
	{"al", "", 4, NULL, NULL, true},
};

static enum dictionary_rarity words_rarer(enum dictionary_rarity a, enum dictionary_rarity b)
{
	return a > b ? a : b;
}

static enum dictionary_rarity words_commoner(enum dictionary_rarity a, enum dictionary_rarity b)
{
	return a < b ? a : b;
}

/* Words of the trades are usual. */
static enum dictionary_rarity words_listed_rarity(struct slice word)
{
	enum dictionary_rarity rarity = dictionary_rarity(word);

	if (rarity > RARITY_USUAL && dictionary_has(word, DICTIONARY_TERMS))
		return RARITY_USUAL;
	return rarity;
}

/* Words of one short syllable double their last letter: "stopped". */
static bool words_is_doubled(const char *form, size_t len)
{
	size_t vowels = 0;

	for (size_t i = 0; i < len; i++)
		vowels += strchr("aeiou", form[i]) != NULL;
	return len > 3 && vowels == 1 && strchr("aeiou", form[len - 3]) &&
	       form[len - 1] == form[len - 2] && strchr("bdglmnprtv", form[len - 1]);
}

/* Words of three letters that would have doubled the last one: there is no "taging". */
static bool words_should_double(const char *form, size_t len, const char *ending)
{
	return len == 3 && strchr("ei", ending[0]) && ending[1] != 's' &&
	       strchr("aeiou", form[1]) && !strchr("aeiou", form[0]) && strchr("bdgmnpt", form[2]);
}

/* How rare the word is as a listed one with the ending of this number. */
static enum dictionary_rarity words_rarity_with(struct slice word, size_t number)
{
	size_t cut = strlen(endings[number].ending);
	size_t more = strlen(endings[number].instead);
	const char *before = endings[number].before;
	const char *not_before = endings[number].not_before;
	char form[WORDS_LISTED_MAX];
	size_t len;

	if (word.len + more < cut + endings[number].least || word.len >= sizeof form ||
	    word.len <= cut)
		return RARITY_UNKNOWN;
	len = word.len - cut;
	if (memcmp(word.ptr + len, endings[number].ending, cut) != 0 ||
	    (before && !strchr(before, word.ptr[len - 1])) ||
	    (not_before && strchr(not_before, word.ptr[len - 1])))
		return RARITY_UNKNOWN;
	memcpy(form, word.ptr, len);
	if (!more && words_should_double(form, len, endings[number].ending))
		return RARITY_UNKNOWN;
	memcpy(form + len, endings[number].instead, more);
	enum dictionary_rarity rarity = words_listed_rarity(slice_make(form, len + more));
	if (!more && words_is_doubled(form, len))
		rarity = words_commoner(rarity, words_listed_rarity(slice_make(form, len - 1)));
	return endings[number].derives ? words_rarer(rarity, RARITY_RARE) : rarity;
}

enum dictionary_rarity words_rarity_at(const struct text *text, uint32_t word)
{
	static const char *const beginnings[] = {"un", "non", "dis"};
	char buffer[WORDS_LISTED_MAX];
	struct slice spelt = words_spelt_at(text, word, buffer);
	enum dictionary_rarity rarity = words_listed_rarity(spelt);

	if (rarity > RARITY_USUAL && (dictionary_has(spelt, DICTIONARY_PERSONS) ||
				      dictionary_has(spelt, DICTIONARY_OPPOSITES)))
		return RARITY_USUAL;
	for (size_t i = 0; rarity > RARITY_COMMON && i < sizeof endings / sizeof *endings; i++)
		rarity = words_commoner(rarity, words_rarity_with(spelt, i));
	for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
		size_t cut = strlen(beginnings[i]);

		if (rarity == RARITY_UNKNOWN && spelt.len >= cut + 4 &&
		    memcmp(spelt.ptr, beginnings[i], cut) == 0)
			rarity = words_rarer(
				RARITY_RARE,
				words_listed_rarity(slice_make(spelt.ptr + cut, spelt.len - cut)));
	}
	return rarity;
}

/* ---- questions */

uint32_t words_kind_at(const struct text *text, uint32_t word)
{
	char buffer[WORDS_LISTED_MAX];
	size_t count;
	const struct dictionary_row *rows = dictionary_find(words_spelt_at(text, word, buffer),
							    &count);

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

uint64_t words_without_subject(const struct text *text, bool of_question, uint64_t measures)
{
	uint32_t count = text->word_count < WORDS_KINDS_MAX ? text->word_count : WORDS_KINDS_MAX;
	struct words_kinds kinds = words_kinds_of(text);
	uint64_t all = count < WORDS_KINDS_MAX ? words_run(0, count) : UINT64_MAX;

	measures = (measures | words_measures(text)) & all;
	for (uint32_t i = 0; i < count; i++)
		if (words_is_listed_at(text, i, DICTIONARY_ASKING))
			kinds.function |= words_run(i, 1);
	uint64_t left_out = kinds.function | kinds.labels;
	if (of_question || kinds.function)
		left_out |= kinds.light | measures;
	if (text_count_bits(left_out) < text->word_count)
		return left_out;
	/* "which days do I run": of the two it is the verb that says something. */
	left_out &= kinds.function | kinds.labels | measures;
	if (measures && text_count_bits(left_out) < text->word_count)
		return left_out;
	return text_count_bits(kinds.function) < text->word_count ? kinds.function : 0;
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

/*
 * True if a word at the end is no part of the content. Words that join others are not, unless they
 * belong to an action.
 */
static bool words_is_end_at(const struct text *question, uint32_t word, uint32_t begin, bool did)
{
	if (words_is_listed_at(question, word, DICTIONARY_ASKING))
		return did || !words_is_listed_at(question, word, DICTIONARY_JOINING);
	return words_is_doing_at(question, word) ||
	       (begin > 1 && words_is_listed_at(question, word, DICTIONARY_PARTINGS));
}

uint32_t words_content(struct arena *arena, const struct text *question, struct text *out)
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
	return begin < end ? begin : 0;
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

	if (query_len == len && memcmp(query, word, len * sizeof *word) == 0)
		return (struct words_likeness){1, true};
	if (words_begins_with(word, len, query, query_len))
		return (struct words_likeness){WORDS_PREFIX, false};
	size_t distance = distance_osa(query, query_len, word, len, limit);
	if (distance > limit)
		return none;
	result.likeness = 1 - (double)distance / longer;
	result.near = query_len >= 4 && distance <= query_len / 4;
	return result;
}
