/*
 * Whether a word of a query is a slip of the finger: meant for another word, of a key or a value.
 */
#ifndef KOTA_LOOKUP_SLIP_H
#define KOTA_LOOKUP_SLIP_H

#include "lookup/lookup_index.h"
#include "text/dictionary.h"

/* Most words of a query. */
#define SLIP_WORDS_MAX 24

struct slip_word {
	bool known;                    /* the next two were looked up */
	bool stored;                   /* it stands in an item of the store */
	enum dictionary_rarity rarity; /* as a word of English, where it is asked in that */
	uint32_t *ids; /* words of the store that it may stand for; NULL: not looked up yet */
	size_t count;
};

/* The words of a query, and what was looked up of them; that lives in the arena. */
struct slip_query {
	const struct text *text;
	bool foreign; /* it is in another language than that of the list of words */
	struct arena *arena;
	struct slip_word words[SLIP_WORDS_MAX];
};

/* What a word of the query is known as; looked up once. */
const struct slip_word *slip_known_as(struct lookup *index, struct slip_query *query,
				      uint32_t word);

/* True if the value of the item has the word, or one that it may be a misspelling of. */
bool slip_is_in_value(struct lookup *index, struct slip_query *query, uint32_t word, uint32_t item);

/* True if word i of the query is a slip of word j of a key. */
bool slip_is_of(struct lookup *index, struct slip_query *query, uint32_t i,
		const struct text *stored, uint32_t j);

/* True for a misspelt word that may have been one without a subject. */
bool slip_is_of_nothing(struct lookup *index, struct slip_query *query, uint32_t word);

#endif
