#include "store/view.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void view_notice(struct store *store, const char *format, ...)
{
	char text[ERR_TEXT_MAX];
	struct notices *notices = &store->notices;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	for (size_t i = 0; i < notices->count; i++)
		if (slice_is(slice_of(notices->items[i]), text))
			return;
	notices->items = mem_grow(notices->items, &notices->cap, notices->count + 1,
				  sizeof *notices->items);
	notices->items[notices->count++] = mem_strdup(text);
}

void view_clear_notices(struct store *store)
{
	for (size_t i = 0; i < store->notices.count; i++)
		free(store->notices.items[i]);
	store->notices.count = 0;
}

static void forget_file(struct loaded *file)
{
	json_release(&file->doc);
	str_release(&file->text);
	file->known = false;
	file->broken = false;
}

/* Puts a freshly read text and its parse in the place of the old ones. */
static void take_file(struct store *store, struct loaded *file, struct str *text, struct json *doc,
		      const struct file_id *id)
{
	forget_file(file);
	file->text = *text;
	file->doc = *doc;
	file->id = *id;
	file->known = true;
	file->settled = disk_is_settled(&store->disk, id);
}

/* Is it the file itself that is wrong, and not the moment? Then only a change of it can help. */
static bool is_lasting(const struct err *error)
{
	return error->code == ERR_BAD_DATA || error->code == ERR_TOO_LARGE;
}

/* The identity of a file that cannot be read, so that it is not read again until it changes. */
static void take_broken_file(struct store *store, struct loaded *file, const char *name,
			     const struct err *error)
{
	struct err ignored;

	forget_file(file);
	file->known = is_lasting(error);
	file->broken = true;
	file->error = *error;
	if (!file->known)
		return;
	if (file_identify(store->sys, store->disk.dirfd, name, &file->id, &ignored) != 0)
		file->known = false;
	/* It may have been mended since it was read. */
	file->settled = disk_is_settled(&store->disk, &file->id);
}

/* Reads the file anew and compares: is it only its stat that cannot be believed? */
static bool same_bytes(struct store *store, struct loaded *file, const char *name)
{
	STR_AUTO text = STR_INIT;
	struct file_id id = {0};
	struct err ignored;

	if (disk_read(&store->disk, name, &text, &id, &ignored) != 0 ||
	    !file_id_equal(&id, &file->id) ||
	    (id.present && !slice_equal(str_slice(&text), str_slice(&file->text))))
		return false;
	file->settled = disk_is_settled(&store->disk, &id);
	return true;
}

static bool file_unchanged(struct store *store, struct loaded *file, const char *name)
{
	struct file_id id = {0};
	struct err ignored;

	if (!file->known ||
	    file_identify(store->sys, store->disk.dirfd, name, &id, &ignored) != 0 ||
	    !file_id_equal(&id, &file->id))
		return false;
	return file->settled || (!file->broken && same_bytes(store, file, name));
}

/* Brings one file up to date; true when what it says has changed. */
static bool load_file(struct store *store, enum store_file which)
{
	struct loaded *file = &store->files[which];
	const char *name = store_file_name(which);
	struct str text = STR_INIT;
	struct json doc;
	struct file_id id;
	struct err err;

	if (file_unchanged(store, file, name))
		return false;
	if (disk_read_json(&store->disk, name, &text, &doc, &id, &err) != 0) {
		str_release(&text);
		take_broken_file(store, file, name, &err);
	} else {
		take_file(store, file, &text, &doc, &id);
	}
	return true;
}

static const struct json *readable(const struct loaded *file)
{
	return file->known && !file->broken ? &file->doc : NULL;
}

/* Lines up the items of all shelves. */
static void gather_items(struct store *store)
{
	size_t at = 0;

	for (int c = 0; c < CATEGORY_COUNT; c++)
		at += store->shelves[c].count;
	store->items = mem_grow(store->items, &store->item_cap, at, sizeof *store->items);
	at = 0;
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		const struct shelf *shelf = &store->shelves[c];

		store->first[c] = at;
		if (shelf->count)
			memcpy(store->items + at, shelf->items,
			       shelf->count * sizeof *shelf->items);
		at += shelf->count;
	}
	store->first[CATEGORY_COUNT] = at;
	store->item_count = at;
}

/*
 * Remembers each entry's text, so that a change by hand is noticed as activity, and the moment at
 * which an entry without times was first seen.
 */
static void note_seen(struct store *store, enum category category)
{
	for (size_t i = store->first[category]; i < store->first[category + 1]; i++) {
		const struct entry *entry = &store->items[i].entry;
		const struct usage_fact *fact = usage_find(store->usage, store->items[i].ref);
		uint64_t digest = hash64(entry->text);
		bool changed = fact && fact->digest && fact->digest != digest;
		bool timeless = entry->updated_ms == TIME_NONE &&
				(!fact || fact->seen_ms == TIME_NONE);

		if (changed || timeless)
			usage_note_seen(store->usage, store->items[i].ref, digest, store->now_ms);
		else if (!fact || !fact->digest)
			usage_note_seen(store->usage, store->items[i].ref, digest, TIME_NONE);
	}
}

/* The lookup index no longer fits the items. */
static void drop_index(struct store *store)
{
	lookup_free(store->index);
	store->index = NULL;
	arena_release(&store->index_arena);
	store->indexed_records = NULL;
	store->due_records = NULL;
}

/* A person may have written any number. */
static int64_t add_hits(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static void update_item(struct store *store, struct item *item, const struct usage_epoch *epoch)
{
	const struct entry *entry = &item->entry;
	const struct usage_fact *fact = usage_find(store->usage, item->ref);
	int64_t seen_ms = fact ? fact->seen_ms : TIME_NONE;
	int64_t first_ms = seen_ms == TIME_NONE ? store->now_ms : seen_ms;
	struct activity activity = {
		.updated_ms = entry->updated_ms,
		.accessed_ms = time_later(entry->accessed_ms, fact ? fact->last_ms : TIME_NONE),
		.seen_ms = seen_ms,
	};

	item->accessed_ms = activity.accessed_ms;
	item->hits = add_hits(entry->hits, fact ? fact->hits : 0);
	item->updated_ms = entry->updated_ms == TIME_NONE ? first_ms : entry->updated_ms;
	item->created_ms = entry->created_ms != TIME_NONE ? entry->created_ms : item->updated_ms;
	item->active_ms = hygiene_active_ms(&activity, epoch, store->now_ms);
	store->newest_ms = time_later(store->newest_ms,
				      time_later(entry->created_ms, entry->updated_ms));
	store->newest_ms = time_later(store->newest_ms, activity.accessed_ms);
}

static void find_newest(struct store *store)
{
	store->newest_ms = usage_newest_ms(store->usage);
	for (size_t i = 0; i < store->archive.count; i++)
		store->newest_ms = time_later(store->newest_ms,
					      store->archive.records[i].record.archived_ms);
}

/* A clock that cannot be believed starts the 90 days anew, at most once a day. */
static void distrust_clock(struct store *store)
{
	struct usage_epoch epoch = usage_epoch(store->usage);

	if (epoch.outranks && epoch.since_ms <= store->now_ms &&
	    epoch.since_ms > store->now_ms - MS_PER_DAY)
		return;
	usage_begin_again(store->usage, store->now_ms);
}

/* Recomputes what depends on usage and the clock: times, hits, who is due. */
static void update_activity(struct store *store)
{
	struct usage_epoch epoch = usage_epoch(store->usage);

	find_newest(store);
	for (size_t i = 0; i < store->item_count; i++)
		update_item(store, &store->items[i], &epoch);
	store->clock_trusted = hygiene_clock_trusted(store->newest_ms, store->now_ms);
	for (size_t i = 0; i < store->item_count; i++) {
		struct item *item = &store->items[i];
		bool due = store->clock_trusted && store->settings_valid &&
			   usage_is_known(store->usage) &&
			   hygiene_expired(item->active_ms, item->entry.pinned, &store->settings,
					   store->now_ms);

		if (due != item->due || (store->index && item->due))
			drop_index(store);
		item->due = due;
		if (store->index)
			lookup_touch(store->index, i, item->active_ms);
	}
}

bool view_has_due(const struct store *store)
{
	for (size_t i = 0; i < store->item_count; i++)
		if (store->items[i].due)
			return true;
	return false;
}

void view_load_settings(struct store *store)
{
	const char *dir = store->disk.dirfd >= 0 ? store->disk.path : NULL;

	store->settings_valid = settings_load(&store->settings, store->sys, store->env,
					      store->personal_config, dir,
					      &store->settings_error) == 0;
	if (store->settings_valid)
		return;
	settings_init(&store->settings);
	view_notice(store, "%s; until this is mended nothing is changed or expires",
		    store->settings_error.text);
}

static void notice_broken_files(struct store *store)
{
	for (int f = 0; f <= STORE_FILE_ARCHIVE; f++)
		if (store->files[f].broken)
			view_notice(store, "%s; its entries are left out until it is mended",
				    store->files[f].error.text);
	if (store->archive.left_out)
		view_notice(store, "%s/%s: %zu members are no archive records and are left out",
			    store->disk.path, store_file_name(STORE_FILE_ARCHIVE),
			    store->archive.left_out);
}

/* Usage that cannot be read is usage that was never recorded: reading goes on. */
static void load_usage(struct store *store)
{
	struct err err;

	if (usage_refresh(store->usage, &err) != 0)
		view_notice(store, "%s; lookups are not counted", err.text);
}

/* Reads one file again if it changed, and rebuilds its shelf; true when it did. */
static bool reload(struct store *store, enum store_file file)
{
	if (!load_file(store, file))
		return false;
	if (file == STORE_FILE_ARCHIVE)
		record_shelf_fill(&store->archive, readable(&store->files[file]));
	else
		shelf_fill(&store->shelves[file], (enum category)file,
			   readable(&store->files[file]));
	return true;
}

/* which NULL: all. */
static void load_files(struct store *store, const bool which[STORE_FILE_ARCHIVE + 1])
{
	bool all = usage_epoch(store->usage).since_ms == TIME_NONE;
	bool changed[STORE_FILE_ARCHIVE + 1] = {false};
	bool any = false;

	for (int f = 0; f <= STORE_FILE_ARCHIVE; f++) {
		changed[f] = (!which || which[f]) && reload(store, (enum store_file)f);
		any |= changed[f];
	}
	if (any) {
		drop_index(store);
		gather_items(store);
	}
	for (int c = 0; c < CATEGORY_COUNT; c++)
		if (changed[c] || all)
			note_seen(store, (enum category)c);
	usage_flush_seen(store->usage, store->now_ms);
}

void view_reload(struct store *store, const bool which[STORE_FILE_ARCHIVE + 1])
{
	load_files(store, which);
	update_activity(store);
}

void view_load(struct store *store, int64_t now_ms)
{
	store->now_ms = now_ms;
	view_load_settings(store);
	if (store->disk.dirfd < 0)
		disk_exists(&store->disk); /* one that is not there reads as empty */
	load_usage(store);
	load_files(store, NULL);
	notice_broken_files(store);
	update_activity(store);
	if (!store->clock_trusted) {
		distrust_clock(store);
		update_activity(store);
	}
}

void view_release(struct store *store)
{
	drop_index(store);
	for (int c = 0; c < CATEGORY_COUNT; c++)
		shelf_release(&store->shelves[c]);
	record_shelf_release(&store->archive);
	free(store->items);
	for (int f = 0; f < STORE_FILE_COUNT; f++)
		forget_file(&store->files[f]);
	view_clear_notices(store);
	free(store->notices.items);
}
