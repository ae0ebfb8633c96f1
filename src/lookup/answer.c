#include "lookup/answer.h"

#include "base/mem.h"

#include <string.h>

/* Nothing less alike is offered as the nearest. */
#define NEAREST_FLOOR 0.35

/* An archived entry whose key equals the query yields only to an active one this good. */
#define ARCHIVED_YIELDS_TO 0.85

/* Rounding must not decide ties. */
#define SAME 1e-9

static struct slice answer_word_of(struct lookup *index, const struct text *text, uint32_t word)
{
	struct text one = *text;
	struct text joined;

	one.words += word;
	one.word_count = 1;
	text_join(&index->question_texts, &one, &joined);
	return arena_copy(&index->question_texts, joined.bytes);
}

static const struct refused *answer_refused_of(const struct lookup *index, size_t item)
{
	for (size_t i = 0; i < index->refused_count; i++)
		if (index->refused[i].item == item)
			return &index->refused[i];
	return NULL;
}

bool answer_refuses(struct lookup *index, struct difference_query *query, uint32_t item,
		    double confidence)
{
	struct difference difference;

	if (answer_refused_of(index, item))
		return true;
	if (!difference_find(index, query, item, &difference))
		return false;
	index->refused = mem_grow(index->refused, &index->refused_cap, index->refused_count + 1,
				  sizeof *index->refused);
	index->refused[index->refused_count++] = (struct refused){
		.item = item,
		.confidence = confidence,
		.asked = answer_word_of(index, difference.asked, difference.asked_word),
		.stored = answer_word_of(index, difference.stored, difference.stored_word),
	};
	return true;
}

static int answer_compare_numbers(double a, double b)
{
	return a - b > SAME ? -1 : b - a > SAME;
}

static double answer_relevance_of(const struct lookup *index, size_t item)
{
	const struct tally *tally = &index->item_tally[item];

	return tally->question == index->question ? tally->relevance : 0;
}

/* Which of two items answers better; negative when the first. */
static int answer_compare_items(const struct lookup *index, size_t a, size_t b)
{
	const struct score *x = &index->scores[a];
	const struct score *y = &index->scores[b];
	int order = (int)y->standing - (int)x->standing;

	if (order == 0)
		order = answer_compare_numbers(x->confidence, y->confidence);
	if (order == 0)
		order = y->whole_words - x->whole_words;
	if (order == 0)
		order = answer_compare_numbers(x->soft, y->soft);
	if (order == 0)
		order = answer_compare_numbers(x->similarity, y->similarity);
	if (order == 0)
		order = answer_compare_numbers(answer_relevance_of(index, a),
					       answer_relevance_of(index, b));
	if (order == 0 && index->entries[a].active_ms != index->entries[b].active_ms)
		order = index->entries[a].active_ms > index->entries[b].active_ms ? -1 : 1;
	if (order == 0)
		order = slice_compare(index->entries[a].ref, index->entries[b].ref);
	if (order == 0)
		order = a < b ? -1 : a > b;
	return order;
}

#define NO_ITEM SIZE_MAX

/* The best active item and the best archived one; NO_ITEM where none reaches the floor. */
static void answer_find_best(const struct lookup *index, size_t best[2])
{
	best[false] = NO_ITEM;
	best[true] = NO_ITEM;
	for (size_t i = 0; i < index->listed.count; i++) {
		size_t item = index->listed.items[i];
		size_t *rival;

		if (index->scores[item].confidence < LOOKUP_FLOOR)
			continue;
		rival = &best[index->entries[item].archived];
		if (*rival == NO_ITEM || answer_compare_items(index, item, *rival) < 0)
			*rival = item;
	}
}

static size_t answer_best(const struct lookup *index)
{
	size_t best[2];
	size_t active;
	size_t archived;

	answer_find_best(index, best);
	active = best[false];
	archived = best[true];
	if (active == NO_ITEM || archived == NO_ITEM)
		return active == NO_ITEM ? archived : active;
	if (index->scores[archived].match == LOOKUP_EXACT &&
	    index->scores[active].confidence < ARCHIVED_YIELDS_TO)
		return archived;
	return active;
}

/* Puts an item into the short list of those to name, best first. */
static void answer_add_also(const struct lookup *index, struct lookup_answer *answer, size_t item,
			    int (*compare)(const struct lookup *, size_t, size_t))
{
	size_t at = answer->also_count;

	while (at > 0 && compare(index, item, answer->also[at - 1].item) < 0)
		at--;
	if (at == LOOKUP_ALSO_MAX)
		return;
	if (answer->also_count < LOOKUP_ALSO_MAX)
		answer->also_count++;
	memmove(answer->also + at + 1, answer->also + at,
		(answer->also_count - at - 1) * sizeof *answer->also);
	answer->also[at] = (struct lookup_other){.item = item};
}

/* In which words an item that is named differs, where it does. */
static void answer_tell_difference(struct lookup *index, struct difference_query *query,
				   struct lookup_other *other)
{
	double nearest = index->scores[other->item].nearest;
	const struct refused *refused;

	if (!answer_refuses(index, query, (uint32_t)other->item, nearest))
		return;
	refused = answer_refused_of(index, other->item);
	other->asked = refused->asked;
	other->stored = refused->stored;
}

/* How near it comes: what differs in a word, as if it did not. */
static double answer_nearness(const struct lookup *index, size_t item)
{
	const struct refused *refused = answer_refused_of(index, item);
	double nearest = index->scores[item].nearest;

	return refused && refused->confidence > nearest ? refused->confidence : nearest;
}

static int answer_compare_nearest(const struct lookup *index, size_t a, size_t b)
{
	int order = answer_compare_numbers(answer_nearness(index, a), answer_nearness(index, b));

	return order ? order : answer_compare_items(index, a, b);
}

/* Whoever is sure of the answer needs not hear of what only looks like it. */
static bool answer_is_worth_naming(const struct lookup *index, const struct lookup_answer *answer,
				   size_t item)
{
	const struct score *score = &index->scores[item];
	const struct refused *refused;
	double confidence;

	if (!answer->found)
		return !index->entries[item].archived &&
		       answer_nearness(index, item) >= NEAREST_FLOOR;
	if (item == answer->item ||
	    index->entries[item].archived != index->entries[answer->item].archived)
		return false;
	refused = answer_refused_of(index, item);
	if (refused && answer->confidence >= SCORE_NO_GATE)
		return false;
	confidence = refused ? refused->confidence : score->confidence;
	return confidence >= LOOKUP_FLOOR &&
	       confidence >= answer->confidence - ANSWER_ALSO_WITHIN - SAME;
}

/* What was asked for beyond the answer: "native" of "react native version" where react_version is
 * it. */
static void answer_name_extra(struct lookup *index, struct difference_query *query,
			      struct lookup_answer *answer)
{
	uint32_t word;

	if (!answer->found || answer->match == LOOKUP_EXACT ||
	    answer->also_count == LOOKUP_ALSO_MAX ||
	    !difference_find_extra(index, query, (uint32_t)answer->item, &word))
		return;
	answer->also[answer->also_count++] = (struct lookup_other){
		.item = answer->item, .asked = answer_word_of(index, &query->text, word)};
}

void answer_name_others(struct lookup *index, struct difference_query *query,
			struct lookup_answer *answer)
{
	answer->also_count = 0;
	for (size_t i = 0; i < index->listed.count; i++) {
		size_t item = index->listed.items[i];

		if (answer_is_worth_naming(index, answer, item))
			answer_add_also(index, answer, item,
					answer->found ? answer_compare_items
						      : answer_compare_nearest);
	}
	for (size_t i = 0; i < answer->also_count; i++)
		answer_tell_difference(index, query, &answer->also[i]);
	answer_name_extra(index, query, answer);
}

void answer_choose(struct lookup *index, struct difference_query *query,
		   struct lookup_answer *answer)
{
	size_t item = answer_best(index);

	*answer = (struct lookup_answer){0};
	if (item != NO_ITEM) {
		answer->found = true;
		answer->item = item;
		answer->confidence = index->scores[item].confidence;
		answer->match = index->scores[item].match;
	}
	answer_name_others(index, query, answer);
}
