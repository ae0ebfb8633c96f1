#include "lookup/kin.h"

#include "text/stem.h"
#include "text/words.h"

#include <string.h>

/* So much of a word has to be left of it without an ending. */
#define ROOT_LEAST 4

/* The same of one that names who does something: "own" of owner. */
#define DOING_LEAST 3

bool kin_is_ascii(const struct text *text, uint32_t word)
{
	for (uint32_t i = 0; i < text->words[word].len; i++)
		if (kin_chars_at(text, word)[i] >= 0x80)
			return false;
	return true;
}

/* Its letters without the s of a plural. */
static uint32_t kin_singular_len(const struct text *text, uint32_t word)
{
	uint32_t len = text->words[word].len;

	return len > 1 && kin_chars_at(text, word)[len - 1] == 's' ? len - 1 : len;
}

typedef size_t kin_stem(const uint32_t *word, size_t len, uint32_t *out);

static bool kin_stems_agree(const uint32_t *a, uint32_t a_len, const uint32_t *b, uint32_t b_len,
			    kin_stem *stem)
{
	uint32_t one[STEM_LEN_MAX];
	uint32_t other[STEM_LEN_MAX];
	size_t len;

	if (a_len > STEM_LEN_MAX || b_len > STEM_LEN_MAX || text_has_digit(a, a_len) ||
	    text_has_digit(b, b_len))
		return false;
	len = stem(a, a_len, one);
	return len == stem(b, b_len, other) && memcmp(one, other, len * sizeof *one) == 0;
}

/* The length of a word without this ending; 0 where it has another one, or is hardly longer. */
static uint32_t kin_without(const struct text *text, uint32_t word, const char *ending)
{
	const uint32_t *chars = kin_chars_at(text, word);
	uint32_t cut = (uint32_t)strlen(ending);
	uint32_t len = text->words[word].len;

	if (len < cut + ROOT_LEAST)
		return 0;
	for (uint32_t i = 0; i < cut; i++)
		if (chars[len - cut + i] != (unsigned char)ending[i])
			return 0;
	return len - cut;
}

/* A noun, and the adjective that is made of it, or the reverse: "allergy", "allergic". */
static bool kin_is_adjective_of(const struct text *a, uint32_t i, const struct text *b, uint32_t j)
{
	static const struct {
		const char *noun;
		const char *adjective;
	} pairs[] = {
		{"y", "ic"},
		{"ies", "ic"},
	};

	for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
		uint32_t len = kin_without(a, i, pairs[k].noun);

		if (len && len == kin_without(b, j, pairs[k].adjective) &&
		    memcmp(kin_chars_at(a, i), kin_chars_at(b, j), len * sizeof *a->chars) == 0)
			return true;
	}
	return false;
}

static bool kin_have_one_stem(const struct text *a, uint32_t i, const struct text *b, uint32_t j,
			      kin_stem *stem)
{
	return kin_stems_agree(kin_chars_at(a, i), a->words[i].len, kin_chars_at(b, j),
			       b->words[j].len, stem);
}

/* Is this beginning of a word one of English itself? */
static bool kin_is_word(const char *spelt, size_t len)
{
	return len >= DOING_LEAST && dictionary_rarity(slice_make(spelt, len)) <= RARITY_USUAL;
}

/*
 * Does the word name who or what does something? "router" does what "route" is, but is another
 * thing; "color" is none, because nothing does "col" or "colo".
 */
static bool kin_is_agent(const struct text *text, uint32_t word)
{
	char buffer[WORDS_LISTED_MAX];
	struct slice spelt = words_spelt_at(text, word, buffer);
	const char *whole = dictionary_word_of_form(spelt);
	size_t len;

	if (whole) { /* "mgr" */
		memcpy(buffer, whole, strlen(whole) + 1);
		spelt = slice_of(buffer);
	}
	len = spelt.len - (spelt.len > 1 && slice_ends(spelt, "s"));
	if (len <= 4 || spelt.ptr[len - 1] != 'r' ||
	    (spelt.ptr[len - 2] != 'e' && spelt.ptr[len - 2] != 'o'))
		return false;
	if (kin_is_word(spelt.ptr, len - 2))
		return true;
	/* "manager", "operator", "runner" */
	buffer[len - 2] = 'e';
	return kin_is_word(spelt.ptr, len - 1) ||
	       (spelt.ptr[len - 3] == spelt.ptr[len - 4] && kin_is_word(spelt.ptr, len - 3));
}

bool kin_is_same_root(const struct text *a, uint32_t i, const struct text *b, uint32_t j,
		      bool foreign)
{
	if (foreign && kin_have_one_stem(a, i, b, j, stem_foreign_word))
		return true;
	return (kin_have_one_stem(a, i, b, j, stem_word) || kin_is_adjective_of(a, i, b, j) ||
		kin_is_adjective_of(b, j, a, i)) &&
	       kin_is_agent(a, i) == kin_is_agent(b, j);
}

/* "training" is what is done, and not the verb that says so. */
static bool kin_is_gerund(const struct text *text, uint32_t word)
{
	const uint32_t *chars = kin_chars_at(text, word);
	uint32_t len = kin_singular_len(text, word);

	return len > 3 && chars[len - 3] == 'i' && chars[len - 2] == 'n' && chars[len - 1] == 'g';
}

/* Is the second word a verb, and does the first name who or what does that: "runner", "runs"? */
static bool kin_is_done_by(const struct text *a, uint32_t i, const struct text *b, uint32_t j)
{
	const uint32_t *doer = kin_chars_at(a, i);
	const uint32_t *verb = kin_chars_at(b, j);
	uint32_t len = kin_singular_len(a, i);

	if (!kin_is_agent(a, i) || kin_is_agent(b, j) || kin_is_gerund(b, j) ||
	    len < 2 + DOING_LEAST)
		return false;
	/* "parser", "runner": with the e of the verb, and with its last letter once. */
	return kin_stems_agree(doer, len, verb, b->words[j].len, stem_word) ||
	       kin_stems_agree(doer, len - 2, verb, b->words[j].len, stem_word) ||
	       (doer[len - 3] == doer[len - 4] &&
		kin_stems_agree(doer, len - 3, verb, b->words[j].len, stem_word));
}

bool kin_is_doer_of(const struct text *a, uint32_t i, const struct text *b, uint32_t j)
{
	return kin_is_done_by(b, j, a, i);
}

bool kin_is_done_in(const struct text *a, uint32_t i, const struct text *b)
{
	bool done = false;

	for (uint32_t j = 0; j < b->word_count; j++) {
		if (done && words_is_listed_at(b, j, DICTIONARY_MEANS))
			return true;
		done = done || kin_is_done_by(a, i, b, j);
	}
	return false;
}

bool kin_are_opposed(const struct text *a, uint32_t i, const struct text *b, uint32_t j, bool *same)
{
	char one[WORDS_LISTED_MAX];
	char other[WORDS_LISTED_MAX];
	struct slice x = words_spelt_at(a, i, one);
	struct slice y = words_spelt_at(b, j, other);
	bool things;

	*same = false;
	if (dictionary_counterparts(x, y, same) || *same)
		return !*same;
	const struct dictionary_entry first = dictionary_look_up(x);
	const struct dictionary_entry second = dictionary_look_up(y);

	return dictionary_opposed(&first, &second, &things);
}

bool kin_are_opposites(const struct text *a, uint32_t i, const struct text *b, uint32_t j)
{
	bool same;

	return kin_are_opposed(a, i, b, j, &same);
}

bool kin_is_same_number(const struct text *a, uint32_t i, const struct text *b, uint32_t j)
{
	struct text_word x = text_plain_number(a->chars, a->words[i]);
	struct text_word y = text_plain_number(b->chars, b->words[j]);

	return x.len > 0 && x.len == y.len &&
	       memcmp(a->chars + x.start, b->chars + y.start, x.len * sizeof *a->chars) == 0;
}

bool kin_has_number(const struct text *a, uint32_t i, const struct text *b)
{
	for (uint32_t j = 0; j < b->word_count; j++)
		if (kin_is_equal_word(a, i, b, j) || kin_is_same_number(a, i, b, j))
			return true;
	return false;
}

bool kin_is_hash_start(const struct text *asked, uint32_t i, const struct text *stored, uint32_t j)
{
	const uint32_t *chars = kin_chars_at(asked, i);
	uint32_t len = asked->words[i].len;

	return stored->words[j].len > len && text_is_hash_start(chars, len) &&
	       text_is_hash_start(kin_chars_at(stored, j), stored->words[j].len) &&
	       memcmp(chars, kin_chars_at(stored, j), len * sizeof *chars) == 0;
}

/* How many letters the word begins with, where only digits follow; else its length. */
static uint32_t kin_letters_before_number(const struct text *text, uint32_t word)
{
	const uint32_t *chars = kin_chars_at(text, word);
	uint32_t len = text->words[word].len;
	uint32_t letters = len;

	while (letters > 0 && chars[letters - 1] >= '0' && chars[letters - 1] <= '9')
		letters--;
	return text_has_digit(chars, letters) ? len : letters;
}

bool kin_is_next_of_series(const struct text *a, uint32_t i, const struct text *b, uint32_t j)
{
	uint32_t letters = kin_letters_before_number(a, i);

	if (letters == a->words[i].len || kin_letters_before_number(b, j) != letters ||
	    letters == b->words[j].len || kin_is_equal_word(a, i, b, j))
		return false;
	if (letters > 0)
		return memcmp(kin_chars_at(a, i), kin_chars_at(b, j), letters * sizeof *a->chars) ==
		       0;
	return i > 0 && j > 0 && kin_is_equal_word(a, i - 1, b, j - 1) &&
	       !words_is_listed_at(a, i - 1, DICTIONARY_FUNCTION) &&
	       !text_has_digit(kin_chars_at(a, i - 1), a->words[i - 1].len);
}
