#include "lookup/value.h"

#include "json/doc.h"

static void add_words(struct str *out, struct slice text)
{
	str_add(out, text);
	str_addc(out, ' ');
}

/* Recursion is bounded by the depth that the scanner allows. */
static void add_value(const struct json *doc, uint32_t node, struct str *out, struct str *switches,
		      struct str *scratch)
{
	switch (json_type(doc, node)) {
	case JSON_STRING:
		add_words(out, json_string(doc, node, scratch));
		break;
	case JSON_NUMBER:
		add_words(out, json_text(doc, node));
		break;
	case JSON_BOOL:
		add_words(switches, json_text(doc, node));
		break;
	case JSON_NULL:
		break;
	case JSON_ARRAY:
	case JSON_OBJECT:
		for (uint32_t at = json_first(doc, node); at != JSON_NONE;
		     at = json_next(doc, at)) {
			if (json_type(doc, node) == JSON_OBJECT)
				add_words(out, json_name(doc, at, scratch));
			add_value(doc, at, out, switches, scratch);
		}
		break;
	}
}

void value_text(struct slice json, struct str *out, struct str *switches)
{
	struct json doc;
	struct json_fault fault;
	STR_AUTO scratch = STR_INIT;

	if (json_parse(&doc, json, &json_file_bounds, &fault) != 0) {
		add_words(out, json);
		return;
	}
	add_value(&doc, JSON_ROOT, out, switches, &scratch);
	json_release(&doc);
}

static void propose(struct score *score, double confidence, enum lookup_match match)
{
	if (confidence > score->nearest)
		score->nearest = confidence;
	if (confidence > score->confidence) {
		score->confidence = confidence;
		score->match = match;
	}
}

static bool all_found(const struct value_words *words)
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
	if (all_found(words) && !(words->asked == 1 && equal))
		propose(out, confidence, equal ? LOOKUP_VALUE : LOOKUP_APPROXIMATE);
}

/* A value that is only a small part of the query ("auto", "always") says nothing about it. */
static double contained_in(const struct query *query, const struct text *value, bool *whole)
{
	if (2 * value->word_count <= query->content.word_count && value->len < query->content.len) {
		*whole = false;
		return 0;
	}
	return score_contained(query, value, false, whole);
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
static double similarity_of(const struct query *query, const struct text *value)
{
	struct arena arena = ARENA_INIT;
	struct text text;
	double alike;

	text_make(&arena, value->bytes, &text);
	alike = score_similarity(query, &text);
	arena_release(&arena);
	return alike;
}

void value_score(const struct query *query, const struct text *split, const struct text *plain,
		 const struct value_words *words, struct score *out)
{
	bool whole;
	double contained = contained_in(query, split, &whole);

	*out = (struct score){0};
	if (plain->bytes.ptr != split->bytes.ptr) {
		bool whole_plain;
		double other = contained_in(query, plain, &whole_plain);

		contained = other > contained ? other : contained;
		whole = whole || whole_plain;
	}
	out->whole_words = whole;
	score_words(words, out);
	propose(out, VALUE_WEIGHT * contained, LOOKUP_VALUE);
	if (all_found(words) &&
	    VALUE_WEIGHT * score_similarity_bound(query, split) > out->confidence)
		propose(out, VALUE_WEIGHT * similarity_of(query, split), LOOKUP_VALUE);
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
