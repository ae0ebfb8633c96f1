#include "store/view/entry_lookup.h"

#include "base/mem.h"
#include "search/search.h"
#include "store/view/index_sync.h"
#include "store/view/search_all.h"
#include "store/view/state.h"
#include "store/view/synonyms_file.h"

#include <stdlib.h>

/* Exchanges of words by synonyms that are tried for one query. */
#define VARIANTS_MAX 16

/* Keys that an entry is also found by, of those that were merged into it. */
#define FORMER_MAX 64

struct entry_lookup {
	struct lookup *index;
	struct index_sync sync;
};

void entry_lookup_stale(struct entry_lookup *lookup, int group)
{
	if (lookup)
		lookup->sync.groups[group].current = false;
}

void entry_lookup_touch(const struct store *store, size_t position)
{
	const struct entry_lookup *lookup = store->lookup;
	const struct item *item = &store->items[position];
	const struct sync_group *group;

	if (!lookup)
		return;
	group = &lookup->sync.groups[item->entry.category];
	if (group->current)
		lookup_touch(lookup->index,
			     group->numbers[position - store->first[item->entry.category]],
			     item->active_ms, item->due);
}

void entry_lookup_free(struct entry_lookup *lookup)
{
	if (!lookup)
		return;
	lookup_free(lookup->index);
	sync_release(&lookup->sync);
	free(lookup);
}

/* Keys of entries that were merged into this one, as its merged_from names them. */
static const struct slice *entry_lookup_former_keys(const struct entry *entry, struct arena *arena,
						    size_t *count)
{
	uint32_t list = entry_member(entry, "merged_from");
	struct slice *keys;

	*count = 0;
	if (list == JSON_NONE || json_type(entry->doc, list) != JSON_ARRAY)
		return NULL;
	keys = arena_alloc(arena, FORMER_MAX * sizeof *keys);
	for (uint32_t n = json_first(entry->doc, list); n != JSON_NONE && *count < FORMER_MAX;
	     n = json_next(entry->doc, n)) {
		STR_AUTO scratch = STR_INIT;
		struct ref ref = ref_parse(json_string(entry->doc, n, &scratch));

		if (ref.key.len > 0 && ref.key.len <= LOOKUP_QUERY_MAX &&
		    !slice_equal(ref.key, entry->key))
			keys[(*count)++] = arena_copy(arena, ref.key);
	}
	return keys;
}

static struct lookup_item lookup_item_of(const struct stored *stored, struct arena *arena)
{
	const struct entry *entry = stored->item ? &stored->item->entry
						 : &stored->archived->record.entry;

	size_t count = 0;
	const struct slice *former = stored->item ? entry_lookup_former_keys(entry, arena, &count)
						  : NULL;

	return (struct lookup_item){
		.former = former,
		.former_count = count,
		.scope = (int)entry->category,
		.key = entry->key,
		.doc = entry->doc,
		.node = entry->value_node,
		.ref = stored->ref,
		.active_ms = stored->item ? stored->item->active_ms
					  : stored->archived->record.archived_ms,
		.archived = !stored->item || stored->item->due,
	};
}

/* Makes the index say what the store does. */
static void entry_lookup_renew_index(struct store *store)
{
	struct entry_lookup *lookup = store->lookup;

	if (lookup && lookup_is_wasteful(lookup->index)) {
		entry_lookup_free(lookup);
		lookup = NULL;
	}
	if (!lookup) {
		lookup = mem_zalloc(1, sizeof *lookup);
		lookup->index = lookup_new(NULL, 0);
		store->lookup = lookup;
	}
	for (int g = 0; g <= GROUP_ARCHIVE; g++) {
		struct stored stored;
		size_t number;

		if (lookup->sync.groups[g].current)
			continue;
		sync_begin(&lookup->sync, g, store_group_size(store, g));
		while (sync_next(&lookup->sync, store, NULL, &stored)) {
			ARENA_AUTO arena = ARENA_INIT;
			struct lookup_item item = lookup_item_of(&stored, &arena);

			if (stored.number == SYNC_NONE)
				sync_added(&lookup->sync, &stored,
					   lookup_add(lookup->index, &item));
			else
				lookup_touch(lookup->index, stored.number, item.active_ms,
					     item.archived);
		}
		while (sync_next_gone(&lookup->sync, &number))
			lookup_remove(lookup->index, number);
	}
}

/* How an entry that is due but still in its file looks in an answer: archived just now. */
static const struct archived *entry_lookup_due_record(struct store *store, const struct item *item)
{
	struct arena *arena = &store->answer_arena;
	struct archived *archived = arena_alloc(arena, sizeof *archived);
	STR_AUTO text = STR_INIT;

	record_key(&text, item->entry.key, store->now_ms, 1);
	archived->record = (struct record){
		.category = item->entry.category,
		.key = arena_copy(arena, str_slice(&text)),
		.original_key = item->entry.key,
		.reason = slice_of(reason_name(REASON_EXPIRY)),
		.text = item->entry.text,
		.archived_ms = store->now_ms,
		.entry = item->entry,
	};
	str_clear(&text);
	ref_add(&text, item->entry.category, archived->record.key);
	archived->ref = arena_copy(arena, str_slice(&text));
	return archived;
}

/*
 * Of entries that are equal after normalisation the lookup knows no first: the spelling given wins,
 * else the first in the file.
 */
static const struct item *entry_lookup_as_spelt(const struct store *store, const struct item *item,
						struct slice query)
{
	const struct item *exact = store_find(store, (int)item->entry.category, query);

	return exact ? exact : item;
}

/* The item that a number of the index stands for; NULL when it is a record. */
static const struct item *entry_lookup_item_of(const struct store *store, size_t number)
{
	const struct synced *synced = &store->lookup->sync.items[number];

	if (synced->group == GROUP_ARCHIVE)
		return NULL;
	return &store->items[store->first[synced->group] + synced->position];
}

static const struct archived *entry_lookup_record_of(const struct store *store, size_t number)
{
	return &store->archive.records[store->lookup->sync.items[number].position];
}

static void entry_lookup_name_winner(struct store *store, struct slice query,
				     struct store_answer *answer)
{
	const struct item *item = entry_lookup_item_of(store, answer->lookup.item);

	if (!item)
		answer->archived = entry_lookup_record_of(store, answer->lookup.item);
	else if (item->due)
		answer->archived = entry_lookup_due_record(store, item);
	else if (answer->lookup.match == LOOKUP_EXACT)
		answer->item = entry_lookup_as_spelt(store, item, query);
	else
		answer->item = item;
}

/*
 * Where the words of a query find nothing that is as good, those that mean the same are tried, at a
 * discount.
 */
static void entry_lookup_look_up_synonyms(struct store *store, struct slice query, int scope,
					  struct lookup_answer *answer)
{
	const struct synonyms *synonyms = synonyms_file_read(store);
	struct str variants[VARIANTS_MAX];
	size_t count = 0;

	if (synonyms && (!answer->found || answer->confidence < SYNONYMS_WEIGHT))
		count = synonyms_variants(synonyms, query, variants, VARIANTS_MAX);
	for (size_t i = 0; i < count; i++) {
		struct lookup_answer other;

		lookup_find(store->lookup->index, str_slice(&variants[i]), scope, &other);
		other.confidence *= SYNONYMS_WEIGHT;
		if (other.found && other.confidence >= LOOKUP_FLOOR &&
		    (!answer->found || other.confidence > answer->confidence)) {
			other.match = LOOKUP_WORDS;
			*answer = other;
		}
		str_release(&variants[i]);
	}
}

/* The number in the index of the lookup of what a search found; SYNC_NONE for a note or record. */
static size_t entry_lookup_number_of(const struct store *store, const struct sought *sought)
{
	const struct sync_group *group;
	size_t position;

	if (!sought->item || sought->item->due)
		return SYNC_NONE;
	group = &store->lookup->sync.groups[sought->category];
	position = (size_t)(sought->item - store->items) - store->first[sought->category];
	return position < group->count ? group->numbers[position] : SYNC_NONE;
}

/* Where the lookup finds nothing: the first result of the ranked search, if that is sure of it. */
static void entry_lookup_look_up_ranked(struct store *store, struct slice query, int category,
					struct lookup_answer *answer)
{
	struct search_hit best[2];
	size_t best_count = 0;
	const struct sought *found;
	size_t count = store_search(store, query, &found);
	double confidence;

	for (size_t i = 0; i < count && best_count < 2; i++) {
		size_t number = entry_lookup_number_of(store, &found[i]);

		if (number != SYNC_NONE &&
		    (category == CATEGORY_ANY || found[i].category == category))
			best[best_count++] = (struct search_hit){.item = number,
								 .relevance = found[i].relevance,
								 .coverage = found[i].coverage,
								 .numbers = found[i].numbers};
	}
	if (best_count && search_is_sure(&best[0], best_count > 1 ? &best[1] : NULL, &confidence))
		lookup_take(store->lookup->index, query, best[0].item, confidence, answer);
}

void store_lookup(struct store *store, struct slice query, int category,
		  struct store_answer *answer)
{
	int scope = category == CATEGORY_ANY ? LOOKUP_ANY_SCOPE : category;

	*answer = (struct store_answer){0};
	entry_lookup_renew_index(store);
	lookup_find(store->lookup->index, query, scope, &answer->lookup);
	entry_lookup_look_up_synonyms(store, query, scope, &answer->lookup);
	if (!answer->lookup.found)
		entry_lookup_look_up_ranked(store, query, category, &answer->lookup);
	for (size_t i = 0; i < answer->lookup.also_count; i++) {
		const struct lookup_other *other = &answer->lookup.also[i];
		const struct item *item = entry_lookup_item_of(store, other->item);

		answer->also[answer->also_count].ref =
			item ? item->ref : entry_lookup_record_of(store, other->item)->ref;
		answer->also[answer->also_count].asked = other->asked;
		answer->also[answer->also_count++].stored = other->stored;
	}
	if (answer->lookup.found)
		entry_lookup_name_winner(store, query, answer);
}
