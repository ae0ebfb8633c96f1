#include "store/view/entry_lookup_internal.h"

#include "base/map.h"
#include "base/mem.h"
#include "store/view/entry_lookup.h"
#include "store/view/synonyms_file.h"

#include <stdlib.h>

#define GROUP_ARCHIVE CATEGORY_COUNT
#define NO_GROUP (-1)

/* Exchanges of words by synonyms that are tried for one query. */
#define VARIANTS_MAX 16

/* What goes into the index for one position, and how it is recognised there. */
struct offer {
	struct lookup_item item;
	struct slice text; /* with the ref all that the index makes of it */
};

static struct offer offer_item(const struct item *item)
{
	return (struct offer){
		.item = {.scope = (int)item->entry.category,
			 .key = item->entry.key,
			 .value = item->entry.value,
			 .ref = item->ref,
			 .active_ms = item->active_ms,
			 .archived = item->due},
		.text = item->entry.text,
	};
}

static struct offer offer_record(const struct archived *archived)
{
	return (struct offer){
		.item = {.scope = (int)archived->record.category,
			 .key = archived->record.original_key,
			 .value = archived->record.entry.value,
			 .ref = archived->ref,
			 .active_ms = archived->record.archived_ms,
			 .archived = true},
		.text = archived->record.text,
	};
}

static uint64_t digest_of(const struct offer *offer)
{
	return hash64(offer->text) + offer->item.archived;
}

void finder_stale(struct store *store, int group)
{
	store->finder.stale[group] = true;
}

void finder_touch(struct store *store, size_t position)
{
	const struct finder *finder = &store->finder;
	const struct item *item = &store->items[position];
	enum category category = item->entry.category;

	if (finder->index && !finder->stale[category])
		lookup_touch(finder->index,
			     finder->numbers[category][position - store->first[category]],
			     item->active_ms);
}

void finder_release(struct finder *finder)
{
	lookup_free(finder->index);
	map_release(&finder->by_ref[0]);
	map_release(&finder->by_ref[1]);
	free(finder->found);
	for (int c = 0; c < CATEGORY_COUNT; c++)
		free(finder->numbers[c]);
	*finder = (struct finder){0};
}

static void drop(struct finder *finder, size_t number)
{
	lookup_remove(finder->index, number);
	finder->found[number].group = NO_GROUP;
}

/* The item of the index under this ref that was not met yet in this round, or NULL. */
static struct found *find_by_ref(struct finder *finder, int group, struct slice ref, size_t *number)
{
	struct found *found;

	if (!map_get(&finder->by_ref[group == GROUP_ARCHIVE], ref, number))
		return NULL;
	found = &finder->found[*number];
	return found->group == group && found->round != finder->round ? found : NULL;
}

static size_t add(struct finder *finder, int group, const struct offer *offer)
{
	size_t number = lookup_add(finder->index, &offer->item);

	finder->found = mem_grow(finder->found, &finder->found_cap, number + 1,
				 sizeof *finder->found);
	finder->found_count = number + 1;
	map_put(&finder->by_ref[group == GROUP_ARCHIVE], lookup_ref(finder->index, number), number);
	return number;
}

/* Sees to it that the index has what is offered, from a position of its group. Its number there. */
static size_t take(struct finder *finder, int group, const struct offer *offer, size_t position)
{
	uint64_t digest = digest_of(offer);
	size_t number;
	const struct found *found = find_by_ref(finder, group, offer->item.ref, &number);

	if (found && found->digest == digest) {
		lookup_touch(finder->index, number, offer->item.active_ms);
	} else {
		if (found)
			drop(finder, number);
		number = add(finder, group, offer);
	}
	finder->found[number] = (struct found){digest, finder->round, position, group};
	return number;
}

/* Forgets what the round has not met in this group. */
static void drop_unmet(struct finder *finder, int group)
{
	for (size_t i = 0; i < finder->found_count; i++)
		if (finder->found[i].group == group && finder->found[i].round != finder->round)
			drop(finder, i);
}

static void renew_records(struct store *store)
{
	for (size_t i = 0; i < store->archive.count; i++) {
		struct offer offer = offer_record(&store->archive.records[i]);

		if (record_answers(&store->archive.records[i].record))
			take(&store->finder, GROUP_ARCHIVE, &offer, i);
	}
}

static void renew_items(struct store *store, int c)
{
	struct finder *finder = &store->finder;
	size_t count = store->first[c + 1] - store->first[c];

	finder->numbers[c] = mem_grow(finder->numbers[c], &finder->number_caps[c], count,
				      sizeof *finder->numbers[c]);
	for (size_t i = 0; i < count; i++) {
		struct offer offer = offer_item(&store->items[store->first[c] + i]);

		progress_step(store->disk.progress, "indexing", store->first[c] + i,
			      store->item_count);
		finder->numbers[c][i] = (uint32_t)take(finder, c, &offer, i);
	}
}

/* Compares a group with the index, which takes over what differs. */
static void renew_group(struct store *store, int group)
{
	store->finder.round++;
	if (group == GROUP_ARCHIVE)
		renew_records(store);
	else
		renew_items(store, group);
	drop_unmet(&store->finder, group);
	store->finder.stale[group] = false;
}

/* Makes the index say what the store does. */
static void renew_index(struct store *store)
{
	struct finder *finder = &store->finder;

	if (finder->index && lookup_is_wasteful(finder->index))
		finder_release(finder);
	if (!finder->index) {
		finder->index = lookup_new(NULL, 0);
		for (int g = 0; g < FINDER_GROUPS; g++)
			finder->stale[g] = true;
	}
	for (int g = 0; g < FINDER_GROUPS; g++) {
		if (finder->stale[g])
			renew_group(store, g);
	}
}

/* How an entry that is due but still in its file looks in an answer: archived just now. */
static const struct archived *due_record(struct store *store, const struct item *item)
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
static const struct item *as_spelt(const struct store *store, const struct item *item,
				   struct slice query)
{
	const struct item *exact = store_find(store, (int)item->entry.category, query);

	return exact ? exact : item;
}

/* The item that a number of the index stands for; NULL when it is a record. */
static const struct item *item_of(const struct store *store, size_t number)
{
	const struct found *found = &store->finder.found[number];

	if (found->group == GROUP_ARCHIVE)
		return NULL;
	return &store->items[store->first[found->group] + found->position];
}

static const struct archived *record_of(const struct store *store, size_t number)
{
	return &store->archive.records[store->finder.found[number].position];
}

static void name_winner(struct store *store, struct slice query, struct store_answer *answer)
{
	const struct item *item = item_of(store, answer->lookup.item);

	if (!item)
		answer->archived = record_of(store, answer->lookup.item);
	else if (item->due)
		answer->archived = due_record(store, item);
	else if (answer->lookup.match == LOOKUP_EXACT)
		answer->item = as_spelt(store, item, query);
	else
		answer->item = item;
}

/*
 * Where the words of a query find nothing that is as good, those that mean the same are tried, at a
 * discount.
 */
static void look_up_synonyms(struct store *store, struct slice query, int scope,
			     struct lookup_answer *answer)
{
	const struct synonyms *synonyms = wordbook_synonyms(store);
	struct str variants[VARIANTS_MAX];
	size_t count = 0;

	if (synonyms && (!answer->found || answer->confidence < SYNONYMS_WEIGHT))
		count = synonyms_variants(synonyms, query, variants, VARIANTS_MAX);
	for (size_t i = 0; i < count; i++) {
		struct lookup_answer other;

		lookup_find(store->finder.index, str_slice(&variants[i]), scope, &other);
		other.confidence *= SYNONYMS_WEIGHT;
		if (other.found && other.confidence >= LOOKUP_FLOOR &&
		    (!answer->found || other.confidence > answer->confidence)) {
			other.match = LOOKUP_WORDS;
			*answer = other;
		}
		str_release(&variants[i]);
	}
}

void store_lookup(struct store *store, struct slice query, int category,
		  struct store_answer *answer)
{
	int scope = category == CATEGORY_ANY ? LOOKUP_ANY_SCOPE : category;

	*answer = (struct store_answer){0};
	renew_index(store);
	lookup_find(store->finder.index, query, scope, &answer->lookup);
	look_up_synonyms(store, query, scope, &answer->lookup);
	for (size_t i = 0; i < answer->lookup.also_count; i++) {
		const struct item *item = item_of(store, answer->lookup.also[i]);

		answer->also[answer->also_count++] =
			item ? item->ref : record_of(store, answer->lookup.also[i])->ref;
	}
	if (answer->lookup.found)
		name_winner(store, query, answer);
}
