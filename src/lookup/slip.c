#include "lookup/slip.h"

#include "lookup/kin.h"
#include "text/distance.h"
#include "text/words.h"

#include <string.h>

/* In a word that is another one as well, or of a language of which no list is known; and one more
 * from so many characters on. */
#define SLIP_EDITS 1
#define SLIP_LONG 8

/* In a word that no list has: so much of a hundred letters. */
#define SLIP_SHARE 40

/* In one that begins as a word of the key of so many letters does. */
#define SLIP_SHORT 4
#define SLIP_SHORT_EDITS 2

/* So many letters may stand for the word that they begin. */
#define BEGINNING_LEAST 3

/* A longer word may stand for any that vocab_find() takes for alike. */
#define VALUE_SLIP_LONG 6

/* Words of so many letters that no list has are abbreviations, where each letter counts. */
#define ABBREVIATION_MOST 3

const struct slip_word *slip_known_as(struct lookup *index, struct slip_query *query, uint32_t word)
{
	struct slip_word *words = &query->words[word];
	uint32_t id;

	if (!words->known) {
		words->known = true;
		words->stored = vocab_known(&index->vocab, query->text, word, &id) &&
				vocab_is_anywhere(&index->vocab, id, index->scopes, INDEX_GONE);
		words->rarity = query->foreign ? RARITY_UNKNOWN
					       : words_rarity_at(query->text, word);
	}
	return words;
}

/* Is it a word of the language, or one that stands in another item of the store? */
static bool slip_is_other_word(struct lookup *index, struct slip_query *query, uint32_t word)
{
	const struct slip_word *words = slip_known_as(index, query, word);

	return words->stored || words->rarity < RARITY_UNKNOWN;
}

/* Is it that word of the store, or may it be a misspelling of it? */
static bool slip_may_stand_for(struct lookup *index, struct slip_query *query, uint32_t word,
			       const struct vocab_match *match)
{
	const struct vocab_word *stored = &index->vocab.words[match->word];
	uint32_t len = query->text->words[word].len;

	if (match->likeness >= 1)
		return true;
	if (!slip_is_other_word(index, query, word))
		return (match->near || len >= VALUE_SLIP_LONG) &&
		       (!query->foreign || *stored->chars == *kin_chars_at(query->text, word));
	/* A letter is left out more often than it is mistaken for another. */
	return query->words[word].rarity == RARITY_USUAL && !query->words[word].stored &&
	       stored->len == len + 1 &&
	       distance_osa(kin_chars_at(query->text, word), len, stored->chars, stored->len,
			    SLIP_EDITS) <= SLIP_EDITS;
}

/* Looks up once which words of the store a word of the query may stand for. */
static const struct slip_word *slip_stands_for(struct lookup *index, struct slip_query *query,
					       uint32_t word)
{
	struct slip_word *words = &query->words[word];
	const struct vocab_match *matches;
	size_t count;

	if (words->ids)
		return words;
	count = vocab_find(&index->vocab, query->text, word, &matches);
	words->ids = arena_alloc(query->arena, (count + 1) * sizeof *words->ids);
	for (size_t i = 0; i < count; i++) {
		if (slip_may_stand_for(index, query, word, &matches[i]))
			words->ids[words->count++] = matches[i].word;
	}
	return words;
}

bool slip_is_in_value(struct lookup *index, struct slip_query *query, uint32_t word, uint32_t item)
{
	const struct slip_word *words = slip_stands_for(index, query, word);

	for (size_t i = 0; i < words->count; i++)
		if (vocab_is_in_value(&index->vocab, words->ids[i], item))
			return true;
	return false;
}

/* How many edits at most make a slip of a word of the store. */
static size_t slip_edits(struct lookup *index, struct slip_query *query, uint32_t i,
			 const struct text *stored, uint32_t j)
{
	const struct slip_word *words = slip_known_as(index, query, i);
	uint32_t len = query->text->words[i].len;
	uint32_t key_len = stored->words[j].len;
	size_t edits = SLIP_EDITS + (len >= SLIP_LONG);
	enum dictionary_rarity rarity;

	if (words->stored || words->rarity == RARITY_COMMON)
		return 0;
	rarity = words_rarity_at(stored, j);
	/* A rare word may be a typo for a common one, but not the reverse. */
	if (words->rarity == RARITY_RARE && rarity == RARITY_USUAL)
		return edits;
	if (words->rarity < RARITY_UNKNOWN && rarity > RARITY_COMMON)
		return 0;
	/* A letter is left out more often than it is mistaken for another. */
	if (words->rarity == RARITY_USUAL)
		return key_len == len + 1 ? SLIP_EDITS : 0;
	if (rarity == RARITY_UNKNOWN && len == key_len && len <= ABBREVIATION_MOST)
		return 0;
	/* A word that the lists would know if it were one, had it been spelt right. */
	if (!query->foreign && kin_is_ascii(query->text, i))
		edits = SLIP_SHARE * (len > key_len ? len : key_len) / 100;
	/* The first letter is seldom wrong. */
	if (key_len == SLIP_SHORT && words->rarity == RARITY_UNKNOWN && !query->foreign &&
	    *kin_chars_at(query->text, i) == *kin_chars_at(stored, j))
		edits = SLIP_SHORT_EDITS;
	return edits;
}

bool slip_is_of(struct lookup *index, struct slip_query *query, uint32_t i,
		const struct text *stored, uint32_t j)
{
	const uint32_t *asked = kin_chars_at(query->text, i);
	const uint32_t *key = kin_chars_at(stored, j);
	uint32_t len = query->text->words[i].len;
	uint32_t key_len = stored->words[j].len;
	size_t limit;

	if (text_has_digit(asked, len) || text_has_digit(key, key_len) || len == 1 || key_len == 1)
		return false;
	if (kin_are_opposites(query->text, i, stored, j))
		return false;
	limit = slip_edits(index, query, i, stored, j);
	/* "notif" of notification */
	if (limit > 0 && len >= BEGINNING_LEAST && len < key_len &&
	    memcmp(asked, key, len * sizeof *key) == 0)
		return true;
	return limit > 0 && distance_osa(asked, len, key, key_len, limit) <= limit;
}

bool slip_is_of_nothing(struct lookup *index, struct slip_query *query, uint32_t word)
{
	return slip_known_as(index, query, word)->rarity >= RARITY_RARE &&
	       !query->words[word].stored && words_is_nearly_light(query->text, word);
}
