#include "store/view/query.h"

#include "base/map.h"
#include "base/mem.h"
#include "store/log/cold.h"
#include "store/view/notices.h"
#include "store/view/read_through.h"
#include "store/view/state.h"
#include "text/normalize.h"

#include <stdlib.h>

const struct progress *store_watcher(const struct store *store)
{
	return store->disk.progress;
}

const struct origin *store_origin(const struct store *store)
{
	return &store->disk.origin;
}

bool store_may_judge(const struct store *store)
{
	return shared_use_may_judge(&store->shared_use, &store->disk.origin, store->now_ms);
}

bool store_is_of_others(struct store *store, const struct entry *entry)
{
	const struct reviewed_entry asked = {entry->category, entry->key, entry->text};

	if (!store->reviewed_current)
		reviewed_refresh(&store->reviewed, &store->disk);
	store->reviewed_current = true;
	return reviewed_is_others(&store->reviewed, &asked);
}

struct disk *store_disk(struct store *store)
{
	return &store->disk;
}

int store_settings(struct store *store, struct settings *out, struct err *err)
{
	if (!store->settings_valid) {
		*err = store->settings_error;
		return -1;
	}
	*out = store->settings;
	return 0;
}

const struct item *store_items(const struct store *store, size_t *count)
{
	*count = store->item_count;
	return store->items;
}

/* The item at a position of a category, unless it counts as archived. */
static const struct item *query_active(const struct store *store, int category, size_t position)
{
	const struct item *item = &store->items[store->first[category] + position];

	return item->due ? NULL : item;
}

const struct item *store_find(const struct store *store, int category, struct slice key)
{
	STR_AUTO identity = STR_INIT;
	const struct item *found = NULL;
	int from = category == CATEGORY_ANY ? 0 : category;
	int to = category == CATEGORY_ANY ? CATEGORY_COUNT : category + 1;
	size_t position;

	normalize_key(key, &identity);
	for (int c = from; c < to && !found; c++) {
		if (shelf_find_spelt(&store->shelves[c], key, &position))
			found = query_active(store, c, position);
		if (!found && shelf_find_equal(&store->shelves[c], str_slice(&identity), &position))
			found = query_active(store, c, position);
	}
	return found;
}

const struct item *store_find_spelt(const struct store *store, enum category category,
				    struct slice key)
{
	size_t position;

	if (!shelf_find_spelt(&store->shelves[category], key, &position))
		return NULL;
	return &store->items[store->first[category] + position];
}

const struct item *store_find_ref(const struct store *store, struct slice ref)
{
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		size_t name_len = strlen(category_name((enum category)c));
		size_t position;

		if (ref.len > name_len && ref.ptr[name_len] == ':' &&
		    slice_is(slice_make(ref.ptr, name_len), category_name((enum category)c)) &&
		    shelf_find_spelt(&store->shelves[c],
				     slice_make(ref.ptr + name_len + 1, ref.len - name_len - 1),
				     &position))
			return query_active(store, c, position);
	}
	return NULL;
}

void store_release_cold(struct store *store)
{
	for (size_t i = 0; i < store->cold_doc_count; i++)
		json_release(store->cold_docs[i]);
	store->cold_doc_count = 0;
	map_release(&store->all_by_ref);
	arena_release(&store->cold_arena);
}

static void query_add_to_all(struct store *store, const struct archived *archived)
{
	store->all = mem_grow(store->all, &store->all_cap, store->all_count + 1,
			      sizeof *store->all);
	store->all[store->all_count++] = *archived;
}

/* Keeps a line of a cold file: its text and parse must outlive the walk. */
static int query_keep_cold_line(void *context, const struct json *doc)
{
	struct store *store = context;
	struct archived archived = {.cold = true};
	struct slice text;
	struct json_fault fault;
	STR_AUTO scratch = STR_INIT;
	struct json *kept;
	size_t at;

	if (!store->all_with_undo && json_member(doc, JSON_ROOT, "undo") != JSON_NONE)
		return 0;
	text = arena_copy(&store->cold_arena, doc->text);
	store->cold_docs = mem_grow(store->cold_docs, &store->cold_doc_cap,
				    store->cold_doc_count + 1, sizeof(struct json *));
	kept = arena_alloc(&store->cold_arena, sizeof *kept);
	if (json_parse(kept, text, &json_file_bounds, &fault) != 0)
		return 0;
	store->cold_docs[store->cold_doc_count++] = kept;
	if (record_read_line(&archived.record, kept, JSON_ROOT, &store->cold_arena)) {
		ref_add(&scratch, archived.record.category, archived.record.key);
		archived.ref = arena_copy(&store->cold_arena, str_slice(&scratch));
		/* One that moves to the cold archive may be met twice: here, and in archive.json or
		   the journal. */
		if (!map_get(&store->all_by_ref, archived.ref, &at) ||
		    !slice_equal(store->all[at].record.reason, archived.record.reason))
			query_add_to_all(store, &archived);
	}
	return 0;
}

/* One that a change under way takes there. */
static int query_keep_cold_of_journal(void *context, const struct json *doc, size_t number)
{
	(void)number;
	return query_keep_cold_line(context, doc);
}

/* Once a request: what was handed out stays until the next one. */
static int query_gather_archive(struct store *store, bool with_undo, const struct archived **out,
				size_t *count, struct err *err)
{
	struct str first_bad = STR_INIT;
	size_t bad = 0;

	if (store->all_known && store->all_with_undo == with_undo &&
	    store->all_writes == store->disk.cold_writes) {
		*out = store->all;
		*count = store->all_count;
		return 0;
	}
	store_release_cold(store);
	store->all_with_undo = with_undo;
	store->all_writes = store->disk.cold_writes;
	store->all_count = 0;
	for (size_t i = 0; i < store->archive.count; i++)
		query_add_to_all(store, &store->archive.records[i]);
	read_through_cold(store, query_keep_cold_of_journal, store);
	map_release(&store->all_by_ref);
	for (size_t i = 0; i < store->all_count; i++)
		map_put(&store->all_by_ref, store->all[i].ref, i);
	int result = store->disk.dirfd < 0 ? 0
					   : cold_walk(&store->disk, query_keep_cold_line, store,
						       &bad, &first_bad, err);
	if (bad)
		notices_add(store, "%s: cannot be read; %zu lines of the cold archive are left out",
			    first_bad.ptr, bad);
	str_release(&first_bad);
	store->all_known = result == 0;
	if (result != 0)
		return -1;
	*out = store->all;
	*count = store->all_count;
	return 0;
}

int store_archive_all(struct store *store, const struct archived **out, size_t *count,
		      struct err *err)
{
	return query_gather_archive(store, false, out, count, err);
}

int store_archive_whole(struct store *store, const struct archived **out, size_t *count,
			struct err *err)
{
	return query_gather_archive(store, true, out, count, err);
}

void store_hit(struct store *store, struct slice ref)
{
	store_hits(store, &ref, 1);
}

bool store_used(struct store *store, const struct usage_use *uses, size_t count)
{
	return store->disk.dirfd >= 0 && usage_used(store->usage, uses, count, store->now_ms);
}

void store_hits(struct store *store, const struct slice *refs, size_t count)
{
	if (store->disk.dirfd >= 0)
		usage_count(store->usage, USAGE_HIT, refs, count, store->now_ms);
}

void store_shown(struct store *store, const struct item *const *items, size_t count)
{
	struct slice *refs = mem_zalloc(count + 1, sizeof *refs);
	size_t due = 0;

	for (size_t i = 0; i < count; i++) {
		if (items[i]->kept_ms <= store->now_ms - MS_PER_DAY)
			refs[due++] = items[i]->ref;
	}
	if (store->disk.dirfd >= 0)
		usage_count(store->usage, USAGE_SHOWN, refs, due, store->now_ms);
	free(refs);
}

bool store_knows_usage(const struct store *store)
{
	return usage_is_known(store->usage);
}

bool store_trusts_clock(const struct store *store)
{
	return store->clock_trusted;
}

struct usage_fact store_usage_of(const struct store *store, struct slice ref)
{
	const struct usage_fact *fact = usage_find(store->usage, ref);

	return fact ? *fact : usage_fact_none(ref);
}

void store_know_usage(struct store *store, const struct usage_fact *facts, size_t count)
{
	for (size_t i = 0; i < count && store->disk.dirfd >= 0; i++) {
		const struct item *item = store_find_ref(store, facts[i].ref);
		struct usage_fact fact = facts[i];

		if (!item)
			continue;
		fact.ref = item->ref;
		fact.shown_ms = store->now_ms;
		fact.digest = hash64(item->entry.text);
		if (fact.seen_ms == TIME_NONE)
			fact.seen_ms = store_usage_of(store, fact.ref).seen_ms;
		usage_note_fact(store->usage, &fact);
	}
	usage_flush_seen(store->usage, store->now_ms);
}

void store_rename_usage(struct store *store, struct slice from, struct slice to)
{
	if (store->disk.dirfd >= 0)
		usage_rename(store->usage, from, to, store->now_ms);
}

void store_join_usage(struct store *store, struct slice from, struct slice to)
{
	if (store->disk.dirfd >= 0)
		usage_join(store->usage, from, to, store->now_ms);
}

int64_t store_pace_wait_ms(const struct store *store, int64_t now_ms, int64_t interval_ms)
{
	int64_t since_ms = now_ms - store->paced_ms;

	return store->paced && since_ms >= 0 && since_ms < interval_ms ? interval_ms - since_ms : 0;
}

void store_pace_mark(struct store *store, int64_t now_ms)
{
	store->paced = true;
	store->paced_ms = now_ms;
}

const char *const *store_notices(const struct store *store, size_t *count)
{
	*count = store->notices.count;
	return (const char *const *)store->notices.items;
}

const char *const *store_notices_kept(const struct store *store, size_t *count)
{
	*count = store->notices.kept;
	return (const char *const *)store->notices.items;
}

void store_notices_told(struct store *store)
{
	store->notices.kept = 0;
}

void store_weigh(const struct store *store, struct store_weight *out)
{
	*out = (struct store_weight){.records = (int64_t)store->archive.count};
	for (int f = 0; f <= STORE_FILE_ARCHIVE; f++) {
		const struct file_id *id = &store->files[f].id;
		int64_t bytes = id->present ? (int64_t)id->size : 0;

		*(f < CATEGORY_COUNT ? &out->categories[f] : &out->archive) = bytes;
		out->total += bytes;
	}
}
