#include "lookup/lookup.h"

#include "base/mem.h"
#include "lookup/score_index.h"

#include <stdlib.h>
#include <string.h>

/* Nothing less alike is offered as the nearest. */
#define NEAREST_FLOOR 0.35

/* An archived entry whose key equals the query gives way only to an active one this good. */
#define ARCHIVED_GIVES_WAY 0.85

/* Rounding must not decide ties. */
#define SAME 1e-9

/* Up to this many removed items, and up to this part of those alive, an index is not worth building
 * anew. */
#define WASTE_LEAST 64
#define WASTE_SHARE 8

struct lookup *lookup_new(const struct lookup_item *items, size_t count)
{
	struct lookup *index = mem_zalloc(1, sizeof *index);

	for (size_t i = 0; i < count; i++)
		index_add(index, &items[i]);
	return index;
}

size_t lookup_add(struct lookup *index, const struct lookup_item *item)
{
	return index_add(index, item);
}

void lookup_remove(struct lookup *index, size_t item)
{
	if (item < index->entry_count && index->scopes[item] != INDEX_GONE)
		index_remove(index, (uint32_t)item);
}

struct slice lookup_ref(const struct lookup *index, size_t item)
{
	return index->entries[item].ref;
}

bool lookup_is_wasteful(const struct lookup *index)
{
	size_t gone = index->entry_count - index->live_count;

	return gone > WASTE_LEAST && gone > index->live_count / WASTE_SHARE;
}

static void free_shapes(struct lookup *index)
{
	for (size_t i = 0; i <= SHAPE_MAX; i++) {
		free(index->shapes[i].bags);
		free(index->shapes[i].shapes);
	}
}

void lookup_free(struct lookup *index)
{
	if (!index)
		return;
	arena_release(&index->arena);
	vocab_release(&index->vocab);
	map_release(&index->compact);
	map_release(&index->symbols);
	free_shapes(index);
	free(index->entries);
	free(index->scopes);
	free(index->value_lens);
	free(index->forms);
	free(index->form_items);
	free(index->all);
	free(index->some);
	free(index->listed.items);
	free(index->candidates.items);
	free(index->looked);
	free(index->form_tally);
	free(index->item_tally);
	free(index->word_best);
	free(index->word_question);
	free(index->scores);
	free(index);
}

void lookup_touch(struct lookup *index, size_t item, int64_t active_ms)
{
	if (item < index->entry_count)
		index->entries[item].active_ms = active_ms;
}

const char *lookup_match_name(enum lookup_match match)
{
	static const char *const names[] = {"exact", "contained", "fuzzy",
					    "words", "value",     "approximate"};

	return names[match];
}

static int compare_numbers(double a, double b)
{
	return a - b > SAME ? -1 : b - a > SAME;
}

static double relevance_of(const struct lookup *index, size_t item)
{
	const struct tally *tally = &index->item_tally[item];

	return tally->question == index->question ? tally->relevance : 0;
}

/* Which of two items answers better; negative when the first. */
static int compare_items(const struct lookup *index, size_t a, size_t b)
{
	const struct score *x = &index->scores[a];
	const struct score *y = &index->scores[b];
	int order = (int)y->standing - (int)x->standing;

	if (order == 0)
		order = compare_numbers(x->confidence, y->confidence);
	if (order == 0)
		order = y->whole_words - x->whole_words;
	if (order == 0)
		order = compare_numbers(x->soft, y->soft);
	if (order == 0)
		order = compare_numbers(x->similarity, y->similarity);
	if (order == 0)
		order = compare_numbers(relevance_of(index, a), relevance_of(index, b));
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
static void find_best(const struct lookup *index, size_t best[2])
{
	best[false] = NO_ITEM;
	best[true] = NO_ITEM;
	for (size_t i = 0; i < index->listed.count; i++) {
		size_t item = index->listed.items[i];
		size_t *rival;

		if (index->scores[item].confidence < LOOKUP_FLOOR)
			continue;
		rival = &best[index->entries[item].archived];
		if (*rival == NO_ITEM || compare_items(index, item, *rival) < 0)
			*rival = item;
	}
}

static size_t choose(const struct lookup *index)
{
	size_t best[2];
	size_t active;
	size_t archived;

	find_best(index, best);
	active = best[false];
	archived = best[true];
	if (active == NO_ITEM || archived == NO_ITEM)
		return active == NO_ITEM ? archived : active;
	if (index->scores[archived].match == LOOKUP_EXACT &&
	    index->scores[active].confidence < ARCHIVED_GIVES_WAY)
		return archived;
	return active;
}

/* Puts an item into the short list of those to name, best first. */
static void add_also(const struct lookup *index, struct lookup_answer *answer, size_t item,
		     int (*compare)(const struct lookup *, size_t, size_t))
{
	size_t at = answer->also_count;

	while (at > 0 && compare(index, item, answer->also[at - 1]) < 0)
		at--;
	if (at == LOOKUP_ALSO_MAX)
		return;
	if (answer->also_count < LOOKUP_ALSO_MAX)
		answer->also_count++;
	memmove(answer->also + at + 1, answer->also + at,
		(answer->also_count - at - 1) * sizeof *answer->also);
	answer->also[at] = item;
}

static int compare_nearest(const struct lookup *index, size_t a, size_t b)
{
	int order = compare_numbers(index->scores[a].nearest, index->scores[b].nearest);

	return order ? order : compare_items(index, a, b);
}

/* Names the items close to the winner, or those nearest to the query when there is none. */
static void name_others(const struct lookup *index, struct lookup_answer *answer)
{
	for (size_t i = 0; i < index->listed.count; i++) {
		size_t item = index->listed.items[i];
		const struct score *score = &index->scores[item];

		if (!answer->found && score->nearest >= NEAREST_FLOOR &&
		    !index->entries[item].archived)
			add_also(index, answer, item, compare_nearest);
		if (answer->found && item != answer->item && score->confidence >= LOOKUP_FLOOR &&
		    index->entries[item].archived == index->entries[answer->item].archived &&
		    score->confidence >= answer->confidence - ASK_ALSO_WITHIN - SAME)
			add_also(index, answer, item, compare_items);
	}
}

void lookup_find(struct lookup *index, struct slice query, int scope, struct lookup_answer *answer)
{
	size_t item;

	*answer = (struct lookup_answer){0};
	if (query.len > LOOKUP_QUERY_MAX)
		query.len = LOOKUP_QUERY_MAX;
	ask_score(index, query, scope);
	item = choose(index);
	if (item != NO_ITEM) {
		answer->found = true;
		answer->item = item;
		answer->confidence = index->scores[item].confidence;
		answer->match = index->scores[item].match;
	}
	name_others(index, answer);
}
