#include "search/query_terms.h"

#include "base/mem.h"
#include "search/same_words.h"
#include "text/dictionary.h"
#include "text/distance.h"
#include "text/stem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a term counts that is not the word itself. */
#define STEM_FACTOR 0.9
#define PREFIX_FACTOR 0.6
#define EDIT_FACTOR 0.8
#define TRIPLES_FACTOR 0.6
#define PART_FACTOR 0.6
#define ABBREVIATION_FACTOR 0.6

/* A word must have this many characters to be looked for as a beginning or a misspelling. */
#define PREFIX_LEN 4
#define EDIT_LEN 4
#define TWO_EDITS_LEN 8
#define TRIPLES_LEN 6
#define FOREIGN_LEN 5

/* A part of a Korean word has so many syllables. */
#define HANGUL_PART 2

/* Letters of an abbreviation, and how many times as long the word may be. */
#define ABBREVIATION_LEAST 4
#define ABBREVIATION_MOST 6
#define ABBREVIATED 3

/* Longer words are data, not language. */
#define WORD_LEN_MAX 64

/* Share of letter triples that two words of one root have in common. */
#define TRIPLES_ALIKE 0.6

static void query_terms_add_match(struct search_matches *out, uint32_t term, double factor)
{
	out->list = mem_grow(out->list, &out->cap, out->count + 1, sizeof *out->list);
	out->list[out->count++] = (struct search_match){term, factor};
}

static void query_terms_add_kin(const struct search *index, struct slice stem, uint32_t except,
				double factor, struct search_matches *out)
{
	size_t at;

	if (!map_get(&index->kins, stem, &at))
		return;
	for (uint32_t i = (uint32_t)at; i != SEARCH_NONE; i = index->kin[i].next) {
		uint32_t term = index->kin[i].term;

		if (term != except && index->terms[term].holding)
			query_terms_add_match(out, term, factor * STEM_FACTOR);
	}
}

/* Longer terms that begin with these characters. */
static void query_terms_add_beginning(const struct search *index, const uint32_t *chars,
				      uint32_t len, double factor, struct search_matches *out)
{
	for (size_t i = 0; i < index->term_count; i++) {
		const struct search_term *term = &index->terms[i];

		if (term->holding && term->len > len &&
		    text_is_hash_start(term->chars, term->len) &&
		    memcmp(term->chars, chars, len * sizeof *chars) == 0)
			query_terms_add_match(out, (uint32_t)i, factor * STEM_FACTOR);
	}
}

static void query_find_forms(struct search *index, const uint32_t *chars, uint32_t len,
			     double factor, struct search_matches *out)
{
	uint32_t itself = search_term_of(index, chars, len);
	struct slice stem;

	if (itself != SEARCH_NONE)
		query_terms_add_match(out, itself, factor);
	if (text_is_hash_start(chars, len))
		query_terms_add_beginning(index, chars, len, factor, out);
	if (text_has_digit(chars, len) && !text_plain_number(chars, (struct text_word){0, len}).len)
		return;
	search_stem(&index->question, chars, len, false, &stem);
	query_terms_add_kin(index, stem, itself, factor, out);
}

static bool query_is_triple(const uint32_t *chars, uint32_t len, const uint32_t *triple)
{
	for (uint32_t i = 0; i + 3 <= len; i++) {
		if (chars[i] == triple[0] && chars[i + 1] == triple[1] && chars[i + 2] == triple[2])
			return true;
	}
	return false;
}

/* Share of the triples of both words that stand in the other, the shorter setting the pace. */
static double query_triples_alike(const uint32_t *a, uint32_t a_len, const uint32_t *b,
				  uint32_t b_len)
{
	uint32_t shared = 0;

	for (uint32_t i = 0; i + 3 <= a_len; i++)
		shared += query_is_triple(b, b_len, a + i);
	return 2.0 * shared / (double)(a_len - 2 + b_len - 2);
}

/* A word that no item has, held against every term. */
struct fuzzy {
	const uint32_t *chars;
	uint32_t len;
	uint64_t bag;
	uint64_t triples;
	size_t repeated;     /* triples that share a bit with another one */
	size_t triples_most; /* bits of them that a word of the same root lacks */
	uint64_t starts[4];  /* features of what it may begin with */
	size_t edits;
	size_t least; /* fewest edits so far */
	bool abbreviates;
	uint32_t root[STEM_LEN_MAX]; /* as of another language than English */
	size_t root_len;
	struct distance_pattern *pattern;
};

/* True for a word of English, as it stands. */
static bool query_is_english(const uint32_t *chars, uint32_t len)
{
	char word[WORD_LEN_MAX];

	if (len > WORD_LEN_MAX)
		return false;
	for (uint32_t i = 0; i < len; i++) {
		if (chars[i] < 'a' || chars[i] > 'z')
			return false;
		word[i] = (char)chars[i];
	}
	return dictionary_rarity(slice_make(word, len)) < RARITY_UNKNOWN;
}

/* True if the word may have this root: it begins as that does, or with the "ge" of a participle. */
static bool query_begins_with_root(const struct fuzzy *f, const struct search_term *term)
{
	const uint32_t *chars = term->chars;

	for (uint32_t i = 0; i < 3; i++)
		if (chars[i] != f->root[i] && chars[i] < 0x80)
			return chars[0] == 'g' && chars[1] == 'e';
	return true;
}

/* True for forms of one word of another language than English. */
static bool query_is_same_foreign_root(const struct fuzzy *f, const struct search_term *term)
{
	uint32_t root[STEM_LEN_MAX];

	return f->root_len && term->len <= STEM_LEN_MAX && term->len >= f->root_len &&
	       query_begins_with_root(f, term) &&
	       stem_foreign_word(term->chars, term->len, root) == f->root_len &&
	       memcmp(root, f->root, f->root_len * sizeof *root) == 0 &&
	       !query_is_english(term->chars, term->len);
}

static bool query_is_hangul(uint32_t c)
{
	return c >= 0xAC00 && c <= 0xD7A3;
}

/* True if the word, without its particle, stands inside this one. Korean joins nouns. */
static bool query_is_part(const struct fuzzy *f, const struct search_term *term)
{
	uint32_t stem[STEM_LEN_MAX];
	size_t len = f->len <= STEM_LEN_MAX ? stem_word(f->chars, f->len, stem) : 0;

	for (size_t i = 0; len >= HANGUL_PART && i + len <= term->len; i++)
		if (memcmp(term->chars + i, stem, len * sizeof *stem) == 0)
			return true;
	return false;
}

/* Its first letter and further ones in their order, as in "bkup" for backup. */
static bool query_is_short_for(const struct fuzzy *f, const struct search_term *term)
{
	uint32_t found = 0;

	if (term->len < f->len + 2 || term->len > ABBREVIATED * f->len ||
	    term->chars[0] != f->chars[0])
		return false;
	for (uint32_t i = 0; i < term->len && found < f->len; i++)
		found += term->chars[i] == f->chars[found];
	return found == f->len;
}

/* True if it may be a word without its vowels. */
static bool query_is_abbreviation(const uint32_t *chars, uint32_t len)
{
	uint32_t vowels = 0;

	if (len < ABBREVIATION_LEAST || len > ABBREVIATION_MOST)
		return false;
	for (uint32_t i = 0; i < len; i++) {
		if (chars[i] < 'a' || chars[i] > 'z')
			return false;
		vowels += strchr("aeiou", (char)chars[i]) != NULL;
	}
	return vowels <= 1 && !query_is_english(chars, len);
}

/* False if the shape of a term shows that it shares too few triples with the word. */
static bool query_may_share_triples(const struct fuzzy *f, const struct search_shape *shape)
{
	uint64_t both = f->triples & shape->triples;

	if (!both || f->len < TRIPLES_LEN || shape->len < TRIPLES_LEN)
		return false;
	return 2.0 * (double)(text_count_bits(both) + f->repeated) >=
	       TRIPLES_ALIKE * (double)(f->len + shape->len - 4);
}

static double query_likeness(struct fuzzy *f, const struct search_term *term,
			     const struct search_shape *shape)
{
	size_t bound = text_distance_bound(f->bag, f->len, shape->bag, shape->len);
	size_t distance;

	if (f->len >= PREFIX_LEN && term->len > f->len &&
	    memcmp(term->chars, f->chars, f->len * sizeof *f->chars) == 0)
		return PREFIX_FACTOR + (1 - PREFIX_FACTOR) * 0.5 * f->len / term->len;
	if (bound <= f->edits) {
		distance = distance_pattern_osa(f->pattern, term->chars, term->len, f->edits);
		if (distance <= f->edits && distance <= f->least && term->len >= EDIT_LEN - 1) {
			f->least = distance;
			return EDIT_FACTOR / (double)distance;
		}
	}
	if (f->len >= TRIPLES_LEN && term->len >= TRIPLES_LEN &&
	    query_may_share_triples(f, shape) &&
	    query_triples_alike(f->chars, f->len, term->chars, term->len) >= TRIPLES_ALIKE)
		return TRIPLES_FACTOR;
	if (query_is_same_foreign_root(f, term))
		return TRIPLES_FACTOR;
	if (query_is_hangul(f->chars[0]) && query_is_part(f, term))
		return PART_FACTOR;
	return f->abbreviates && query_is_short_for(f, term) ? ABBREVIATION_FACTOR : 0;
}

/* Of misspellings only the nearest count, and what is further away only where none is. */
static void query_keep_best(struct search_matches *out, size_t from, double factor)
{
	double best = 0;
	size_t kept = from;

	for (size_t i = from; i < out->count; i++)
		best = out->list[i].factor > best ? out->list[i].factor : best;
	for (size_t i = from; i < out->count; i++) {
		if (out->list[i].factor >= 0.8 * best)
			out->list[kept++] = (struct search_match){out->list[i].term,
								  factor * out->list[i].factor};
	}
	out->count = kept;
}

/*
 * What a longer word, or another form of it in a foreign language, begins with: "hosting" as
 * "gehostet". Anything, where it is no word or has no letters.
 */
static void query_find_starts(struct fuzzy *f)
{
	uint64_t start = search_start(f->chars, f->len);
	uint64_t root_start = search_start(f->root, f->root_len);
	bool any = f->abbreviates || query_is_hangul(f->chars[0]);

	f->starts[0] = any ? 0 : columns_features_of(start);
	f->starts[1] = columns_features_of(0);
	f->starts[2] = columns_features_of(f->root_len ? root_start : start);
	f->starts[3] = columns_features_of(f->root_len ? SEARCH_PARTICIPLE : start);
}

/* False if the shape of a term shows that it is nothing like the word, without a look at it. */
static bool query_may_be_alike(const struct fuzzy *f, const struct search_shape *shape)
{
	return query_may_share_triples(f, shape) ||
	       text_distance_bound(f->bag, f->len, shape->bag, shape->len) <= f->edits;
}

static void query_terms_add_alike(const struct search *index, struct fuzzy *f, size_t block,
				  struct search_matches *out)
{
	struct columns_row begins = {0};
	struct columns_row found;

	for (size_t i = 0; i < sizeof f->starts / sizeof *f->starts; i++)
		columns_lacking(&index->beginnings, block, f->starts[i], 0, &begins);
	found = begins;
	/* An edit leaves one letter without its like. */
	columns_lacking(&index->bags, block, f->bag, f->edits, &found);
	if (f->len >= TRIPLES_LEN)
		columns_lacking(&index->triples, block, f->triples, f->triples_most, &found);
	for (size_t at = 0; columns_take(&found, &at);) {
		size_t i = block * COLUMNS_BLOCK + at;
		const struct search_shape *shape = &index->shapes[i];
		double alike = 0;

		if (shape->len && shape->len <= WORD_LEN_MAX &&
		    (begins.words[at / 64] >> at % 64 & 1 || query_may_be_alike(f, shape)) &&
		    index->terms[i].holding)
			alike = query_likeness(f, &index->terms[i], shape);
		if (alike > 0)
			query_terms_add_match(out, (uint32_t)i, alike);
	}
}

static void query_terms_find_alike(struct search *index, const uint32_t *chars, uint32_t len,
				   double factor, struct search_matches *out)
{
	struct fuzzy f = {
		.chars = chars,
		.len = len,
		.bag = text_bag(chars, len),
		.triples = text_triples(chars, len),
		.edits = (size_t)(len >= EDIT_LEN) + (len >= TWO_EDITS_LEN),
		.least = SIZE_MAX,
		.abbreviates = query_is_abbreviation(chars, len),
	};
	size_t from = out->count;

	if (len >= TRIPLES_LEN) {
		/* A word of TRIPLES_LEN has to share the fewest with one that is like it. */
		size_t least = (size_t)ceil(TRIPLES_ALIKE / 2 * (len + TRIPLES_LEN - 4) - 1e-9);
		size_t bits = text_count_bits(f.triples);

		f.repeated = len - 2 - bits;
		f.triples_most = bits - (least > f.repeated ? least - f.repeated : 1);
	}
	if (len >= FOREIGN_LEN && len <= STEM_LEN_MAX)
		f.root_len = stem_foreign_word(chars, len, f.root);
	query_find_starts(&f);
	f.pattern = distance_pattern_new(chars, len);
	for (size_t block = 0; block * COLUMNS_BLOCK < index->term_count; block++)
		query_terms_add_alike(index, &f, block, out);
	distance_pattern_free(f.pattern);
	query_keep_best(out, from, factor);
}

void search_terms_find_same(struct search *index, const uint32_t *chars, uint32_t len,
			    double factor, struct search_matches *out)
{
	const struct same_word *same;
	struct slice stem;
	size_t count;

	if (text_has_digit(chars, len))
		return;
	search_stem(&index->question, chars, len, false, &stem);
	same = same_words_of(index->same, stem, &count);
	for (size_t i = 0; i < count; i++)
		if (!slice_equal(same[i].stem, stem))
			query_terms_add_kin(index, same[i].stem, SEARCH_NONE, factor, out);
}

void search_terms_find(struct search *index, const uint32_t *chars, uint32_t len, double factor,
		       bool approximate, struct search_matches *out)
{
	size_t before = out->count;

	query_find_forms(index, chars, len, factor, out);
	if (approximate && out->count == before && len <= WORD_LEN_MAX &&
	    (len >= ABBREVIATION_LEAST || (len >= HANGUL_PART && query_is_hangul(chars[0]))) &&
	    !text_has_digit(chars, len))
		query_terms_find_alike(index, chars, len, factor, out);
}
