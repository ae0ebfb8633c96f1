#include "store/view/snapshot.h"

#include "base/map.h"
#include "base/mem.h"
#include "store/files/dir_lock.h"
#include "store/files/resolve.h"
#include "store/files/settings_files.h"
#include "store/view/activity.h"
#include "store/view/cold_index.h"
#include "store/view/entry_lookup.h"
#include "store/view/loader.h"
#include "store/view/notices.h"
#include "store/view/read_through.h"
#include "store/view/relations.h"
#include "store/view/search_all_internal.h"
#include "store/view/synonyms_file.h"

#include <fcntl.h>
#include <stdlib.h>

/* How often files that keep changing are read again. */
#define WHOLE_TRIES 3

static void snapshot_move_items(struct store *store, size_t to, size_t from, size_t count)
{
	if (count && to != from)
		memmove(store->items + to, store->items + from, count * sizeof *store->items);
}

/*
 * Lines up the items of all shelves. Those of a file that was not read again keep what is known of
 * their use. First goes what moves down, from the front, then what moves up, from the back, so that
 * nothing is overwritten that has yet to move.
 */
static void snapshot_gather_items(struct store *store, const bool changed[STORE_FILE_ARCHIVE + 1])
{
	size_t first[CATEGORY_COUNT + 1] = {0}; /* where each category begins; last: the number */

	for (int c = 0; c < CATEGORY_COUNT; c++)
		first[c + 1] = first[c] + store->shelves[c].count;
	store->items = mem_grow(store->items, &store->item_cap, first[CATEGORY_COUNT],
				sizeof *store->items);
	for (int c = 0; c < CATEGORY_COUNT; c++)
		if (!changed[c] && first[c] < store->first[c])
			snapshot_move_items(store, first[c], store->first[c],
					    store->shelves[c].count);
	for (int c = CATEGORY_COUNT - 1; c >= 0; c--)
		if (!changed[c] && first[c] > store->first[c])
			snapshot_move_items(store, first[c], store->first[c],
					    store->shelves[c].count);
	for (int c = 0; c < CATEGORY_COUNT; c++)
		if (changed[c] && store->shelves[c].count)
			memcpy(store->items + first[c], store->shelves[c].items,
			       store->shelves[c].count * sizeof *store->items);
	memcpy(store->first, first, sizeof first);
	store->item_count = first[CATEGORY_COUNT];
}

/*
 * Remembers each entry's text, so that a change by hand is noticed as activity, and the moment at
 * which an entry without times was first seen.
 */
static void snapshot_note_seen(struct store *store, enum category category)
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

/* A clock that cannot be believed starts the 90 days anew, at most once a day. */
static void snapshot_distrust_clock(struct store *store)
{
	struct usage_epoch epoch = usage_epoch(store->usage);

	if (epoch.outranks && epoch.since_ms <= store->now_ms &&
	    epoch.since_ms > store->now_ms - MS_PER_DAY)
		return;
	usage_begin_again(store->usage, store->now_ms);
}

bool snapshot_has_due(const struct store *store)
{
	for (int c = 0; c < CATEGORY_COUNT; c++)
		if (store->activity.due[c])
			return true;
	return false;
}

/* The files of the settings as they are now; false when that cannot be said. */
static bool snapshot_identify_settings(struct store *store, struct file_id *own,
				       struct file_id *personal)
{
	struct err ignored;

	*own = (struct file_id){.present = false};
	*personal = *own;
	if (store->disk.dirfd >= 0 &&
	    stat_cache_at(&store->config, &store->disk, CONFIG_NAME, own, &ignored) != 0)
		return false;
	return !store->personal_config ||
	       file_identify(store->sys, AT_FDCWD, store->personal_config, personal, &ignored) == 0;
}

/*
 * True if the settings are those of their files. What the environment says of them stays as it is.
 */
static bool snapshot_settings_are_current(struct store *store)
{
	struct file_id own;
	struct file_id personal;
	bool kept = store->settings_kept;

	/* Under a lock the settings stay as they were when it was taken. */
	if (store->disk.lock_fd >= 0 && kept && store->settings_round == store->disk.look_rounds)
		return true;
	bool known = snapshot_identify_settings(store, &own, &personal);
	store->settings_round = store->disk.look_rounds;

	if (known && kept && store->settings_origins == store->disk.origins &&
	    file_id_equal(&own, &store->config_id) && file_id_equal(&personal, &store->personal_id))
		return true;
	store->settings_kept = known && disk_is_settled(&store->disk, &own) &&
			       disk_is_settled(&store->disk, &personal);
	store->settings_origins = store->disk.origins;
	store->config_id = own;
	store->personal_id = personal;
	return false;
}

void snapshot_load_settings(struct store *store)
{
	if (snapshot_settings_are_current(store))
		return;
	store->settings_valid = settings_load(&store->settings, store->sys, store->env,
					      store->personal_config, &store->disk,
					      &store->settings_error) == 0;
	store->disk.notes_dir = store->settings.notes_dir;
	store->disk.notes_dir_free = store->settings_valid && store->settings.notes_dir_free;
	if (store->settings_valid)
		return;
	store->settings_kept = false;
	settings_init(&store->settings);
	notices_add(store, "%s; until this is fixed nothing is changed or expires",
		    store->settings_error.text);
}

static void snapshot_notice_broken_files(struct store *store)
{
	for (int f = 0; f <= STORE_FILE_ARCHIVE; f++)
		if (store->files[f].broken)
			notices_broken_file(store, &store->files[f]);
	if (store->archive.left_out)
		notices_add(store, "%s/%s: %zu members are not archive records and are left out",
			    store->disk.path, store_file_name(STORE_FILE_ARCHIVE),
			    store->archive.left_out);
}

/* Reads one file again if it changed, and rebuilds its shelf; true when it did. */
static bool snapshot_reload_file(struct store *store, enum store_file file)
{
	if (!loader_read(store, file))
		return false;
	if (file == STORE_FILE_ARCHIVE)
		record_shelf_fill(&store->archive, loader_document(&store->files[file]));
	else
		shelf_fill(&store->shelves[file], (enum category)file,
			   loader_document(&store->files[file]));
	return true;
}

/* What was made of the file is of its text before. */
static void snapshot_mark_stale(struct store *store, int file)
{
	store->activity.stale[file] = true;
	entry_lookup_stale(store->lookup, file);
	search_all_stale(store->search, file);
}

/* Reads those that changed; which NULL: all. True when any did. */
static bool snapshot_load_files(struct store *store, const bool which[STORE_FILE_ARCHIVE + 1])
{
	bool all = usage_epoch(store->usage).since_ms == TIME_NONE;
	bool changed[STORE_FILE_ARCHIVE + 1] = {false};
	bool any = false;

	for (int f = 0; f <= STORE_FILE_ARCHIVE; f++) {
		progress_step(store->disk.progress, "reading", (size_t)f, STORE_FILE_ARCHIVE + 1);
		changed[f] = (!which || which[f]) &&
			     snapshot_reload_file(store, (enum store_file)f);
		any |= changed[f];
		if (changed[f])
			snapshot_mark_stale(store, f);
	}
	if (any)
		snapshot_gather_items(store, changed);
	if (store->links && !which)
		any |= loader_read(store, STORE_FILE_RELATIONS);
	for (int c = 0; c < CATEGORY_COUNT; c++)
		if (changed[c] || all)
			snapshot_note_seen(store, (enum category)c);
	usage_flush_seen(store->usage, store->now_ms);
	return any;
}

/*
 * Reads the files until none has changed between the first look and the last: then they stood like
 * this together at the instant at which the journal was looked at. Most times a look at the folder
 * says so. False when writers were faster each time.
 */
static bool snapshot_load_whole(struct store *store)
{
	read_through_look(store);
	snapshot_load_files(store, NULL);
	for (int tries = 0; tries < WHOLE_TRIES; tries++) {
		if (store->disk.lock_fd >= 0 || disk_names_stand(&store->disk))
			return true;
		bool changed = read_through_look(store);
		changed |= snapshot_load_files(store, NULL);
		if (!changed)
			return true;
	}
	return false;
}

void snapshot_reload(struct store *store, const bool which[STORE_FILE_ARCHIVE + 1])
{
	store->all_known = false;
	snapshot_load_files(store, which);
	activity_update(store);
}

void snapshot_foresee(struct store *store, enum category category, struct str *text,
		      struct json *doc)
{
	bool changed[STORE_FILE_ARCHIVE + 1] = {false};

	changed[category] = true;
	loader_foresee(store, (enum store_file)category, text, doc);
	shelf_fill(&store->shelves[category], category, loader_document(&store->files[category]));
	snapshot_mark_stale(store, (int)category);
	snapshot_gather_items(store, changed);
	snapshot_note_seen(store, category);
	usage_flush_seen(store->usage, store->now_ms);
	store->all_known = false;
	activity_update(store);
}

bool snapshot_load(struct store *store, int64_t now_ms)
{
	struct err unread;

	store->now_ms = now_ms;
	store->all_known = false;
	store->reviewed_current = false;
	arena_release(&store->answer_arena);
	snapshot_load_settings(store);
	if (store->disk.dirfd < 0)
		disk_exists(&store->disk); /* one that is not there reads as empty */
	/* Usage that cannot be read is usage that was never recorded: reading goes on. */
	if (usage_refresh(store->usage, &unread) != 0)
		notices_add(store, "%s; lookups are not counted", unread.text);
	shared_use_refresh(&store->shared_use, &store->disk);
	bool whole = snapshot_load_whole(store);
	snapshot_notice_broken_files(store);
	activity_update(store);
	if (!store->clock_trusted) {
		snapshot_distrust_clock(store);
		activity_update(store);
	}
	return whole;
}

void snapshot_release(struct store *store)
{
	entry_lookup_free(store->lookup);
	read_through_release(store);
	arena_release(&store->answer_arena);
	search_all_free(store->search);
	cold_index_release(store);
	synonyms_file_free(store->synonyms, store->sys);
	links_free(store->links);
	shared_use_release(&store->shared_use, store->sys);
	for (int c = 0; c < CATEGORY_COUNT; c++)
		shelf_release(&store->shelves[c]);
	record_shelf_release(&store->archive);
	free(store->items);
	for (int f = 0; f < STORE_FILE_COUNT; f++) {
		loader_forget(&store->files[f]);
		stat_cache_release(&store->files[f].cache, store->sys);
	}
	store->notices.kept = 0;
	notices_clear(store);
	free(store->notices.items);
}
