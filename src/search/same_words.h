/*
 * Words that mean the same, by the list of data/words: "folder" and "directory".
 *
 * They are kept as stems, as the words of the index find each other: see search_stem(). Built once
 * for an index; no state.
 */
#ifndef KOTA_SEARCH_SAME_WORDS_H
#define KOTA_SEARCH_SAME_WORDS_H

#include "base/str.h"

#include <stdint.h>

struct same_word {
	struct slice stem;
	uint16_t line; /* of the list */
};

struct same_words;

/* Reads the list; release with same_words_free(). */
struct same_words *same_words_new(void);

/* NULL is ignored. What it handed out ends with it. */
void same_words_free(struct same_words *same);

/* The words of the line that has this stem, itself among them. *count is 0 if none has it. */
const struct same_word *same_words_of(const struct same_words *same, struct slice stem,
				      size_t *count);

#endif
