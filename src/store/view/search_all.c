#include "store/view/search_all.h"

#include "base/mem.h"
#include "base/time.h"
#include "search/search.h"
#include "store/items/notes.h"
#include "store/view/cold_index.h"
#include "store/view/index_sync.h"
#include "store/view/notices.h"
#include "store/view/read_through.h"
#include "store/view/relations.h"
#include "store/view/search_all_internal.h"
#include "store/view/search_entry.h"
#include "store/view/state.h"
#include "store/view/synonyms_file.h"

#include <stdlib.h>

void search_all_stale(struct search_all *all, int group)
{
	if (all)
		all->sync.groups[group].current = false;
}

static void search_all_release_index(struct search_all *all)
{
	search_free(all->index);
	all->index = NULL;
	sync_release(&all->sync);
}

void search_all_free(struct search_all *all)
{
	if (!all)
		return;
	search_all_release_index(all);
	notes_release(&all->notes);
	free(all->list);
	free(all);
}

/* ---- reading */

static struct sought search_all_of_entry(const struct entry *entry, struct slice ref)
{
	return (struct sought){
		.entry = entry,
		.ref = ref,
		.key = entry->key,
		.category = (int)entry->category,
		.strength = entry->strength,
		.confidence = entry->confidence,
	};
}

static struct sought search_all_of_item(const struct item *item)
{
	struct sought out = search_all_of_entry(&item->entry, item->ref);

	out.item = item;
	if (item->due)
		out.status = SOUGHT_ARCHIVED;
	else if (item->entry.promoted)
		out.status = SOUGHT_PROMOTED;
	out.created_ms = item->created_ms;
	out.updated_ms = item->updated_ms;
	out.active_ms = item->active_ms;
	out.hits = item->hits;
	out.uses = item->uses;
	return out;
}

static struct sought search_all_of_record(const struct archived *archived)
{
	struct sought out = search_all_of_entry(&archived->record.entry, archived->ref);

	out.archived = archived;
	out.status = SOUGHT_ARCHIVED;
	out.created_ms = out.entry->created_ms;
	out.updated_ms = out.entry->updated_ms;
	out.active_ms = archived->record.archived_ms;
	out.hits = out.entry->hits;
	out.uses = out.entry->uses;
	return out;
}

/* The entry that was promoted to a note: each names the other. */
static const struct item *search_all_promoted(const struct store *store, const struct note *note)
{
	const struct item *item = note->of.len ? store_find_ref(store, note->of) : NULL;
	uint32_t node = item && item->entry.promoted ? entry_member(&item->entry, "promoted_to")
						     : JSON_NONE;
	STR_AUTO scratch = STR_INIT;
	struct slice path = node != JSON_NONE ? json_string(item->entry.doc, node, &scratch)
					      : slice_of(NULL);

	const char *name = memrchr(note->ref.ptr, '/', note->ref.len);

	/* The setting says which folder notes are in; refs always say notes/. */
	return name && path.ptr && slice_ends(path, name) ? item : NULL;
}

static struct sought search_all_of_note(const struct store *store, const struct note *note)
{
	int64_t written_ms = time_of_timespec(note->id.mtime);

	return (struct sought){
		.status = SOUGHT_NOTE,
		.note = note,
		.promoted = search_all_promoted(store, note),
		.ref = note->ref,
		.key = note->title,
		.category = CATEGORY_ANY,
		.strength = 1,
		.confidence = 1,
		.created_ms = TIME_NONE,
		.active_ms = written_ms,
		.updated_ms = written_ms,
	};
}

/* What stands at a position, as it is now; false for what a search does not show. */
static bool search_all_sought_at(const struct store *store, int group, size_t position,
				 struct sought *out)
{
	struct stored stored;

	if (!stored_at(store, store->search->notes.list, group, position, &stored))
		return false;
	if (stored.item)
		*out = search_all_of_item(stored.item);
	else
		*out = stored.archived ? search_all_of_record(stored.archived)
				       : search_all_of_note(store, stored.note);
	return true;
}

static size_t search_all_group_size(const struct store *store, int group)
{
	return group == GROUP_NOTES ? store->search->notes.count : store_group_size(store, group);
}

static struct search_all *search_all_of(struct store *store)
{
	struct notes_source source = {
		.dir = store->settings.notes_dir,
		.free_choice = store->settings.notes_dir_free,
	};
	bool changed;
	struct err err;

	source.ops = read_through_ops(store, &source.op_count);
	if (!store->search)
		store->search = mem_zalloc(1, sizeof *store->search);
	struct search_all *all = store->search;
	if (notes_refresh(&all->notes, &store->disk, &source, &changed, &err) != 0)
		notices_add(store, "%s; they are left out", err.text);
	if (all->notes.left_out)
		notices_add(store, "%zu notes in %s cannot be read and are left out",
			    all->notes.left_out, store->settings.notes_dir);
	if (changed)
		search_all_stale(all, GROUP_NOTES);
	return all;
}

size_t store_search_all(struct store *store, const struct sought **out)
{
	struct search_all *all = search_all_of(store);
	size_t count = 0;

	for (int g = 0; g < GROUP_COUNT; g++) {
		size_t positions = search_all_group_size(store, g);

		all->list = mem_grow(all->list, &all->list_cap, count + positions + 1,
				     sizeof *all->list);
		for (size_t i = 0; i < positions; i++)
			count += search_all_sought_at(store, g, i, &all->list[count]);
	}
	*out = all->list;
	return count;
}

/* ---- ranking */

/* The keys of what the entry superseded, one a line: whoever asks by them is to find it. */
static void search_all_former_keys(const struct predecessor *list, size_t count,
				   const struct item *item, struct str *out)
{
	for (size_t i = 0; i < count; i++) {
		if (list[i].successor.item != item)
			continue;
		str_add(out, ref_parse(list[i].ref).key);
		str_addc(out, '\n');
	}
}

static size_t search_all_add_to_index(struct search *index, const struct stored *stored,
				      const struct predecessor *list, size_t count)
{
	STR_AUTO former = STR_INIT;

	if (stored->note)
		return search_add(index, &(struct search_item){.key = stored->note->title,
							       .text = stored->note->text,
							       .labels = stored->note->tags});
	if (!stored->item)
		return search_entry_add(index, &stored->archived->record.entry, true,
					slice_of(NULL));
	search_all_former_keys(list, count, stored->item, &former);
	return search_entry_add(index, &stored->item->entry, true, str_slice(&former));
}

/* Makes the index say what the store does. */
static void search_all_renew_index(struct store *store)
{
	struct search_all *all = store->search;
	const struct predecessor *list = NULL;
	size_t count = 0;

	if (all->index && search_is_wasteful(all->index))
		search_all_release_index(all);
	if (!all->index)
		all->index = search_new(NULL, 0);
	for (int g = 0; g < GROUP_COUNT; g++) {
		struct stored stored;
		size_t number;

		if (all->sync.groups[g].current)
			continue;
		if (!list)
			count = store_predecessors(store, &list);
		sync_begin(&all->sync, g, search_all_group_size(store, g));
		while (sync_next(&all->sync, store, all->notes.list, &stored)) {
			number = stored.number;
			if (stored.number == SYNC_NONE) {
				number = search_all_add_to_index(all->index, &stored, list, count);
				sync_added(&all->sync, &stored, number);
			}
			/* Equal relevance keeps the order of the groups and of what is in them. */
			search_place(all->index, number, (uint64_t)g << 32 | stored.position);
		}
		while (sync_next_gone(&all->sync, &number))
			search_remove(all->index, number);
	}
}

static void search_all_take_hit(struct sought *sought, const struct search_hit *hit)
{
	sought->relevance = hit->relevance;
	sought->coverage = hit->coverage;
	sought->numbers = hit->numbers;
	sought->whole = hit->whole;
	sought->words = hit->words;
	sought->digest = hit->digest;
}

size_t store_search(struct store *store, struct slice query, const struct sought **out)
{
	struct search_all *all = search_all_of(store);
	const struct search_hit *hits;

	search_all_renew_index(store);
	size_t count = search_find(all->index, query, synonyms_file_read(store), &hits);
	all->list = mem_grow(all->list, &all->list_cap, count, sizeof *all->list);
	for (size_t i = 0; i < count; i++) {
		const struct synced *synced = &all->sync.items[hits[i].item];
		struct sought *sought = &all->list[i];

		search_all_sought_at(store, synced->group, synced->position, sought);
		search_all_take_hit(sought, &hits[i]);
	}
	*out = all->list;
	return count;
}

size_t store_search_cold(struct store *store, struct slice query, size_t most,
			 const struct sought **out)
{
	const struct search_hit *hits;
	size_t found = cold_index_search(store, query, synonyms_file_read(store), &hits);
	struct sought *list;
	size_t count = 0;

	found = found < most ? found : most;
	list = arena_alloc(&store->answer_arena, (found + 1) * sizeof *list);
	for (size_t i = 0; i < found; i++) {
		const struct archived *archived = cold_index_found(store, hits[i].item);

		if (!archived)
			continue;
		list[count] = search_all_of_record(archived);
		search_all_take_hit(&list[count++], &hits[i]);
	}
	*out = list;
	return count;
}

const struct slice *store_search_words(const struct store *store, size_t *count)
{
	*count = 0;
	if (!store->search || !store->search->index)
		return NULL;
	return search_words(store->search->index, count);
}

size_t store_search_all_cold(struct store *store, const struct sought **out)
{
	const struct archived *records;
	struct sought *list;
	size_t found = 0;
	size_t count = 0;
	struct err err;

	if (store_archive_all(store, &records, &found, &err) != 0)
		notices_add(store, "%s; its contents are left out", err.text);
	list = arena_alloc(&store->answer_arena, (found + 1) * sizeof *list);
	for (size_t i = 0; i < found; i++)
		if (records[i].cold && record_answers(&records[i].record))
			list[count++] = search_all_of_record(&records[i]);
	*out = list;
	return count;
}

/* ---- opening */

bool store_search_ref(struct store *store, struct slice ref, struct sought *out)
{
	const struct ref parts = ref_parse(ref);
	const struct item *item = store_find_ref(store, ref);
	const struct archived *records;
	struct err err;
	size_t count;

	if (!item && parts.key.len)
		item = store_find(store, parts.category, parts.key);
	if (item) {
		*out = search_all_of_item(item);
		return true;
	}
	search_all_of(store);
	for (int g = GROUP_ARCHIVE; g < GROUP_COUNT; g++) {
		for (size_t i = 0; i < search_all_group_size(store, g); i++) {
			if (search_all_sought_at(store, g, i, out) && slice_equal(out->ref, ref))
				return true;
		}
	}
	/* A record that the search does not show: a cold one, or one that answers no lookup. */
	if (!memchr(ref.ptr, '@', ref.len))
		return false;
	if (store_archive_all(store, &records, &count, &err) != 0) {
		notices_add(store, "%s", err.text);
		return false;
	}
	for (size_t i = 0; i < count; i++) {
		if (slice_equal(records[i].ref, ref)) {
			*out = search_all_of_record(&records[i]);
			return true;
		}
	}
	return false;
}
