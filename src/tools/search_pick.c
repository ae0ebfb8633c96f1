#include "tools/search.h"

#include "base/map.h"
#include "policy/decay.h"
#include "model/category.h"

#include <stdlib.h>

/* Of two that fit equally well the livelier comes first; a better fit is not outranked. */
#define DECAY_BONUS 0.03

static bool has_tag(const struct wanted *wanted, struct slice tags)
{
	STR_AUTO scratch = STR_INIT;
	STR_AUTO clean = STR_INIT;
	struct json doc;
	bool found = false;

	if (!wanted->args->tags.given || wanted->tag_count == 0)
		return true;
	if (!tags.ptr)
		return false;
	common_parse(&doc, tags);
	for (uint32_t n = json_first(&doc, JSON_ROOT); n != JSON_NONE; n = json_next(&doc, n)) {
		if (json_type(&doc, n) != JSON_STRING)
			continue;
		tag_clean(json_string(&doc, n, &scratch), &clean);
		for (size_t i = 0; i < wanted->tag_count; i++)
			found |= slice_equal(str_slice(&clean), wanted->tags[i]);
	}
	json_release(&doc);
	return found;
}

/* Notes are lasting: neither window nor decay is for them. */
static bool is_lively(const struct wanted *wanted, const struct sought *sought, double decay)
{
	double days = ((double)wanted->now_ms - (double)sought->active_ms) / (double)MS_PER_DAY;

	if (sought->status == SOUGHT_NOTE)
		return true;
	return (wanted->window_days < 0 || days <= wanted->window_days) &&
	       (wanted->min_score < 0 || decay >= wanted->min_score);
}

static bool is_wanted(const struct wanted *wanted, const struct sought *sought, double decay)
{
	return (wanted->scope >> sought->status & 1) != 0 &&
	       (wanted->category == CATEGORY_ANY || wanted->category == sought->category) &&
	       sought->confidence >= wanted->min_confidence && is_lively(wanted, sought, decay) &&
	       has_tag(wanted, sought->tags);
}

static double decay_of(const struct wanted *wanted, const struct sought *sought)
{
	return decay_score(wanted->settings, sought->uses, sought->strength, sought->active_ms,
			   wanted->now_ms);
}

static void take(struct results *results, const struct wanted *wanted, const struct sought *sought)
{
	double decay = decay_of(wanted, sought);
	double share = decay > 0 ? decay / (1 + decay) : 0;
	struct result *result = &results->list[results->count];

	*result = (struct result){*sought, decay, 0, results->count};
	result->rank = sought->relevance * wanted->weight[sought->status == SOUGHT_NOTE] *
		       (1 + DECAY_BONUS * share);
	results->count++;
}

static int compare_results(const void *a, const void *b)
{
	const struct result *x = a;
	const struct result *y = b;

	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	return x->position < y->position ? -1 : x->position > y->position;
}

/* What says the same appears once: the best of them stays. */
static void drop_repeated(struct results *results)
{
	struct map seen = MAP_INIT;
	size_t kept = 0;

	for (size_t i = 0; i < results->count; i++) {
		const uint64_t *digest = &results->list[i].sought.digest;
		struct slice key = slice_make((const char *)digest, sizeof *digest);

		if (map_get(&seen, key, NULL))
			continue;
		results->list[kept] = results->list[i];
		digest = &results->list[kept].sought.digest;
		map_put(&seen, slice_make((const char *)digest, sizeof *digest), kept);
		kept++;
	}
	results->count = kept;
	map_release(&seen);
}

void search_rank(struct results *results, const struct call *call, const struct wanted *wanted)
{
	const struct sought *found;
	size_t count = store_seek(call->store, wanted->query, &found);

	results->method = "lexical";
	results->words = store_seek_words(call->store, &results->word_count);
	results->list = arena_alloc(call->arena, (count + 1) * sizeof *results->list);
	for (size_t i = 0; i < count; i++) {
		if (is_wanted(wanted, &found[i], decay_of(wanted, &found[i])) &&
		    wanted->weight[found[i].status == SOUGHT_NOTE] > 0)
			take(results, wanted, &found[i]);
	}
	qsort(results->list, results->count, sizeof *results->list, compare_results);
	drop_repeated(results);
}

void search_list(struct results *results, const struct call *call, const struct wanted *wanted)
{
	const struct sought *all;
	size_t count = store_seek_all(call->store, &all);

	results->method = "list";
	results->list = arena_alloc(call->arena, (count + 1) * sizeof *results->list);
	for (size_t i = 0; i < count; i++) {
		if (is_wanted(wanted, &all[i], decay_of(wanted, &all[i])))
			take(results, wanted, &all[i]);
	}
}

static bool is_open(const struct results *results, struct slice ref)
{
	for (size_t i = 0; i < results->count; i++) {
		if (slice_equal(results->list[i].sought.ref, ref))
			return true;
	}
	return false;
}

void search_open(struct results *results, const struct call *call, const struct wanted *wanted)
{
	const struct arg_texts *refs = &wanted->args->refs;
	struct sought sought;

	results->method = "refs";
	results->list = arena_alloc(call->arena, (refs->count + 1) * sizeof *results->list);
	results->not_found = arena_alloc(call->arena,
					 (refs->count + 1) * sizeof *results->not_found);
	for (size_t i = 0; i < refs->count; i++) {
		if (!store_seek_ref(call->store, refs->items[i], &sought))
			results->not_found[results->not_found_count++] = refs->items[i];
		else if (!is_open(results, sought.ref))
			take(results, wanted, &sought);
	}
}
