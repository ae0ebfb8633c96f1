#include "ops/maintain/merge_decision.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "model/combine.h"
#include "ops/common.h"
#include "ops/similar_text.h"
#include "similarity/similarity.h"
#include "text/normalize.h"
#include "text/value_text.h"

#include <stdlib.h>

struct slice merging_words(struct slice json, struct arena *arena)
{
	STR_AUTO text = STR_INIT;
	STR_AUTO switches = STR_INIT;

	value_text_of_json(json, &text, &switches);
	return arena_copy(arena, blank_trim(str_slice(&text)));
}

void merging_init(struct merging *merging, const struct facts *const *parts, size_t count)
{
	ARENA_AUTO arena = ARENA_INIT;
	struct slice *texts = arena_alloc(&arena, count * sizeof *texts);
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		texts[i] = alike_text(parts[i]->item, &arena);
	for (size_t i = 0; i < count; i++) {
		for (size_t k = i + 1; k < count; k++)
			sum += similar_texts(texts[i], texts[k]);
	}
	*merging = (struct merging){
		.parts = parts,
		.count = count,
		.cohesion = sum / ((double)count * (double)(count - 1) / 2),
	};
}

/* ---- which one remains */

/* The first part that none is better than, unless one was chosen. */
static size_t merging_kept_part(const struct merging *merging, enum merging_keep keep)
{
	size_t best = keep == KEEP_SECOND;

	for (size_t i = 1; keep != KEEP_FIRST && keep != KEEP_SECOND && i < merging->count; i++) {
		const struct item *a = merging->parts[i]->item;
		const struct item *b = merging->parts[best]->item;
		bool better = a->hits > b->hits;

		if (keep == KEEP_CONFIDENCE)
			better = a->entry.confidence > b->entry.confidence;
		else if (keep != KEEP_ACCESS && a->hits == b->hits)
			better = a->created_ms < b->created_ms;
		if (better)
			best = i;
	}
	return best;
}

/* ---- what it says */

static struct slice merging_value_of(const struct merging *merging, size_t part)
{
	return merging->parts[part]->item->entry.value;
}

/* How much a value says, whatever its punctuation: in characters. */
static size_t merging_length_of(struct slice json)
{
	ARENA_AUTO arena = ARENA_INIT;
	STR_AUTO normal = STR_INIT;

	normalize_key(merging_words(json, &arena), &normal);
	return utf8_count(str_slice(&normal));
}

/* The longest value; among equals that of the one that remains, then the first. */
static struct slice merging_longest_value(const struct merging *merging)
{
	struct slice longest = merging_value_of(merging, merging->kept);
	size_t length = merging_length_of(longest);

	for (size_t i = 0; i < merging->count; i++) {
		size_t own = merging_length_of(merging_value_of(merging, i));

		if (own <= length)
			continue;
		longest = merging_value_of(merging, i);
		length = own;
	}
	return longest;
}

/* All values together, that of the one that remains first. */
static struct slice merging_combined_value(struct merging *merging, struct arena *arena)
{
	struct slice *values = mem_zalloc(merging->count, sizeof *values);
	STR_AUTO combined = STR_INIT;
	STR_AUTO why = STR_INIT;
	size_t count = 0;

	values[count++] = merging_value_of(merging, merging->kept);
	for (size_t i = 0; i < merging->count; i++) {
		if (i != merging->kept)
			values[count++] = merging_value_of(merging, i);
	}
	if (combine_values(values, count, &combined, &why) != 0)
		merging->obstacle = arena_copy(arena, str_slice(&why));
	free(values);
	return merging->obstacle.ptr ? slice_of(NULL) : arena_copy(arena, str_slice(&combined));
}

static struct slice merging_entry_text(const struct merging *merging, struct arena *arena)
{
	struct combine_part *parts = mem_zalloc(merging->count, sizeof *parts);
	STR_AUTO text = STR_INIT;

	for (size_t i = 0; i < merging->count; i++) {
		const struct item *item = merging->parts[i]->item;

		parts[i] = (struct combine_part){
			.ref = item->ref,
			.text = item->entry.text,
			.created_ms = item->created_ms,
			.updated_ms = item->updated_ms,
		};
	}
	combine_entries(parts, merging->count, merging->kept, merging->value, merging->cohesion,
			&text);
	free(parts);
	return arena_copy(arena, str_slice(&text));
}

void merging_decide(struct merging *merging, enum merging_keep keep, struct arena *arena)
{
	merging->obstacle = merging->text = slice_of(NULL);
	merging->kept = merging_kept_part(merging, keep);
	if (merging->wording.ptr)
		merging->value = merging->wording;
	else if (keep == KEEP_COMBINE)
		merging->value = merging_combined_value(merging, arena);
	else if (keep == KEEP_LONGEST)
		merging->value = merging_longest_value(merging);
	else
		merging->value = merging_value_of(merging, merging->kept);
	if (merging->value.ptr)
		merging->text = merging_entry_text(merging, arena);
}

/* ---- what it is then */

int64_t merging_hits(const struct merging *merging)
{
	int64_t hits = 0;

	for (size_t i = 0; i < merging->count; i++) {
		if (__builtin_add_overflow(hits, merging->parts[i]->item->hits, &hits))
			return INT64_MAX;
	}
	return hits;
}

double merging_salience(const struct merging *merging)
{
	JSON_AUTO doc = {0};
	struct salience_facts facts = {
		.age_days = merging->parts[0]->age_days,
		.idle_days = 0, /* whose text changes counts as active */
		.importance = IMPORTANCE_UNSET,
		.bytes = (int64_t)entry_size(merging->text),
		.hits = merging_hits(merging),
	};

	/* As the entry says it then: what only some parts say may be another than what they count
	 * as. */
	common_parse(&doc, merging->text);
	json_double(&doc, json_member(&doc, JSON_ROOT, "importance"), &facts.importance);
	for (size_t i = 1; i < merging->count; i++) {
		const struct facts *part = merging->parts[i];

		if (part->age_days > facts.age_days)
			facts.age_days = part->age_days;
	}
	return salience_score(&facts);
}

struct plan_step *merging_plan(const struct merging *merging, struct plan *plan)
{
	const struct item **others = mem_zalloc(merging->count, sizeof(void *));
	struct plan_step *step;
	size_t count = 0;

	for (size_t i = 0; i < merging->count; i++) {
		if (i != merging->kept)
			others[count++] = merging->parts[i]->item;
	}
	step = plan_merge(plan, merging->parts[merging->kept]->item, merging->text, others, count);
	free(others);
	return step;
}
