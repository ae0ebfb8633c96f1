#include "search/query_terms.h"

#include "base/mem.h"
#include "text/distance.h"

#include <stdlib.h>
#include <string.h>

/* What a term counts that is not the word itself. */
#define STEM_FACTOR 0.9
#define PREFIX_FACTOR 0.6
#define EDIT_FACTOR 0.8
#define TRIPLES_FACTOR 0.6

/* A word must have this many characters to be looked for as a beginning or a misspelling. */
#define PREFIX_LEN 4
#define EDIT_LEN 4
#define TWO_EDITS_LEN 8
#define TRIPLES_LEN 6

/* A hash is asked for by so many of its digits, or more. */
#define HASH_LEAST 7

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

/* May it be the beginning of a hash or of another long number in hexadecimal digits? */
static bool query_terms_is_hash(const uint32_t *chars, uint32_t len)
{
	uint32_t letters = 0;

	for (uint32_t i = 0; i < len; i++) {
		if ((chars[i] < '0' || chars[i] > '9') && (chars[i] < 'a' || chars[i] > 'f'))
			return false;
		letters += chars[i] >= 'a';
	}
	return len >= HASH_LEAST && letters > 0 && letters < len;
}

/* Longer terms that begin with these characters. */
static void query_terms_add_beginning(const struct search *index, const uint32_t *chars,
				      uint32_t len, double factor, struct search_matches *out)
{
	for (size_t i = 0; i < index->term_count; i++) {
		const struct search_term *term = &index->terms[i];

		if (term->holding && term->len > len &&
		    query_terms_is_hash(term->chars, term->len) &&
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
	if (query_terms_is_hash(chars, len))
		query_terms_add_beginning(index, chars, len, factor, out);
	if (text_has_digit(chars, len) && !text_plain_number(chars, (struct text_word){0, len}).len)
		return;
	search_stem(&index->question, chars, len, false, &stem);
	query_terms_add_kin(index, stem, itself, factor, out);
}

static size_t query_edits_allowed(uint32_t len)
{
	if (len < EDIT_LEN)
		return 0;
	return len < TWO_EDITS_LEN ? 1 : 2;
}

static bool query_is_triple(const uint32_t *chars, uint32_t len, const uint32_t *triple)
{
	for (uint32_t i = 0; i + 3 <= len; i++) {
		if (memcmp(chars + i, triple, 3 * sizeof *chars) == 0)
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
	size_t edits;
	size_t least; /* fewest edits so far */
	struct distance_pattern *pattern;
};

static double query_likeness(struct fuzzy *f, const struct search_term *term)
{
	size_t distance;

	if (f->len >= PREFIX_LEN && term->len > f->len &&
	    memcmp(term->chars, f->chars, f->len * sizeof *f->chars) == 0)
		return PREFIX_FACTOR + (1 - PREFIX_FACTOR) * 0.5 * f->len / term->len;
	if (text_distance_bound(f->bag, f->len, term->bag, term->len) <= f->edits) {
		distance = distance_pattern_osa(f->pattern, term->chars, term->len, f->edits);
		if (distance <= f->edits && distance <= f->least && term->len >= EDIT_LEN - 1) {
			f->least = distance;
			return EDIT_FACTOR / (double)distance;
		}
	}
	if (f->len >= TRIPLES_LEN && term->len >= TRIPLES_LEN &&
	    query_triples_alike(f->chars, f->len, term->chars, term->len) >= TRIPLES_ALIKE)
		return TRIPLES_FACTOR;
	return 0;
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

static void query_terms_find_alike(struct search *index, const uint32_t *chars, uint32_t len,
				   double factor, struct search_matches *out)
{
	struct fuzzy f = {
		.chars = chars,
		.len = len,
		.bag = text_bag(chars, len),
		.edits = query_edits_allowed(len),
		.least = SIZE_MAX,
	};
	size_t from = out->count;

	f.pattern = distance_pattern_new(chars, len);
	for (size_t i = 0; i < index->term_count; i++) {
		const struct search_term *term = &index->terms[i];
		double alike = 0;

		if (term->holding && !term->has_digit && term->len <= WORD_LEN_MAX)
			alike = query_likeness(&f, term);

		if (alike > 0)
			query_terms_add_match(out, (uint32_t)i, alike);
	}
	distance_pattern_free(f.pattern);
	query_keep_best(out, from, factor);
}

void search_terms_find(struct search *index, const uint32_t *chars, uint32_t len, double factor,
		       bool approximate, struct search_matches *out)
{
	size_t before = out->count;

	query_find_forms(index, chars, len, factor, out);
	if (approximate && out->count == before && len >= PREFIX_LEN && len <= WORD_LEN_MAX &&
	    !text_has_digit(chars, len))
		query_terms_find_alike(index, chars, len, factor, out);
}
