/*
 * Which words of a query are looked for, and what its question words let one expect.
 */
#ifndef KOTA_SEARCH_QUERY_WORDS_H
#define KOTA_SEARCH_QUERY_WORDS_H

#include "text/tokens.h"

/* Does this word of a text ask, courteously or about the memory itself, and name nothing? */
bool search_is_stop_word(const struct text *text, uint32_t word);

/*
 * Words that stand in answers to such a question, ended by NULL: "who" lets one expect a person who
 * is asked, or leads, or approved. NULL when the word lets one expect nothing.
 */
const char *const *search_hints(const struct text *text, uint32_t word);

#endif
