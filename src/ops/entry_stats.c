#include "ops/entry_stats.h"

#include "ops/common.h"

static double facts_number_of(const struct json *doc, const char *name, double fallback)
{
	uint32_t node = json_member(doc, JSON_ROOT, name);
	double number;

	return node != JSON_NONE && json_double(doc, node, &number) ? number : fallback;
}

static void facts_read_fields(struct facts *out, const struct entry *entry, struct arena *arena)
{
	struct json doc = {0};

	if (entry->bare)
		return;
	common_parse(&doc, entry->text);
	out->source = json_member_text(&doc, JSON_ROOT, "source", arena);
	out->promoted = slice_is(json_member_text(&doc, JSON_ROOT, "status", arena), "promoted");
	out->strength = facts_number_of(&doc, "strength", 1);
	out->importance = facts_number_of(&doc, "importance", IMPORTANCE_UNSET);
	out->confidence = facts_number_of(&doc, "confidence", 1);
	json_release(&doc);
}

static double salience_of(const struct facts *facts)
{
	const struct salience_facts salience = {
		.age_days = facts->age_days,
		.idle_days = facts->idle_days,
		.importance = facts->importance,
		.bytes = facts->bytes,
		.hits = facts->item->hits,
	};

	return salience_score(&salience);
}

static enum protection protection_of(const struct facts *facts, int64_t now_ms)
{
	const struct protect_facts protect = {
		.category = facts->item->entry.category,
		.pinned = facts->item->entry.pinned,
		.promoted = facts->promoted,
		.importance = facts->importance,
		.hits = facts->item->hits,
		.age_ms = now_ms - facts->item->created_ms,
		.source = facts->source,
	};

	return protect_reason(&protect);
}

static double days_since(int64_t ms, int64_t now_ms)
{
	return ((double)now_ms - (double)ms) / (double)MS_PER_DAY;
}

void facts_read(struct facts *out, const struct item *item, int64_t now_ms, struct arena *arena)
{
	*out = (struct facts){
		.item = item,
		.strength = 1,
		.importance = IMPORTANCE_UNSET,
		.confidence = 1,
		.uses = item->uses,
		.last_use_ms = item->used_ms,
		.bytes = (int64_t)entry_size(item->entry.text),
		.age_days = days_since(item->created_ms, now_ms),
		.idle_days = days_since(item->active_ms, now_ms),
	};
	facts_read_fields(out, &item->entry, arena);
	out->salience = salience_of(out);
	out->kept = protection_of(out, now_ms);
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
			facts_read(&list[(*count)++], &items[i], now_ms, arena);
	}
	return list;
}

double facts_score(const struct facts *facts, const struct settings *settings, int64_t now_ms)
{
	return decay_score(settings, facts->uses, facts->strength, facts->item->active_ms, now_ms);
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
