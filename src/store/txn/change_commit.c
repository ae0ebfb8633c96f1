#include "store/txn/change_commit.h"

#include "base/map.h"
#include "base/mem.h"
#include "store/history/history.h"
#include "store/log/cold.h"
#include "store/swap/last_text.h"
#include "store/txn/change_ops_internal.h"
#include "store/txn/enforce_limits.h"
#include "store/txn/group.h"
#include "store/txn/metadata.h"
#include "store/view/loader.h"
#include "store/view/notices.h"
#include "store/view/query.h"
#include "store/view/snapshot.h"

/* So seldom that it costs a change nothing, so often that a server does not grow. */
#define CHANGES_BETWEEN_TRIMS 32

/* The refs of which usage is kept when usage.jsonl is compacted. */
struct kept_refs {
	struct store *store;
	bool cold_known; /* the cold archive is read when a ref is found nowhere else */
	bool all;        /* it cannot be read */
	struct map cold;
	struct arena arena;
};

static int commit_take_cold(void *context, const struct json *doc)
{
	struct kept_refs *kept = context;
	STR_AUTO ref = STR_INIT;
	struct record record;

	if (!record_read_line(&record, doc, JSON_ROOT, &kept->arena))
		return 0;
	ref_add(&ref, record.category, record.original_key);
	map_put(&kept->cold, arena_copy(&kept->arena, str_slice(&ref)), 0);
	return 0;
}

/* True if usage is kept of this entry: only if it is active or can be brought back. */
static bool commit_keeps_usage(void *context, struct slice ref)
{
	struct kept_refs *kept = context;
	const struct store *store = kept->store;
	struct ref parts = ref_parse(ref);
	struct err ignored;

	if (parts.category == CATEGORY_ANY)
		return false;
	if (shelf_find_spelt(&store->shelves[parts.category], parts.key, NULL))
		return true;
	for (size_t i = 0; i < store->archive.count; i++) {
		const struct record *record = &store->archive.records[i].record;

		if ((int)record->category == parts.category &&
		    slice_equal(record->original_key, parts.key))
			return true;
	}
	if (!kept->cold_known) {
		kept->all = cold_walk(&kept->store->disk, commit_take_cold, kept, NULL, NULL,
				      &ignored) != 0;
		kept->cold_known = true;
	}
	return kept->all || map_get(&kept->cold, ref, NULL);
}

/* What was put back with its old times must not expire for that. */
static void commit_revive(struct change *change)
{
	static const bool none[STORE_FILE_ARCHIVE + 1] = {false};
	struct store *store = change->store;

	for (size_t i = 0; i < change->op_count; i++) {
		const struct op *op = &change->ops[i];
		const struct item *item = op->kind == OP_PUT
						  ? store_find_spelt(store, op->category, op->key)
						  : NULL;

		if (item)
			usage_note_seen(store->usage, item->ref, hash64(item->entry.text),
					change->now_ms);
	}
	usage_flush_seen(store->usage, change->now_ms);
	snapshot_reload(store, none);
}

/*
 * Where no history has the texts, a copy of each stands beside its file: what a person empties or
 * breaks by accident is there then. Also of those that a person has edited since.
 */
static void commit_keep_texts(struct store *store)
{
	/* The other files were loaded with the snapshot. */
	loader_read(store, STORE_FILE_RELATIONS);
	for (int f = 0; f < STORE_FILE_COUNT; f++) {
		const struct loaded *file = &store->files[f];

		if (loader_document(file) && !file->broken && file->id.present)
			last_text_keep(&store->disk, (enum store_file)f, &file->id,
				       str_slice(file->raw.len ? &file->raw : &file->text));
	}
}

/* What follows the commit point: nothing here can undo the change or make it fail. */
static void commit_finish(struct store *store, unsigned changes)
{
	struct kept_refs kept = {.store = store};
	unsigned before = store->changes;
	struct err ignored;

	metadata_update(store, true);
	usage_compact(store->usage, commit_keeps_usage, &kept, &ignored);
	map_release(&kept.cold);
	arena_release(&kept.arena);
	store->changes += changes;
	/* Texts and parses of many sizes come and go with a change, and leave holes. */
	if (before / CHANGES_BETWEEN_TRIMS != store->changes / CHANGES_BETWEEN_TRIMS)
		mem_trim();
}

/* The view has what the change made. */
static void commit_reload(struct change *change)
{
	struct store *store = change->store;
	bool touched[STORE_FILE_ARCHIVE + 1] = {false};

	for (size_t i = 0; i < change->op_count; i++) {
		const struct op *op = &change->ops[i];

		if (op->kind == OP_PUT || op->kind == OP_REMOVE)
			touched[op->category] = true;
		else if (op->kind == OP_RECORD_ADD || op->kind == OP_RECORD_REMOVE)
			touched[STORE_FILE_ARCHIVE] = true;
	}
	snapshot_reload(store, touched);
	if (change->revives)
		commit_revive(change);
}

/* Is what the change overwrites in the history, and will the change be? */
static bool commit_is_kept(const struct change *change)
{
	struct store *store = change->store;
	bool caught_up = false;

	if (!history_works(store))
		return false;
	for (size_t i = 0; i < change->overwritten_count; i++) {
		const struct item *item = change->overwritten[i].item;
		const struct entry *entry = item ? &item->entry : NULL;

		/* A value set by a change of this group will be recorded with it. */
		if (!entry || group_puts(store, entry->category, entry->key))
			continue;
		while (!history_has(store, entry->category, entry->key, entry->text)) {
			/* A person has edited the file: that is recorded first. */
			if (caught_up || !history_catch_up(store))
				return false;
			caught_up = true;
		}
	}
	return true;
}

static void commit_add_part(struct change *change, const struct kept_part *part)
{
	struct op op = {.kind = OP_KEEP, .category = part->category, .at_ms = part->at_ms};
	STR_AUTO line = STR_INIT;

	kept_part_compose(&line, part);
	op.key = part->name;
	op.text = arena_copy(&change->arena, str_slice(&line));
	change_add_op(change, &op);
}

/*
 * Adds copies of what is overwritten to the operations. Where the history has it they are spare:
 * returns from which one on they are not to be carried out, unless the change is not recorded.
 */
static size_t commit_add_copies(struct change *change)
{
	size_t count = change->op_count;

	links_keep(change);
	bool kept = change->overwritten_count + change->part_count == 0 || commit_is_kept(change);

	for (size_t i = 0; i < change->overwritten_count; i++) {
		const struct item *item = change->overwritten[i].item;

		if (!item || !map_get(&change->sheltered, item->ref, NULL))
			change_add_copy(change, &change->overwritten[i]);
	}
	for (size_t i = 0; i < change->part_count; i++)
		commit_add_part(change, &change->parts[i]);
	return kept ? count : change->op_count;
}

/*
 * Changes are made and not recorded: what they have overwritten is in the history, but undo goes by
 * the cold archive until the history has the changes.
 */
static void commit_keep_spare(struct store *store, struct slice lines)
{
	struct err err;

	if (lines.len > 0 && cold_append(&store->disk, store->now_ms, lines, &err) != 0)
		notices_add(store, "the change cannot be undone for now: %s", err.text);
}

/* Records what is made; false where that does not work: the lines keep what is overwritten. */
static bool commit_record(struct store *store, struct slice spare)
{
	bool recorded = history_record(store);

	if (!recorded || !history_is_on(store))
		commit_keep_texts(store);
	if (!recorded)
		commit_keep_spare(store, spare);
	group_recorded(store, recorded);
	return recorded;
}

int commit_settle(struct store *store, struct settled *settled, struct err *err)
{
	bool touched[STORE_FILE_ARCHIVE + 1] = {false};
	size_t count = group_waits(store);
	STR_AUTO spare = STR_INIT;

	*settled = (struct settled){.recorded = true};
	if (count == 0)
		return 0;
	int result = group_apply(store, touched, err);
	notices_take_remarks(store);
	for (int f = 0; f <= STORE_FILE_ARCHIVE; f++)
		settled->read_again = settled->read_again || touched[f];
	if (settled->read_again)
		snapshot_reload(store, touched);
	if (result == 0) {
		commit_finish(store, (unsigned)count);
		group_add_spare(store, &spare);
	}
	settled->recorded = commit_record(store, str_slice(&spare));
	group_clear(store);
	return result;
}

/*
 * What waits comes first. The change was made of the view: where that had to be read again, of a
 * file that somebody edited meanwhile, its operations name texts that are gone.
 */
static int commit_settle_before(struct change *change, size_t *count, struct err *err)
{
	struct settled settled;

	if (commit_settle(change->store, &settled, err) != 0)
		return -1;
	if (!settled.recorded)
		*count = change->op_count;
	return settled.read_again
		       ? err_set(err, ERR_BUSY, "another program is changing the store; try again")
		       : 0;
}

/* Makes what fits durable: past apply_ops() the change is made, whatever fails. */
static int commit_apply(struct change *change, struct err *err)
{
	struct store *store = change->store;
	size_t count = commit_add_copies(change);
	STR_AUTO spare = STR_INIT;

	if (group_take(change, count))
		return 0;
	if (commit_settle_before(change, &count, err) != 0)
		return -1;
	store->disk.layouts = change->layouts;
	store->disk.others = &change->others;
	int result = apply_ops(&store->disk, change->ops, count, &change->meta, change->now_ms,
			       err);
	store->disk.layouts = NULL;
	store->disk.others = NULL;
	notices_take_remarks(store);
	if (result != 0)
		return -1;
	for (size_t i = count; i < change->op_count; i++) {
		str_add(&spare, change->ops[i].text);
		str_addc(&spare, '\n');
	}
	commit_reload(change);
	commit_finish(store, 1);
	/* Before the reply is written, which says what was in the way. */
	if (change->locked)
		commit_record(store, str_slice(&spare));
	else if (!history_is_on(store))
		commit_keep_texts(store);
	change->recorded = true;
	return 0;
}

/* The operations fit the limits: makes them durable. */
static int commit_fitting(struct change *change, struct change_result *result, struct err *err)
{
	if (change->op_count > 0 && !change->rehearsal && commit_apply(change, err) != 0)
		return -1;
	if (result) {
		result->evicted = change->evicted;
		result->evicted_count = change->evicted_count;
		result->archived = change->archived;
	}
	return 0;
}

int change_commit(struct change *change, struct change_result *result, struct err *err)
{
	if (change->op_count > 0 && fit_limits(change, err) != 0)
		return -1;
	return commit_fitting(change, result, err);
}

int change_fit_arrived(struct change *change, const struct held *held, struct change_result *result,
		       struct err *err)
{
	return fit_arrived(change, held, err) != 0 ? -1 : commit_fitting(change, result, err);
}
