/*
 * All words of an index, where each of them stands, and which of them a word of a query resembles.
 *
 * A word stands in forms of keys (numbers that the caller gives) and in items, in key or value.
 * Built once: add everything, then vocab_finish(). Owns its words and postings.
 */
#ifndef KOTA_MATCH_VOCAB_H
#define KOTA_MATCH_VOCAB_H

#include "base/map.h"
#include "match/text.h"

enum vocab_place { VOCAB_IN_KEY = 1, VOCAB_IN_VALUE = 2 };

/* A word stands here. */
struct vocab_posting {
	uint32_t target; /* item */
	uint8_t places;  /* set of enum vocab_place */
	uint8_t folded;  /* diacritics that it lost */
};

struct vocab_word {
	const uint32_t *chars;
	uint32_t len;
	double weight; /* inverse document frequency over the keys */
	uint32_t *forms;
	uint32_t form_count;
	size_t form_cap;
	struct vocab_posting *items;
	uint32_t item_count;
	size_t item_cap;
};

/* A word of the vocabulary that resembles the one asked for. */
struct vocab_match {
	uint32_t word;
	double likeness;
	bool near;
};

struct vocab {
	struct vocab_word *words;
	size_t count;
	size_t cap;
	struct map ids;
	uint32_t *by_len; /* word numbers, shortest first */
	uint64_t *bags;   /* bag and first characters of the words in this order */
	uint64_t *heads;
	uint32_t *starts; /* place in by_len of the first word of a length */
	uint32_t longest; /* length of the longest word */
	double rarest;    /* weight of a word that stands in no key */
	struct vocab_match *matches;
	size_t match_cap;
};

/* Empties a vocabulary whose memory is unknown. */
void vocab_init(struct vocab *vocab);

/* Frees the words, leaves an empty vocabulary. */
void vocab_release(struct vocab *vocab);

/* The word's number, given on first sight. The text must outlive the vocabulary. */
uint32_t vocab_id(struct vocab *vocab, const struct text *text, uint32_t word);

/* The word stands in this form; forms come in ascending order. */
void vocab_add_form(struct vocab *vocab, uint32_t word, uint32_t form);

/* The word stands in this item; items come in ascending order. */
void vocab_add_item(struct vocab *vocab, uint32_t word, uint32_t item, enum vocab_place place,
		    size_t folded);

/* Everything was added: computes weights for so many items. */
void vocab_finish(struct vocab *vocab, size_t item_count);

/*
 * The words that resemble one of a query; they are valid until the next call. Returns how many.
 */
size_t vocab_find(struct vocab *vocab, const struct text *query, uint32_t word,
		  const struct vocab_match **out);

/* As vocab_find: the words that contain it. */
size_t vocab_find_containing(struct vocab *vocab, const struct text *query, uint32_t word,
			     const struct vocab_match **out);

#endif
