#include "search/search.h"

#include "base/mem.h"
#include "search/query_terms.h"
#include "search/same_words.h"
#include "search/search_index.h"
#include "text/normalize.h"
#include "text/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* BM25: how soon repetition counts no more, and how much the length of a text counts. */
#define SATURATION 1.2
#define LENGTH_SHARE 0.4

/* SEARCH_FLOOR where a number of a name of so few words is lacking: PROJ-123 is not about PROJ-124.
 */
#define COVERAGE_FLOOR_OF_OTHERS 0.5
#define NAME_UNITS_MAX 2

/* "incident" and "decision" name a kind of memory, which is less than what it is about. */
#define KIND_WEIGHT 0.4

/* "list", "use" and the like say little, and function words too, where a search has them. */
#define LIGHT_WEIGHT 0.5

/* What a word counts that names the same as the one that is asked for. */
#define SAME_WEIGHT 0.5

/* Parts of a word that is written search_together elsewhere have so many characters, or more. */
#define PART_LEAST 3

/* A longer word is not looked at for parts. */
#define PARTED_MOST 32

/* What relevance is made of, once an item holds all that was asked for. */
#define FOUND_PART 0.68
#define OFTEN_PART 0.12
#define TOGETHER_PART 0.14
#define HINTED_PART 0.06

/* What is left of it where a text is itself a question, which is no answer. */
#define ASKING_SHARE 0.9

/* Question words whose hints are followed. */
#define HINTS_MAX 4

/* Of a long text no more is looked at for words that stand together. */
#define TOKENS_MAX 8192

/* The first result answers a question if it holds so much of it, and the second so much less. */
#define SURE_COVERAGE 0.6
#define SURE_LEAD 1.15

/* All that was asked for, as it stands or in another form. */
#define WHOLE_COVERAGE 0.85

/* Its confidence, as that of a match of most words. */
#define SURE_LEAST 0.6
#define SURE_MOST 0.84

/* Up to this many removed items, and up to this part of those alive, an index is not worth building
 * anew. */
#define WASTE_LEAST 64
#define WASTE_SHARE 8

/* What one word, or pair of characters, of the query asks for. */
struct unit {
	const uint32_t *chars;
	uint32_t len;
	uint32_t word;      /* of the text */
	bool kind;          /* names a kind of memory */
	bool light;         /* says little beside others */
	size_t first_match; /* its terms in index->matches */
	size_t match_count;
};

/* One reading of a query. */
struct reading {
	struct text text;
	struct unit units[SEARCH_WORDS_MAX];
	size_t unit_count;
	uint32_t hints[HINTS_MAX]; /* lines of the list of hints */
	size_t hint_count;
	bool keywords;    /* without function words: each of the others is asked for */
	bool has_pairs;   /* of characters, which overlap: each is found with its neighbour */
	double total;     /* weight of all that was asked for */
	double subject;   /* of that, words that do not say little */
	uint64_t numbers; /* units with digits, a bit each */
	uint64_t light;   /* words that say little */
};

struct search *search_new(const struct search_item *items, size_t count)
{
	struct search *index = mem_zalloc(1, sizeof *index);

	index->same = same_words_new();
	for (size_t i = 0; i < count; i++)
		search_add(index, &items[i]);
	return index;
}

void search_place(struct search *index, size_t item, uint64_t place)
{
	if (item < index->entry_count)
		index->entries[item].place = place;
}

bool search_is_wasteful(const struct search *index)
{
	size_t gone = index->entry_count - index->live_count;

	return gone > WASTE_LEAST && gone > index->live_count / WASTE_SHARE;
}

void search_free(struct search *index)
{
	if (!index)
		return;
	for (size_t i = 0; i < index->term_count; i++)
		free(index->terms[i].postings);
	arena_release(&index->arena);
	arena_release(&index->question);
	map_release(&index->ids);
	map_release(&index->kins);
	same_words_free(index->same);
	free(index->entries);
	free(index->terms);
	free(index->shapes);
	columns_release(&index->bags);
	columns_release(&index->triples);
	columns_release(&index->beginnings);
	free(index->kin);
	free(index->tallies);
	free(index->touched);
	free(index->found);
	free(index->word_of);
	free(index->matches.list);
	free(index->hits);
	free(index);
}

/* ---- reading the query */

static bool search_is_asked_already(const struct reading *r, const uint32_t *chars, uint32_t len)
{
	for (size_t i = 0; i < r->unit_count; i++) {
		if (r->units[i].len == len &&
		    memcmp(r->units[i].chars, chars, len * sizeof *chars) == 0)
			return true;
	}
	return false;
}

static bool search_is_stopped(uint64_t stop, uint32_t word)
{
	return word < WORDS_KINDS_MAX && stop >> word & 1;
}

static void search_add_unit(struct reading *r, uint32_t word, const uint32_t *chars, uint32_t len)
{
	if (r->unit_count == SEARCH_WORDS_MAX || search_is_asked_already(r, chars, len))
		return;
	if (text_has_digit(chars, len))
		r->numbers |= (uint64_t)1 << r->unit_count;
	r->units[r->unit_count++] = (struct unit){.chars = chars,
						  .len = len,
						  .word = word,
						  .light = search_is_stopped(r->light, word),
						  .kind = words_kind_at(&r->text, word) != 0};
}

static void search_add_hints(struct reading *r, uint32_t word)
{
	uint32_t kind = words_kind_at(&r->text, word);

	for (size_t i = 0; kind && i < r->hint_count; i++) {
		if (r->hints[i] == kind)
			return;
	}
	if (kind && r->hint_count < HINTS_MAX)
		r->hints[r->hint_count++] = kind;
}

/* Hiragana writes particles and endings; what is asked for is mostly written otherwise. */
static bool search_is_hiragana(const struct text *text, uint32_t word)
{
	uint32_t c = text->chars[text->words[word].start];

	return c >= 0x3041 && c <= 0x309F;
}

/* Does the word stand without a space behind the one before, in a script that has none? */
static bool search_follows(const struct text *text, uint32_t word)
{
	return word > 0 && search_is_pair(text, word - 1);
}

/* The words that are not searched for, a bit each. */
static uint64_t search_stop_words(const struct text *text, const struct words_kinds *kinds)
{
	/* In English those of the short list are enough: "before" and "under" may find an order. */
	uint64_t stop = kinds->foreign ? kinds->function : 0;

	for (uint32_t i = 0; i < text->word_count && i < WORDS_KINDS_MAX; i++) {
		bool joined = search_follows(text, i) || search_is_pair(text, i);

		if (words_is_listed_at(text, i, DICTIONARY_STOP) ||
		    (joined && search_is_hiragana(text, i)))
			stop |= (uint64_t)1 << i;
	}
	return stop;
}

/* Does a word of the index equal these characters, or have their stem? */
static bool search_is_known_form(struct search *index, const uint32_t *chars, uint32_t len)
{
	struct search_matches found = {0};
	bool known;

	search_terms_find(index, chars, len, 1, false, &found);
	known = found.count > 0;
	free(found.list);
	return known;
}

/* Two neighbours as one word, where the index has that and not both: "rate limit" as ratelimit. */
static bool search_add_joined(struct search *index, struct reading *r, uint32_t word)
{
	const struct text_word *one = &r->text.words[word];
	const struct text_word *next = one + 1;
	uint32_t len = one->len + next->len;
	uint32_t *joined;

	if (one->len < PART_LEAST || next->len < PART_LEAST ||
	    (search_is_known_form(index, r->text.chars + one->start, one->len) &&
	     search_is_known_form(index, r->text.chars + next->start, next->len)))
		return false;
	joined = arena_alloc(&index->question, len * sizeof *joined);
	memcpy(joined, r->text.chars + one->start, one->len * sizeof *joined);
	memcpy(joined + one->len, r->text.chars + next->start, next->len * sizeof *joined);
	if (!search_is_known_form(index, joined, len))
		return false;
	search_add_unit(r, word, joined, len);
	return true;
}

/* A word that the index does not have as two that it has: "demodaten" as demo daten. */
static bool search_add_parted(struct search *index, struct reading *r, uint32_t word)
{
	const uint32_t *chars = r->text.chars + r->text.words[word].start;
	uint32_t len = r->text.words[word].len;

	if (len < 2 * PART_LEAST || len > PARTED_MOST || text_has_digit(chars, len) ||
	    search_is_known_form(index, chars, len))
		return false;
	for (uint32_t at = PART_LEAST; at + PART_LEAST <= len; at++) {
		if (!search_is_known_form(index, chars, at) ||
		    !search_is_known_form(index, chars + at, len - at))
			continue;
		search_add_unit(r, word, chars, at);
		search_add_unit(r, word, chars + at, len - at);
		return true;
	}
	return false;
}

static void search_read_words(struct search *index, struct reading *r, uint64_t stop)
{
	const struct text *text = &r->text;

	for (uint32_t i = 0; i < text->word_count; i++) {
		const uint32_t *chars = text->chars + text->words[i].start;

		if (search_is_stopped(stop, i))
			continue;
		if (search_is_pair(text, i) && !search_is_stopped(stop, i + 1)) {
			search_add_unit(r, i, chars, 2);
			r->has_pairs = true;
		} else if (search_follows(text, i) && !search_is_stopped(stop, i - 1)) {
			continue;
		} else if (i + 1 < text->word_count && !search_is_stopped(stop, i + 1) &&
			   search_add_joined(index, r, i)) {
			i++;
		} else if (!search_add_parted(index, r, i)) {
			search_add_unit(r, i, chars, text->words[i].len);
		}
	}
}

static void search_read_query(struct search *index, struct slice normal, struct reading *r)
{
	struct words_kinds kinds;

	*r = (struct reading){0};
	text_make(&index->question, normal, &r->text);
	kinds = words_kinds_of(&r->text);
	r->light = kinds.light | kinds.labels | kinds.function;
	r->keywords = !kinds.function;
	search_read_words(index, r, search_stop_words(&r->text, &kinds));
	if (!r->unit_count)
		search_read_words(index, r, 0);
	for (uint32_t i = 0; i < r->text.word_count; i++)
		search_add_hints(r, i);
}

/* ---- finding terms */

static uint32_t search_term_at(const struct search *index, const struct text *text, uint32_t word)
{
	return search_term_of(index, text->chars + text->words[word].start, text->words[word].len);
}

/* Does an expression stand in this item, word for word? */
static bool search_holds_phrase(const struct search *index, uint32_t item,
				const struct text *phrase)
{
	const struct search_entry *entry = &index->entries[item];
	uint32_t ids[8];

	if (phrase->word_count > 8)
		return false;
	for (uint32_t i = 0; i < phrase->word_count; i++) {
		ids[i] = search_term_at(index, phrase, i);
		if (ids[i] == SEARCH_NONE)
			return false;
	}
	for (uint32_t i = 0; i + phrase->word_count <= entry->token_count; i++) {
		if (memcmp(entry->tokens + i, ids, phrase->word_count * sizeof *ids) == 0)
			return true;
	}
	return false;
}

static void search_touch(struct search *index, uint32_t item, double weight, double factor)
{
	struct search_tally *tally = &index->tallies[item];

	if (index->entries[item].gone)
		return;
	if (tally->weight == 0)
		index->touched[index->touched_count++] = item;
	tally->weight += weight;
	tally->factor = factor > tally->factor ? factor : tally->factor;
}

static void search_touch_phrase(struct search *index, const struct text *phrase)
{
	uint32_t id = search_term_at(index, phrase, 0);
	const struct search_term *first;

	if (id == SEARCH_NONE)
		return;
	first = &index->terms[id];
	for (uint32_t i = 0; i < first->count; i++) {
		uint32_t item = first->postings[i].item;

		if (search_holds_phrase(index, item, phrase))
			search_touch(index, item, SYNONYMS_WEIGHT * first->postings[i].weight,
				     SYNONYMS_WEIGHT);
	}
}

/* The expression of the synonyms that this word of the query is part of. */
static const struct synonym *search_synonym_of(const struct reading *r,
					       const struct synonyms *synonyms, uint32_t word)
{
	for (uint32_t back = 0; back <= word && back < 4; back++) {
		const struct synonym *s = synonyms_at(synonyms, &r->text, word - back);

		if (s && s->text.word_count > back)
			return s;
	}
	return NULL;
}

static void search_find_synonyms(struct search *index, const struct reading *r,
				 const struct unit *unit, const struct synonyms *synonyms)
{
	const struct synonym *itself = search_synonym_of(r, synonyms, unit->word);

	for (size_t i = 0; itself && i < synonyms->count; i++) {
		const struct synonym *other = &synonyms->list[i];

		if (other->group != itself->group || other == itself)
			continue;
		if (other->text.word_count == 1)
			search_terms_find(index, other->text.chars, other->text.len,
					  SYNONYMS_WEIGHT, false, &index->matches);
		else
			search_touch_phrase(index, &other->text);
	}
}

static void search_touch_matches(struct search *index, const struct unit *unit, uint8_t number)
{
	for (size_t i = 0; i < unit->match_count; i++) {
		struct search_match match = index->matches.list[unit->first_match + i];
		const struct search_term *term = &index->terms[match.term];

		if (number)
			index->word_of[match.term] = number;
		for (uint32_t p = 0; p < term->count; p++)
			search_touch(index, term->postings[p].item,
				     match.factor * term->postings[p].weight, match.factor);
	}
}

/* Items that say the same in another word: "folder" where "directory" is asked for. */
static void search_touch_same(struct search *index, const struct unit *unit, uint8_t number)
{
	struct unit same = {.first_match = index->matches.count};

	search_terms_find_same(index, unit->chars, unit->len, SAME_WEIGHT, &index->matches);
	same.match_count = index->matches.count - same.first_match;
	search_touch_matches(index, &same, number);
}

/* ---- weighing */

/* Inverse document frequency of a word in `with` items. */
static double search_inverse_frequency(const struct search *index, size_t with)
{
	double items = (double)index->live_count;
	double holding = (double)with;

	/* A word that no item has weighs as if half an item had it. */
	if (!with)
		return log(1 + items);
	return log(1 + (items - holding + 0.5) / (holding + 0.5));
}

static void search_tally_word(struct search *index, double idf, size_t word, bool light)
{
	double mean_length = index->total_length / (double)index->live_count;

	for (size_t i = 0; i < index->touched_count; i++) {
		uint32_t item = index->touched[i];
		struct search_tally *tally = &index->tallies[item];
		double length = index->entries[item].length / mean_length;
		double norm = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * length);

		if (!tally->words)
			index->found[index->found_count++] = item;
		tally->words |= (uint64_t)1 << word;
		tally->score += idf * tally->weight / (tally->weight + norm);
		tally->found += idf * tally->factor;
		tally->subject += light ? 0 : idf * tally->factor;
		tally->weight = 0;
		tally->factor = 0;
	}
	index->touched_count = 0;
}

static void search_ask_unit(struct search *index, struct reading *r, size_t number,
			    const struct synonyms *synonyms)
{
	struct unit *unit = &r->units[number];
	size_t holding;
	double idf;

	unit->first_match = index->matches.count;
	if (synonyms)
		search_find_synonyms(index, r, unit, synonyms);
	search_terms_find(index, unit->chars, unit->len, 1,
			  index->touched_count == 0 && unit->first_match == index->matches.count,
			  &index->matches);
	unit->match_count = index->matches.count - unit->first_match;
	search_touch_matches(index, unit, (uint8_t)(number + 1));
	holding = index->touched_count;
	search_touch_same(index, unit, (uint8_t)(number + 1));
	/* How rare the word itself is says what it tells. */
	idf = search_inverse_frequency(index, holding ? holding : index->touched_count);
	if (r->unit_count > 1 && unit->kind)
		idf *= KIND_WEIGHT;
	else if (r->unit_count > 1 && unit->light)
		idf *= LIGHT_WEIGHT;
	search_tally_word(index, idf, number, unit->light);
	r->total += idf;
	r->subject += unit->light ? 0 : idf;
}

/* One item counts a question's hint once, whatever of it is found. */
static void search_ask_hint(struct search *index, uint32_t kind)
{
	for (size_t row = 0; row < dictionary_row_count; row++) {
		const struct dictionary_row *hint = &dictionary_rows[row];
		const char *spelling = dictionary_spelling(hint);
		uint32_t chars[16];
		uint32_t len = 0;
		struct unit unit = {.first_match = index->matches.count};

		if (hint->list != DICTIONARY_HINTS || hint->line != kind || hint->side != 1)
			continue;
		for (; spelling[len]; len++)
			chars[len] = (unsigned char)spelling[len];
		search_terms_find(index, chars, len, 1, false, &index->matches);
		unit.match_count = index->matches.count - unit.first_match;
		search_touch_matches(index, &unit, 0);
		index->matches.count = unit.first_match;
	}
	for (size_t i = 0; i < index->touched_count; i++) {
		struct search_tally *tally = &index->tallies[index->touched[i]];

		tally->hinted += 1;
		tally->weight = 0;
		tally->factor = 0;
		if (!tally->words)
			tally->hinted = 0;
	}
	index->touched_count = 0;
}

/* words: those of the query that the item has. Share of the neighbours in the query that are
 * neighbours in the item, too. */
static double search_together(const struct search *index, const struct search_entry *entry,
			      const struct reading *r, uint64_t words)
{
	uint64_t pairs = 0;
	uint32_t count = entry->token_count < TOKENS_MAX ? entry->token_count : TOKENS_MAX;
	uint8_t before = 0;

	if (r->unit_count < 2 || r->has_pairs)
		return 1;
	if (!(words & words >> 1))
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t token = entry->tokens[i];
		uint8_t word = token == SEARCH_NONE ? 0 : index->word_of[token];

		if (before && word == before + 1)
			pairs |= (uint64_t)1 << before;
		before = word;
	}
	return (double)text_count_bits(pairs) / (double)(r->unit_count - 1);
}

static double search_relevance_of(const struct search *index, const struct reading *r,
				  uint32_t item)
{
	const struct search_tally *tally = &index->tallies[item];
	double coverage = tally->found / r->total;
	double often = tally->score / r->total;
	double hinted = r->hint_count ? tally->hinted / (double)r->hint_count : 1;
	double near = search_together(index, &index->entries[item], r, tally->words);
	double sum = FOUND_PART + OFTEN_PART * often + TOGETHER_PART * near + HINTED_PART * hinted;

	if (index->entries[item].asks)
		sum *= ASKING_SHARE;

	/* Rounding must not decide an order. */
	return round(1e6 * coverage * sum) / 1e6;
}

static int search_compare_hits(const void *a, const void *b, void *context)
{
	const struct search *index = context;
	const struct search_hit *x = a;
	const struct search_hit *y = b;
	uint64_t x_place = index->entries[x->item].place;
	uint64_t y_place = index->entries[y->item].place;

	if (x->relevance != y->relevance)
		return x->relevance > y->relevance ? -1 : 1;
	return x_place < y_place ? -1 : x_place > y_place;
}

/* Is the best of the hits good enough for any to be shown? Most queries for nothing end here. */
static bool search_passes_floor(struct search *index, const struct reading *r, size_t count)
{
	const struct search_hit *best = index->hits;
	bool other;

	for (size_t i = 1; i < count; i++)
		if (search_compare_hits(&index->hits[i], best, index) < 0)
			best = &index->hits[i];
	other = !best->numbers && r->unit_count <= NAME_UNITS_MAX;
	return best->coverage >= (other ? COVERAGE_FLOOR_OF_OTHERS : SEARCH_FLOOR);
}

static size_t search_collect_hits(struct search *index, const struct reading *r)
{
	size_t count = 0;

	index->hits = mem_grow(index->hits, &index->hit_cap, index->found_count,
			       sizeof *index->hits);
	for (size_t i = 0; i < index->found_count; i++) {
		uint32_t item = index->found[i];
		const struct search_tally *tally = &index->tallies[item];
		double relevance = search_relevance_of(index, r, item);
		/* Words that say little count only by themselves. */
		double coverage = r->subject > 0 ? tally->subject / r->subject
						 : tally->found / r->total;

		if (relevance > 0)
			index->hits[count++] = (struct search_hit){
				.item = item,
				.relevance = relevance,
				.numbers = !(r->numbers & ~tally->words),
				.whole = r->keywords && coverage >= WHOLE_COVERAGE,
				.coverage = coverage,
				.words = tally->words,
				.digest = index->entries[item].digest,
			};
	}
	if (!count || !search_passes_floor(index, r, count))
		return 0;
	qsort_r(index->hits, count, sizeof *index->hits, search_compare_hits, index);
	return count;
}

/* ---- asking */

static void search_forget(struct search *index)
{
	for (size_t i = 0; i < index->found_count; i++)
		index->tallies[index->found[i]] = (struct search_tally){0};
	for (size_t i = 0; i < index->matches.count; i++)
		index->word_of[index->matches.list[i].term] = 0;
	index->found_count = 0;
	index->matches.count = 0;
}

static size_t search_ask(struct search *index, struct reading *r, const struct synonyms *synonyms)
{
	size_t count;

	for (size_t i = 0; i < r->unit_count; i++)
		search_ask_unit(index, r, i, synonyms);
	for (size_t i = 0; i < r->hint_count && index->found_count; i++)
		search_ask_hint(index, r->hints[i]);
	count = search_collect_hits(index, r);
	search_forget(index);
	return count;
}

static void search_keep_words(struct search *index, const struct reading *r)
{
	for (size_t i = 0; i < r->unit_count; i++) {
		struct text_word word = {0, r->units[i].len};
		struct text one = {.chars = r->units[i].chars, .words = &word, .word_count = 1};
		struct text plain;

		text_join(&index->question, &one, &plain);
		index->words[i] = plain.bytes;
	}
	index->word_count = r->unit_count;
}

/* Are all words of the reading in the index as they stand? */
static size_t search_known_words(const struct search *index, const struct reading *r)
{
	size_t known = 0;

	for (size_t i = 0; i < r->unit_count; i++)
		known += search_term_of(index, r->units[i].chars, r->units[i].len) != SEARCH_NONE;
	return known;
}

size_t search_find(struct search *index, struct slice query, const struct synonyms *synonyms,
		   const struct search_hit **out)
{
	STR_AUTO split = STR_INIT;
	STR_AUTO plain = STR_INIT;
	struct reading r;
	struct reading other;
	size_t count;

	if (query.len > SEARCH_QUERY_MAX)
		query.len = SEARCH_QUERY_MAX;
	arena_release(&index->question);
	normalize_words(query, &split);
	normalize_identity(query, &plain);
	search_read_query(index, str_slice(&split), &r);
	if (!slice_equal(str_slice(&split), str_slice(&plain))) {
		search_read_query(index, str_slice(&plain), &other);
		/* A name that is known in one piece is asked for in one piece. */
		if (search_known_words(index, &other) * r.unit_count >
		    search_known_words(index, &r) * other.unit_count)
			r = other;
	}
	search_keep_words(index, &r);
	*out = index->hits;
	if (!index->live_count || index->total_length <= 0)
		return 0;
	count = search_ask(index, &r, synonyms);
	*out = index->hits;
	return count;
}

bool search_is_sure(const struct search_hit *first, const struct search_hit *second,
		    double *confidence)
{
	if (first->coverage < SURE_COVERAGE || !first->numbers)
		return false;
	if (second && second->relevance * SURE_LEAD > first->relevance)
		return false;
	*confidence = SURE_LEAST + (SURE_MOST - SURE_LEAST) * first->coverage;
	return true;
}

const struct slice *search_words(const struct search *index, size_t *count)
{
	*count = index->word_count;
	return index->words;
}
