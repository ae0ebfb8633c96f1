#include "lookup/score.h"

#include "text/words.h"

/* Characters that are evidence although they are no whole words. */
#define PART_LEAST 3

/* The same in a reading that nobody wrote, such as words of a key run together. */
#define OTHER_READING_LEAST 5

/* Finds what was written as one number in several parts: 10.1.2.3, +49 555 1234. */
static void score_find_numbers(struct query *query, struct arena *arena)
{
	const struct text *content = &query->content;
	struct text *numbers = arena_alloc(arena, content->word_count * sizeof *numbers);

	for (uint32_t i = 0; i < content->word_count; i++) {
		struct text run = *content;
		uint32_t end = i;

		while (end < content->word_count &&
		       text_has_digit(content->chars + content->words[end].start,
				      content->words[end].len))
			end++;
		run.words += i;
		run.word_count = end - i;
		if (run.word_count > 1)
			text_join(arena, &run, &numbers[query->number_count++]);
		if (run.word_count)
			i = end;
	}
	query->numbers = numbers;
}

void query_init(struct query *query, struct arena *arena, struct slice normal)
{
	*query = (struct query){0};
	text_make(arena, normal, &query->whole);
	query->measures = words_measures_from(&query->whole,
					      words_content(arena, &query->whole, &query->content));
	text_join_compact(arena, &query->content, &query->compact);
	text_join_sorted(arena, &query->content, &query->sorted);
	query->content_pattern = distance_pattern_new(query->content.chars, query->content.len);
	query->compact_pattern = distance_pattern_new(query->compact.chars, query->compact.len);
	query->sorted_pattern = distance_pattern_new(query->sorted.chars, query->sorted.len);
	query->has_digit = text_has_digit(query->content.chars, query->content.len);
	if (query->has_digit)
		score_find_numbers(query, arena);
}

void query_release(struct query *query)
{
	distance_pattern_free(query->content_pattern);
	distance_pattern_free(query->compact_pattern);
	distance_pattern_free(query->sorted_pattern);
	*query = (struct query){0};
}

/* Edits that leave so much of the longer text. */
static uint32_t score_edits_left(double least, uint32_t longer)
{
	return (uint32_t)((1 - least) * longer + 1e-9);
}

uint32_t score_gate_edits(uint32_t longer)
{
	uint32_t few = score_edits_left(SCORE_GATE, longer);
	uint32_t share = score_edits_left(SCORE_NO_GATE, longer);

	few = few < SCORE_GATE_EDITS ? few : SCORE_GATE_EDITS;
	return few > share ? few : share;
}

static uint32_t score_longer_of(const struct text *a, const struct text *b)
{
	return a->len > b->len ? a->len : b->len;
}

/* Edits with which a likeness still matters: what the gate refuses need not be computed. */
static uint32_t score_edits_that_matter(const struct words_found *words, uint32_t longer)
{
	return words->found == words->asked ? score_edits_left(LOOKUP_FLOOR, longer)
					    : score_gate_edits(longer);
}

/* What so many edits leave, 0 when they are more than the limit. */
static double score_left_by(size_t edits, double extra_cost, uint32_t longer, uint32_t limit)
{
	return longer && edits <= limit ? 1 - ((double)edits + extra_cost) / longer : 0;
}

/* Two texts that are held against each other, and with how many edits that still matters. */
struct pair {
	struct distance_pattern *pattern;
	const struct text *asked;
	const struct text *stored;
	uint32_t limit;
	double cost; /* beside the edits */
};

/* Counts no more edits than leave as much as this. */
static void score_expect_more_than(struct pair *pair, double least)
{
	double edits = (1 - least) * score_longer_of(pair->asked, pair->stored) - pair->cost + 1e-9;

	if (edits < pair->limit)
		pair->limit = edits > 0 ? (uint32_t)edits : 0;
}

/* Their similarity where one is known to be contained in the other. */
static double score_contained_similarity(const struct pair *pair)
{
	size_t edits = pair->asked->len > pair->stored->len ? pair->asked->len - pair->stored->len
							    : pair->stored->len - pair->asked->len;

	return score_left_by(edits, pair->cost, score_longer_of(pair->asked, pair->stored),
			     pair->limit);
}

/* No similarity of them is larger. */
static double score_pair_bound(const struct pair *pair)
{
	const struct text *a = pair->asked;
	const struct text *b = pair->stored;

	return score_left_by(text_distance_bound(a->bag, a->len, b->bag, b->len), pair->cost,
			     score_longer_of(a, b), pair->limit);
}

/* Similarity of a prepared text to another, 0 when there are more edits than the limit. */
static double score_pair_similarity(const struct pair *pair)
{
	const struct text *asked = pair->asked;
	const struct text *stored = pair->stored;
	uint32_t longer = score_longer_of(asked, stored);
	size_t distance;

	if (!longer ||
	    text_distance_bound(asked->bag, asked->len, stored->bag, stored->len) > pair->limit)
		return 0;
	distance = distance_pattern_osa(pair->pattern, stored->chars, stored->len, pair->limit);
	return score_left_by(distance, pair->cost, longer, pair->limit);
}

static struct pair score_content_pair(const struct query *query, const struct text *stored)
{
	uint32_t limit = score_edits_left(LOOKUP_FLOOR, score_longer_of(&query->content, stored));

	return (struct pair){query->content_pattern, &query->content, stored, limit, 0};
}

double score_similarity_bound(const struct query *query, const struct text *stored)
{
	struct pair pair = score_content_pair(query, stored);

	return score_pair_bound(&pair);
}

/* However the words are joined and sorted, the letters are the same. */
double score_key_bound(const struct query *query, const struct key_form *form)
{
	uint32_t whole = score_longer_of(&query->content, &form->text);
	uint32_t sorted = score_longer_of(&query->sorted, &form->sorted);
	uint32_t longest = whole > sorted ? whole : sorted;
	size_t apart = text_distance_bound(query->content.bag, 0, form->text.bag, 0);

	return longest ? 1 - (double)apart / longest : 1;
}

static double score_by_share(uint32_t part, uint32_t whole, double most)
{
	return SCORE_CONTAINED + (most - SCORE_CONTAINED) * (double)part / (double)whole;
}

/* Is all that is in one bag also in the other? */
static bool score_bag_within(uint64_t part, uint64_t whole)
{
	return (part & ~whole) == 0;
}

static double score_part_in_stored(const struct text *asked, const struct text *stored,
				   bool other_reading, bool *whole)
{
	uint32_t least = other_reading ? OTHER_READING_LEAST : PART_LEAST;

	*whole = false;
	if (asked->len > stored->len || !score_bag_within(asked->bag, stored->bag))
		return 0;
	if (!text_contains(stored->bytes, asked->bytes, whole) || (!*whole && asked->len < least))
		return 0;
	return score_by_share(asked->len, stored->len, SCORE_CONTAINED_MOST);
}

static double score_stored_in_part(const struct text *asked, const struct text *stored)
{
	bool whole;

	if (!stored->len || stored->len > asked->len || !score_bag_within(stored->bag, asked->bag))
		return 0;
	if (stored->len < PART_LEAST && 2 * stored->word_count < asked->word_count)
		return 0;
	if (!text_contains(asked->bytes, stored->bytes, &whole) || !whole)
		return 0;
	return score_by_share(stored->len, asked->len, SCORE_WITHIN_MOST);
}

static double score_larger(double a, double b)
{
	return a > b ? a : b;
}

/*
 * Confidence of one text being contained in the other, 0 when neither is or the evidence is too
 * small: a run of whole words or three characters for the query, a run of whole words that is
 * three characters or half of the words for the stored text. A reading that nobody wrote (words
 * run together, diacritics left out) needs more characters. *content says whether it is the content
 * that contains or is contained.
 */
static double score_contained_with(const struct query *query, const struct text *stored,
				   bool other_reading, bool *whole, bool *content)
{
	double best = score_part_in_stored(&query->content, stored, other_reading, whole);
	double reverse = score_stored_in_part(&query->content, stored);
	bool whole_question;

	*content = best > 0 || reverse > 0;
	if (query->whole.len != query->content.len) {
		double question = score_part_in_stored(&query->whole, stored, other_reading,
						       &whole_question);

		best = score_larger(best, question);
		*whole = *whole || whole_question;
		reverse = score_larger(reverse, score_stored_in_part(&query->whole, stored));
	}
	*whole = *whole || reverse > 0;
	/* A word that was taken for a part of the question belongs to the key. */
	if (reverse > 0 && best > 0 && stored->len > query->content.len)
		return SCORE_CONTAINED_MOST;
	return score_larger(best, reverse);
}

static void score_propose(struct score *score, double confidence, enum lookup_match match)
{
	if (confidence > score->confidence) {
		score->confidence = confidence;
		score->match = match;
	}
}

/* Few edits, or so few for its length that no word of it can be another one. */
static bool score_accounts_for_all(double similarity_found, uint32_t longer)
{
	double edits = (1 - similarity_found) * longer;

	return similarity_found >= SCORE_NO_GATE ||
	       (similarity_found >= SCORE_GATE && edits < SCORE_GATE_EDITS + 0.5);
}

/* A likeness counts when every word of the query is accounted for. */
static void score_propose_alike(struct score *score, double confidence, uint32_t longer,
				enum lookup_match match, bool all_found)
{
	if (confidence > score->nearest)
		score->nearest = confidence;
	if (all_found || score_accounts_for_all(confidence, longer))
		score_propose(score, confidence, match);
}

static double score_folding_cost(const struct key_form *form)
{
	return SCORE_DIACRITIC * form->folded;
}

/* The likeness of the words in order, where it can be more than what is known already. */
static void score_sorted(const struct query *query, const struct key_form *form,
			 const struct words_found *words, uint32_t longer, struct score *out)
{
	struct pair sorted = {
		query->sorted_pattern, &query->sorted, &form->sorted,
		score_edits_that_matter(words, score_longer_of(&query->sorted, &form->sorted)),
		score_folding_cost(form)};
	double alike;

	if (score_pair_bound(&sorted) <= out->confidence)
		return;
	score_expect_more_than(&sorted, out->confidence);
	alike = score_pair_similarity(&sorted);
	score_propose_alike(out, alike < SCORE_REORDERED ? alike : SCORE_REORDERED, longer,
			    LOOKUP_WORDS, words->found == words->asked);
}

static void score_likeness(const struct query *query, const struct key_form *form,
			   const struct words_found *words, struct score *out)
{
	uint32_t longer = form->text.len > query->content.len ? form->text.len : query->content.len;
	bool all_found = words->found == words->asked;
	double alike = out->similarity;

	/* Likeness of a question without its question words is not that of the question. */
	if (query->whole.len != query->content.len && alike > SCORE_CONTAINED_MOST)
		alike = SCORE_CONTAINED_MOST;
	score_propose_alike(out, alike, longer, LOOKUP_FUZZY, all_found);
	if (all_found)
		score_propose(out, words->soft < SCORE_SOFT ? words->soft : SCORE_SOFT,
			      LOOKUP_WORDS);
	if (query->content.word_count > 1 && form->text.word_count > 1)
		score_sorted(query, form, words, longer, out);
}

/*
 * Of the text as it is and of its letters without the spaces. What is contained needs no counting
 * of edits, and of the two only one where the other cannot be more.
 */
static double score_key_similarity(const struct query *query, const struct key_form *form,
				   const struct words_found *words, bool contained)
{
	struct pair text = {
		query->content_pattern, &query->content, &form->text,
		score_edits_that_matter(words, score_longer_of(&query->content, &form->text)),
		score_folding_cost(form)};
	struct pair compact = {
		query->compact_pattern, &query->compact, &form->compact,
		score_edits_that_matter(words, score_longer_of(&query->compact, &form->compact)),
		score_folding_cost(form)};
	bool one_word = query->content.word_count <= 1 && form->text.word_count <= 1;
	double first;

	if (contained)
		return one_word ? score_contained_similarity(&text)
				: score_larger(score_contained_similarity(&text),
					       score_contained_similarity(&compact));
	if (one_word)
		return score_pair_similarity(&text);
	first = score_pair_similarity(&compact);
	if (score_pair_bound(&text) <= first)
		return first;
	score_expect_more_than(&text, first);
	return score_larger(first, score_pair_similarity(&text));
}

void score_key(const struct query *query, const struct key_form *form,
	       const struct words_found *words, struct score *out)
{
	double contained;
	bool whole_words;
	bool content;

	contained = score_contained_with(query, &form->text, form->other_reading, &whole_words,
					 &content);
	*out = (struct score){.soft = words->soft, .whole_words = whole_words};
	out->similarity = score_key_similarity(query, form, words, content);
	out->nearest = score_larger(words->soft, out->similarity);
	if (contained > 0) {
		contained -= SCORE_DIACRITIC * form->folded / form->text.len;
		score_propose(out, score_larger(contained, SCORE_CONTAINED), LOOKUP_CONTAINED);
	}
	if (!query->has_digit || text_numbers_match(&query->content, &form->text))
		score_likeness(query, form, words, out);
	out->nearest = score_larger(out->nearest, out->confidence);
	if (out->confidence < LOOKUP_FLOOR)
		out->confidence = 0;
	if (words->equal || (out->confidence >= SCORE_NO_GATE && query->content.word_count > 1))
		out->standing = STANDING_NAMED;
}

/* ---- values */

static void value_propose(struct score *score, double confidence, enum lookup_match match)
{
	if (confidence > score->nearest)
		score->nearest = confidence;
	if (confidence > score->confidence) {
		score->confidence = confidence;
		score->match = match;
	}
}

static bool score_all_found(const struct value_words *words)
{
	return words->found == words->asked && !words->numbers;
}

double value_words_nearest(const struct value_words *words)
{
	return words->asked ? VALUE_WEIGHT * words->likeness / words->asked : 0;
}

static void score_words(const struct value_words *words, struct score *out)
{
	bool equal = words->likeness >= words->found;
	double confidence = value_words_nearest(words);

	if (confidence > out->nearest)
		out->nearest = confidence;
	if (score_all_found(words) && !(words->asked == 1 && equal))
		value_propose(out, confidence, equal ? LOOKUP_VALUE : LOOKUP_APPROXIMATE);
}

/* A value that is only a small part of the query ("auto", "always") says nothing about it. */
static double score_contained_in(const struct query *query, const struct text *value, bool *whole)
{
	bool content;

	if (2 * value->word_count <= query->content.word_count && value->len < query->content.len) {
		*whole = false;
		return 0;
	}
	return score_contained_with(query, value, false, whole, &content);
}

bool value_has_numbers(const struct query *query, const struct text *key, const struct text *value)
{
	for (uint32_t i = 0; i < query->number_count; i++) {
		bool in_value = false;
		bool in_key = false;

		text_contains(value->bytes, query->numbers[i].bytes, &in_value);
		text_contains(key->bytes, query->numbers[i].bytes, &in_key);
		if (!in_value && !in_key)
			return false;
	}
	return true;
}

/* Its characters are needed only here, where all words were found. */
static double score_similarity_of(const struct query *query, const struct text *value)
{
	struct arena arena = ARENA_INIT;
	struct pair pair;
	struct text text;
	double alike;

	text_make(&arena, value->bytes, &text);
	pair = score_content_pair(query, &text);
	alike = score_pair_similarity(&pair);
	arena_release(&arena);
	return alike;
}

void value_score(const struct query *query, const struct text *split, const struct text *plain,
		 const struct value_words *words, struct score *out)
{
	bool whole;
	double contained = score_contained_in(query, split, &whole);

	*out = (struct score){0};
	if (plain->bytes.ptr != split->bytes.ptr) {
		bool whole_plain;
		double other = score_contained_in(query, plain, &whole_plain);

		contained = other > contained ? other : contained;
		whole = whole || whole_plain;
	}
	out->whole_words = whole;
	score_words(words, out);
	value_propose(out, VALUE_WEIGHT * contained, LOOKUP_VALUE);
	if (score_all_found(words) &&
	    VALUE_WEIGHT * score_similarity_bound(query, split) > out->confidence)
		value_propose(out, VALUE_WEIGHT * score_similarity_of(query, split), LOOKUP_VALUE);
	if (out->confidence < LOOKUP_FLOOR)
		out->confidence = 0;
}

double value_approximate(const struct query *query, struct approx *approx, const struct text *value)
{
	struct arena arena = ARENA_INIT;
	struct text text;
	int cost;

	if (!approx_may_match(approx, value))
		return 0;
	text_make(&arena, value->bytes, &text);
	cost = approx_cost(approx, &text);
	arena_release(&arena);
	return cost < 0 ? 0 : VALUE_WEIGHT * (1 - (double)cost / query->content.len);
}
