/*
 * All words of an index, where each of them stands, and which of them a word of a query resembles.
 *
 * A word stands in forms of keys (numbers that the caller gives) and in items, in key or value.
 * Items can be added and removed at any time; postings of removed items stay, and callers skip
 * them. Owns its words and postings.
 */
#ifndef KOTA_LOOKUP_VOCAB_H
#define KOTA_LOOKUP_VOCAB_H

#include "base/arena.h"
#include "base/map.h"
#include "text/columns.h"
#include "text/tokens.h"

enum vocab_place { VOCAB_IN_KEY = 1, VOCAB_IN_VALUE = 2 };

/* A word stands here. */
struct vocab_posting {
	uint32_t target; /* item */
	uint8_t places;  /* set of enum vocab_place */
	uint8_t folded;  /* diacritics that it lost */
};

#define VOCAB_NONE UINT32_MAX

struct vocab_word {
	const uint32_t *chars;
	uint32_t len;
	uint32_t keys;     /* items that have it in their key */
	double weight;     /* as of weighed; ask vocab_weight() */
	uint64_t weighed;  /* number of the vocabulary's state */
	uint32_t next_kin; /* another word with the same stem, VOCAB_NONE ends */
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

/* Words of one length, in the order in which they came. */
struct vocab_bucket {
	uint64_t *bags;
	struct columns letters;    /* the bags, to compare many at once */
	struct columns beginnings; /* likewise the heads */
	uint64_t *heads;           /* first characters */
	uint32_t *ids;
	uint32_t count;
	size_t bag_cap;
	size_t head_cap;
	size_t id_cap;
};

/* The last bucket also holds all words that are longer. */
#define VOCAB_BUCKETS 128

struct vocab {
	struct arena arena; /* characters of the words */
	struct vocab_word *words;
	size_t count;
	size_t cap;
	struct map ids;
	struct map stems; /* stem -> first word that has it */
	struct vocab_bucket buckets[VOCAB_BUCKETS];
	size_t items;   /* how many the weights are for */
	uint64_t state; /* counts changes of what the weights depend on */
	struct vocab_match *matches;
	size_t match_cap;
};

/* Frees the words, leaves an empty vocabulary. */
void vocab_release(struct vocab *vocab);

/* The word's number, given on first sight. */
uint32_t vocab_id(struct vocab *vocab, const struct text *text, uint32_t word);

/* True if the word is known; *id is its number. */
bool vocab_known(const struct vocab *vocab, const struct text *text, uint32_t word, uint32_t *id);

/* The word stands in this form; forms come in ascending order. */
void vocab_add_form(struct vocab *vocab, uint32_t word, uint32_t form);

/* The word stands in this item; items come in ascending order. */
void vocab_add_item(struct vocab *vocab, uint32_t word, uint32_t item, enum vocab_place place,
		    size_t folded);

/* The item is gone, and with it the word from its key; for each word of the key, twice is once. */
void vocab_drop_key(struct vocab *vocab, uint32_t word, uint32_t item);

/*
 * The first: true if the word stands in the value of this item. The second: in any value that is
 * not gone.
 */
bool vocab_is_in_value(const struct vocab *vocab, uint32_t word, uint32_t item);
bool vocab_is_anywhere(const struct vocab *vocab, uint32_t word, const int *scopes, int gone);

/* Sets the number of items. */
void vocab_set_items(struct vocab *vocab, size_t items);

/* Inverse document frequency of a word over the keys, and that of a word that is in no key. */
double vocab_weight(struct vocab *vocab, uint32_t word);
double vocab_rarest(const struct vocab *vocab);

/*
 * The words that resemble one of a query; they are valid until the next call. Returns how many.
 */
size_t vocab_find(struct vocab *vocab, const struct text *query, uint32_t word,
		  const struct vocab_match **out);

/* As vocab_find: the words that contain these characters. */
size_t vocab_find_containing(struct vocab *vocab, const uint32_t *chars, uint32_t len,
			     const struct vocab_match **out);

#endif
