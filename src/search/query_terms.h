/*
 * Which words of a query are looked for, which terms of the index each of them means, and which
 * words its question words let one expect in an answer.
 */
#ifndef KOTA_SEARCH_QUERY_TERMS_H
#define KOTA_SEARCH_QUERY_TERMS_H

#include "search/search_index.h"

/* Does this word of a text ask, courteously or about the memory itself, and name nothing? */
bool search_is_stop_word(const struct text *text, uint32_t word);

/*
 * Words that stand in answers to such a question, ended by NULL: "who" lets one expect a person who
 * is asked, or leads, or approved. NULL when the word lets one expect nothing.
 */
const char *const *search_hints(const struct text *text, uint32_t word);

/*
 * Appends the terms that a word means; approximate forms only when approximate is true and there
 * are no others.
 */
void search_terms_find(struct search *index, const uint32_t *chars, uint32_t len, double factor,
		       bool approximate, struct search_matches *out);

#endif
