/*
 * Finds whether a key differs from a query in a word that tells two things apart. "payee_account"
 * asks for another thing than payer_account says, however alike they are; "payer_acount" does not.
 *
 * Equal words are paired, also in another form of theirs. What is left on one side only is more or
 * less of the same thing. What is left on both sides is a slip of the finger, or another word: one
 * of the language or of the store, a counterpart, a number.
 */
#ifndef KOTA_LOOKUP_DIFFERENCE_H
#define KOTA_LOOKUP_DIFFERENCE_H

#include "lookup/lookup_index.h"
#include "lookup/slip.h"

/* Most words of a query or key that are compared; longer ones are not compared. */
#define DIFFERENCE_WORDS_MAX SLIP_WORDS_MAX

/* The first words that differ: of the query and of the key. Parts of texts. */
struct difference {
	const struct text *asked;
	const struct text *stored;
	uint32_t asked_word;
	uint32_t stored_word;
	uint32_t paired; /* words that do not differ */
};

/* A query, prepared for comparing its words with those of keys. Texts live in the arena. */
struct difference_query {
	struct text text;  /* split, without question words at its ends */
	uint64_t left_out; /* words without a subject */
	uint64_t never;    /* those of them that are not held against a key in any case */
	bool of_question;  /* there were question words at its ends */
	bool of_person;    /* they asked who does something */
	struct slip_query slips;
	const struct indexed *last; /* the item that was asked about last, and what was found */
	struct difference last_found;
	bool last_differs;
	bool asked; /* there is a word to compare with a key */
};

/* Prepares a query as it was asked. */
void difference_prepare(struct difference_query *query, struct arena *arena, struct slice asked);

/*
 * True if the item's key differs from the query. What a query asks for in words of the value alone
 * is not asked of the key.
 */
bool difference_find(struct lookup *index, struct difference_query *query, uint32_t item,
		     struct difference *out);

/* A word of the query that stands neither in the key nor in the value of the item that answers it.
 */
bool difference_find_extra(struct lookup *index, struct difference_query *query, uint32_t item,
			   uint32_t *word);

/*
 * True if the query has such a word that is surely no slip: "rent", which what is "sent" does not
 * answer.
 */
bool difference_lacks_word(struct lookup *index, struct difference_query *query, uint32_t item);

#endif
