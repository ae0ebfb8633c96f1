/*
 * Whether two words say the same: as they stand, in another form, as the same number.
 *
 * A word is given by its text and its place there.
 */
#ifndef KOTA_LOOKUP_KIN_H
#define KOTA_LOOKUP_KIN_H

#include "text/tokens.h"

/* The characters of a word; as many as text->words[word].len. */
static inline const uint32_t *kin_chars_at(const struct text *text, uint32_t word)
{
	return text->chars + text->words[word].start;
}

static inline bool kin_has_digit(const struct text *text, uint32_t word)
{
	return text_has_digit(kin_chars_at(text, word), text->words[word].len);
}

/* True if the word is written in ASCII. */
bool kin_is_ascii(const struct text *text, uint32_t word);

/* True if they are spelt alike. */
static inline bool kin_is_equal_word(const struct text *a, uint32_t i, const struct text *b,
				     uint32_t j)
{
	return slice_equal(text_word_bytes(a, i), text_word_bytes(b, j));
}

/*
 * True if they are forms of one English word: "stored", "storing", but not "storer"; with foreign
 * also, coarsely, of a word of another language in Latin letters.
 */
bool kin_is_same_root(const struct text *a, uint32_t i, const struct text *b, uint32_t j,
		      bool foreign);

/* True if the second word names who does what the first one says: "owns", "owner". */
bool kin_is_doer_of(const struct text *a, uint32_t i, const struct text *b, uint32_t j);

/*
 * True if the word names who or what does something, and the other text says with what that is
 * done: "check with mypy" answers for the type checker.
 */
bool kin_is_done_in(const struct text *a, uint32_t i, const struct text *b);

/* True if the lists know them as two things; *same says if they are two names of one instead. */
bool kin_are_opposed(const struct text *a, uint32_t i, const struct text *b, uint32_t j,
		     bool *same);
bool kin_are_opposites(const struct text *a, uint32_t i, const struct text *b, uint32_t j);

/* True if both are one number, whatever stands around it: "v2", "2". */
bool kin_is_same_number(const struct text *a, uint32_t i, const struct text *b, uint32_t j);

/* True if a word of the second text is this number. */
bool kin_has_number(const struct text *a, uint32_t i, const struct text *b);

/* True if the first word is a hash of which only the first digits were asked for. */
bool kin_is_hash_start(const struct text *asked, uint32_t i, const struct text *stored, uint32_t j);

/*
 * True if both are of one series and have other numbers: "e18" and "e21", or the numbers of
 * "proj 17" and "proj 18".
 */
bool kin_is_next_of_series(const struct text *a, uint32_t i, const struct text *b, uint32_t j);

#endif
