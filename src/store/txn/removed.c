#include "store/txn/removed.h"

#include "store/history/history.h"
#include "store/swap/last_text.h"
#include "store/swap/whole_file.h"
#include "store/txn/change_commit.h"
#include "store/txn/change_ops_internal.h"
#include "store/txn/metadata.h"
#include "store/view/notices.h"
#include "store/view/snapshot.h"

/* An editor may remove a file and write it again; it is looked at so often, so long apart. */
#define GONE_LOOKS 3
#define GONE_PAUSE_MS 50

/*
 * A process that never read the file knows of it by what the last change counted, and if that is
 * gone with it, by its last text.
 */
static bool removed_is_counted(struct store *store, enum category category)
{
	struct loaded *file = &store->files[category];
	STR_AUTO text = STR_INIT;
	size_t entries = 0;

	if (file->id.present || file->broken || file->counted_looks == file->loads)
		return false;
	file->counted_looks = file->loads;
	int64_t count = metadata_count_of(&store->disk, category);
	return count > 0 ||
	       (count < 0 &&
		store->find_last(store, (enum store_file)category, slice_make(NULL, 0), 0, &text) &&
		last_text_is_sound((enum store_file)category, str_slice(&text), &entries) &&
		entries > 0);
}

/* True if an absent file may have been removed by somebody who meant its entries. */
static bool removed_may_be_meant(const struct store *store)
{
	return !store->disk.origin.shared && !(history_is_wanted(store) && !history_is_on(store));
}

bool removed_any(struct store *store)
{
	bool any = false;

	for (int c = 0; c < CATEGORY_COUNT; c++)
		any = any || store->files[c].removed ||
		      (store->disk.origin.kind != ORIGIN_FOREIGN && removed_may_be_meant(store) &&
		       removed_is_counted(store, (enum category)c));
	return any;
}

static bool removed_stays_gone(const struct store *store, const char *name)
{
	struct file_id id;
	struct err ignored;

	for (int look = 0; look < GONE_LOOKS; look++) {
		if (look > 0)
			store->sys->sleep_ms(GONE_PAUSE_MS);
		if (file_identify(store->sys, store->disk.dirfd, name, &id, &ignored) != 0 ||
		    id.present)
			return false;
	}
	return true;
}

/* The entries of the file, which is there again, go as any that are deleted. */
static int removed_delete(struct store *store, enum category category, struct err *err)
{
	static const struct change_meta meta = {.tool = "removal"};
	struct change *change = change_new(store, &meta, store->now_ms);
	int result = 0;

	for (size_t i = store->first[category]; result == 0 && i < store->first[category + 1]; i++)
		result = change_archive(change, &store->items[i], REASON_DELETED, err);
	if (result == 0)
		result = change_commit(change, NULL, err);
	change_free(change);
	return result;
}

/*
 * The text comes back first, so that the change is one like any other: whoever is killed in between
 * leaves the entries, and the person removes them once more.
 */
static int removed_take(struct store *store, enum category category, struct slice text,
			struct err *err)
{
	const struct whole_file whole = {.file_name = store_file_name((enum store_file)category),
					 .before = {"", 0},
					 .after = text};
	bool which[STORE_FILE_ARCHIVE + 1] = {false};

	if (whole_file_replace(&store->disk, &whole, err) != 0)
		return -1;
	which[category] = true;
	snapshot_reload(store, which);
	return removed_delete(store, category, err);
}

static void removed_look(struct store *store, enum category category)
{
	struct loaded *file = &store->files[category];
	const char *name = store_file_name((enum store_file)category);
	STR_AUTO text = STR_INIT;
	size_t count = 0;
	struct err err;

	if (file->id.present || file->absent_looks == file->loads)
		return;
	file->absent_looks = file->loads;
	file->removed = false;
	/* Where the store knows of no text, it was removed as a whole. */
	if (!store->find_last(store, (enum store_file)category, slice_make(NULL, 0), 0, &text) ||
	    /* What this process has read last may have an edit by hand that nobody has recorded. */
	    (file->gone.len > 0 &&
	     !store->find_last(store, (enum store_file)category, str_slice(&file->gone),
			       file->gone_ms, &text)) ||
	    !last_text_is_sound((enum store_file)category, str_slice(&text), &count) ||
	    count == 0 || !removed_stays_gone(store, name))
		return;
	if (removed_take(store, category, str_slice(&text), &err) == 0) {
		notices_add(store,
			    "%s/%s was removed: its %zu %s in the archive now; kota undo or kota "
			    "restore brings %s back",
			    store->disk.path, name, count, count == 1 ? "entry is" : "entries are",
			    count == 1 ? "it" : "them");
		notices_keep(store);
	} else {
		notices_add(store, "%s/%s was removed, and its entries cannot be archived: %s",
			    store->disk.path, name, err.text);
	}
}

void removed_archive(struct store *store)
{
	if (!removed_may_be_meant(store))
		return;
	for (int c = 0; c < CATEGORY_COUNT; c++)
		removed_look(store, (enum category)c);
}
