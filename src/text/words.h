/*
 * Which words of a question say what is asked for, and how much two words resemble each other.
 */
#ifndef KOTA_TEXT_WORDS_H
#define KOTA_TEXT_WORDS_H

#include "text/dictionary.h"
#include "text/tokens.h"

/* Is this word of a text in a list of the dictionary? */
bool words_is_listed_at(const struct text *text, uint32_t word, enum word_list list);

/* The kind of question that this word asks, its line in the list of hints; 0 for none. */
uint32_t words_kind_at(const struct text *text, uint32_t word);

/* Are all words of a text question words? */
bool words_are_questions(const struct text *text);

/*
 * A question without the question words and courtesies that it begins and ends with; all of it
 * when nothing would be left.
 */
void words_content(struct arena *arena, const struct text *question, struct text *out);

/* A prefix counts this much, from three characters on. */
#define WORDS_PREFIX 0.9

/* Words less alike than this do not resemble each other. */
#define WORDS_ALIKE_PERCENT 66
#define WORDS_ALIKE (WORDS_ALIKE_PERCENT / 100.0)

struct words_likeness {
	double likeness; /* 1 equal, WORDS_PREFIX for a beginning, else similarity; 0 below the
			    limit */
	bool near; /* so close that it stands for a misspelling: an edit for four characters */
};

/*
 * How much a word of a query resembles another one. Words with digits are not to be asked: they
 * only equal themselves.
 */
struct words_likeness words_compare(const uint32_t *query, uint32_t query_len, const uint32_t *word,
				    uint32_t len);

#endif
