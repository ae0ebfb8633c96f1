#include "ops/entry_stats.h"

#include "ops/common.h"
#include "similarity/due.h"
#include "similarity/report.h"

static double facts_days_since(int64_t ms, int64_t now_ms)
{
	return ((double)now_ms - (double)ms) / (double)MS_PER_DAY;
}

/*
 * An entry of state that names a day to come does not fade until then, and afterwards as a note of
 * what happened, which a lookup that it answers does not renew: only a use does.
 */
static void facts_read_due(struct facts *out, int64_t now_ms)
{
	const struct entry *entry = &out->item->entry;
	STR_AUTO scratch = STR_INIT;
	struct slice text = json_string(entry->doc, entry->value_node, &scratch);
	int64_t due_ms = TIME_NONE;

	out->fades_from_ms = out->item->active_ms;
	out->holds = entry->category != CATEGORY_STATE ||
		     (text.ptr && report_read(text) == REPORT_HOLDS);
	if (entry->category == CATEGORY_STATE && text.ptr && !out->report)
		due_ms = due_of(text, out->item->updated_ms);
	if (due_ms == TIME_NONE)
		return;
	out->report = due_ms <= now_ms;
	out->holds = !out->report;
	out->fades_from_ms = time_later(out->item->used_ms, due_ms);
}

void facts_read(struct facts *out, const struct item *item, int64_t now_ms)
{
	*out = (struct facts){
		.item = item,
		.bytes = (int64_t)entry_stored_size(&item->entry),
		.age_days = facts_days_since(item->created_ms, now_ms),
		.idle_days = facts_days_since(item->active_ms, now_ms),
		.report = report_is_note(&item->entry),
		.kept = protect_reason(&item->entry, item->hits, now_ms - item->created_ms),
	};
	facts_read_due(out, now_ms);
	out->salience = salience_score(&(struct salience_facts){
		.age_days = out->age_days,
		.idle_days = out->idle_days,
		.importance = item->entry.importance,
		.bytes = out->bytes,
		.hits = item->hits,
	});
}

struct facts *facts_read_all(const struct store *store, int64_t now_ms, struct arena *arena,
			     size_t *count)
{
	size_t item_count;
	const struct item *items = store_items(store, &item_count);
	struct facts *list = arena_alloc(arena, (item_count + 1) * sizeof *list);

	*count = 0;
	for (size_t i = 0; i < item_count; i++) {
		if (!items[i].due)
			facts_read(&list[(*count)++], &items[i], now_ms);
	}
	return list;
}

double facts_half_life(const struct facts *facts, const struct settings *settings)
{
	return decay_half_life(settings, facts->item->entry.category, facts->report);
}

double facts_score(const struct facts *facts, const struct settings *settings, int64_t now_ms)
{
	return decay_score(settings, facts_half_life(facts, settings), facts->item->uses,
			   facts->item->entry.strength, facts->fades_from_ms, now_ms);
}

int facts_compare_idle(const void *a, const void *b)
{
	const struct item *first = ((const struct facts *)a)->item;
	const struct item *second = ((const struct facts *)b)->item;

	if (first->active_ms != second->active_ms)
		return first->active_ms < second->active_ms ? -1 : 1;
	return (first > second) - (first < second);
}

void facts_hold(struct facts *facts, struct arena *arena)
{
	struct item *copy = arena_alloc(arena, sizeof *copy);

	*copy = *facts->item;
	copy->ref = arena_copy(arena, copy->ref);
	copy->entry.key = arena_copy(arena, copy->entry.key);
	facts->item = copy;
}
