#include "base/mem.h"
#include "store/view.h"

#include <stdlib.h>

/* How an entry that is due but still in its file looks in an answer: archived just now. */
static void due_record(struct store *store, size_t position)
{
	const struct item *item = &store->items[position];
	struct archived *archived = &store->due_records[position];
	struct str text = STR_INIT;

	record_key(&text, item->entry.key, store->now_ms, 1);
	archived->record = (struct record){
		.category = item->entry.category,
		.key = arena_copy(&store->index_arena, str_slice(&text)),
		.original_key = item->entry.key,
		.reason = slice_of(reason_name(REASON_EXPIRY)),
		.text = item->entry.text,
		.archived_ms = store->now_ms,
		.entry = item->entry,
	};
	str_clear(&text);
	ref_add(&text, item->entry.category, archived->record.key);
	archived->ref = arena_copy(&store->index_arena, str_slice(&text));
	str_release(&text);
}

static struct lookup_item item_for_lookup(const struct item *item)
{
	struct lookup_item out = {
		.scope = (int)item->entry.category,
		.key = item->entry.key,
		.value = item->entry.value,
		.ref = item->ref,
		.active_ms = item->active_ms,
		.archived = item->due,
	};

	return out;
}

static struct lookup_item record_for_lookup(const struct archived *archived)
{
	struct lookup_item out = {
		.scope = (int)archived->record.category,
		.key = archived->record.original_key,
		.value = archived->record.entry.value,
		.ref = archived->ref,
		.active_ms = archived->record.archived_ms,
		.archived = true,
	};

	return out;
}

/* The index holds all items and then the records that may answer, in indexed_records. */
static void build_index(struct store *store)
{
	size_t count = store->item_count;
	struct lookup_item *items = mem_zalloc(count + store->archive.count, sizeof *items);

	store->due_records = arena_alloc(&store->index_arena, count * sizeof *store->due_records);
	store->indexed_records =
		arena_alloc(&store->index_arena, store->archive.count * sizeof(void *));
	for (size_t i = 0; i < store->item_count; i++) {
		items[i] = item_for_lookup(&store->items[i]);
		if (store->items[i].due)
			due_record(store, i);
	}
	for (size_t i = 0; i < store->archive.count; i++) {
		if (!record_answers(&store->archive.records[i].record))
			continue;
		store->indexed_records[count - store->item_count] = &store->archive.records[i];
		items[count++] = record_for_lookup(&store->archive.records[i]);
	}
	store->index = lookup_new(items, count);
	free(items);
}

static struct slice ref_of(const struct store *store, size_t position)
{
	if (position < store->item_count)
		return store->items[position].ref;
	return store->indexed_records[position - store->item_count]->ref;
}

/*
 * Of entries that are equal after normalisation the lookup knows no first: the spelling given wins,
 * else the first in the file.
 */
static const struct item *as_spelt(const struct store *store, const struct item *item,
				   struct slice query)
{
	const struct item *exact = store_find(store, (int)item->entry.category, query);

	return exact ? exact : item;
}

void store_lookup(struct store *store, struct slice query, int category, struct store_answer *answer)
{
	size_t position;

	*answer = (struct store_answer){0};
	if (!store->index)
		build_index(store);
	lookup_find(store->index, query, category == CATEGORY_ANY ? LOOKUP_ANY_SCOPE : category,
		    &answer->lookup);
	for (size_t i = 0; i < answer->lookup.also_count; i++)
		answer->also[answer->also_count++] = ref_of(store, answer->lookup.also[i]);
	if (!answer->lookup.found)
		return;
	position = answer->lookup.item;
	if (position >= store->item_count)
		answer->archived = store->indexed_records[position - store->item_count];
	else if (store->items[position].due)
		answer->archived = &store->due_records[position];
	else if (answer->lookup.match == LOOKUP_EXACT)
		answer->item = as_spelt(store, &store->items[position], query);
	else
		answer->item = &store->items[position];
}
