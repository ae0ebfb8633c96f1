#include "store/txn/change_internal.h"

#include "base/map.h"
#include "base/mem.h"
#include "model/entry.h"
#include "store/txn/expire.h"
#include "store/history/history.h"
#include "store/log/kept_refs.h"
#include "store/txn/archive_ops.h"
#include "store/txn/summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

/* So seldom that it costs a change nothing, so often that a server does not grow. */
#define CHANGES_BETWEEN_TRIMS 32

/* What makes a change known by the same name in the journal, in .pending and in the history. */
static const char *new_id(struct change *change)
{
	STR_AUTO text = STR_INIT;
	uint32_t chance = 0;

	/* Without it the time and the process are nearly always enough. */
	(void)!getrandom(&chance, sizeof chance, GRND_NONBLOCK);
	str_printf(&text, "%llx-%lx-%lx", (unsigned long long)change->now_ms,
		   (unsigned long)getpid(), (unsigned long)chance);
	return arena_copy(&change->arena, str_slice(&text)).ptr;
}

struct change *change_new(struct store *store, const struct change_meta *meta, int64_t now_ms)
{
	struct change *change = mem_zalloc(1, sizeof *change);

	change->store = store;
	change->meta = *meta;
	change->now_ms = now_ms;
	change->meta.id = new_id(change);
	return change;
}

void change_free(struct change *change)
{
	free(change->ops);
	free(change->evicted);
	free(change->links);
	map_release(&change->touched);
	map_release(&change->record_keys);
	map_release(&change->sheltered);
	map_release(&change->others);
	map_release(&change->taken_back);
	arena_release(&change->arena);
	free(change);
}

void change_add_op(struct change *change, const struct op *op)
{
	change->ops = mem_grow(change->ops, &change->op_cap, change->op_count + 1,
			       sizeof *change->ops);
	change->ops[change->op_count++] = *op;
}

void change_report_evicted(struct change *change, const struct item *item)
{
	change->evicted = mem_grow(change->evicted, &change->evicted_cap, change->evicted_count + 1,
				   sizeof *change->evicted);
	change->evicted[change->evicted_count++] = arena_copy(&change->arena, item->ref);
}

/* Everything up to the point from which the store is ours and as the disk has it. */
static int take_store(struct store *store, int64_t now_ms, struct err *err)
{
	if (disk_lock(&store->disk, DISK_LOCK_WAIT_MS, err) != 0)
		return -1;
	store->now_ms = now_ms;
	view_clear_notices(store);
	view_load_settings(store);
	history_open(store);
	if (apply_recover(&store->disk, now_ms, err) != 0) {
		disk_unlock(&store->disk);
		return -1;
	}
	view_take_remarks(store);
	/* What a stat does not tell of is met when the file itself is built anew: see op.before. */
	view_load(store, now_ms);
	if (!store->settings_valid) {
		*err = store->settings_error;
		disk_unlock(&store->disk);
		return -1;
	}
	return 0;
}

int change_begin(struct change **out, struct store *store, const struct change_meta *meta,
		 int64_t now_ms, struct err *err)
{
	if (take_store(store, now_ms, err) != 0)
		return -1;
	if (view_has_due(store))
		expire_due(store);
	*out = change_new(store, meta, now_ms);
	(*out)->locked = true;
	return 0;
}

int change_rehearse(struct change **out, struct store *store, int64_t now_ms, struct err *err)
{
	static const struct change_meta nobody = {0};

	if (store_refresh(store, now_ms, err) != 0)
		return -1;
	if (!store->settings_valid) {
		*err = store->settings_error;
		return -1;
	}
	*out = change_new(store, &nobody, now_ms);
	(*out)->rehearsal = true;
	return 0;
}

bool change_is_rehearsal(const struct change *change)
{
	return change->rehearsal;
}

struct store *change_store(const struct change *change)
{
	return change->store;
}

int64_t change_now_ms(const struct change *change)
{
	return change->now_ms;
}

static int check_file(const struct change *change, enum store_file number, struct err *err)
{
	const struct loaded *file = &change->store->files[number];

	if (!file->broken)
		return 0;
	*err = file->error;
	return -1;
}

int change_check_category(const struct change *change, enum category category, struct err *err)
{
	return check_file(change, (enum store_file)category, err);
}

int change_check_archive(const struct change *change, struct err *err)
{
	return check_file(change, STORE_FILE_ARCHIVE, err);
}

/* The item of exactly this spelling, whether due or not: what the file holds. */
static const struct item *item_spelt(const struct store *store, enum category category,
				     struct slice key)
{
	size_t position;

	if (!shelf_find_spelt(&store->shelves[category], key, &position))
		return NULL;
	return &store->items[store->first[category] + position];
}

static void touch(struct change *change, enum category category, struct slice key)
{
	struct str ref = STR_INIT;

	ref_add(&ref, category, key);
	map_put(&change->touched, arena_copy(&change->arena, str_slice(&ref)), 0);
	str_release(&ref);
}

/* What a text says of its value, in one layout. */
static void value_of(struct slice entry_text, struct str *out)
{
	struct json_fault fault;
	struct json_writer w;
	struct json doc;
	uint32_t value;

	str_clear(out);
	if (json_parse(&doc, entry_text, &json_file_bounds, &fault) != 0)
		return;
	value = json_member(&doc, JSON_ROOT, "value");
	json_writer_init(&w, out, &json_compact);
	json_write_value(&w, &doc, value == JSON_NONE ? JSON_ROOT : value);
	json_release(&doc);
}

/* Does an entry that others changed keep its value, so that it is none of ours yet? */
static bool stays_of_others(struct store *store, const struct item *old, struct slice entry_text)
{
	STR_AUTO before = STR_INIT;
	STR_AUTO after = STR_INIT;

	if (!old || !store_is_of_others(store, &old->entry))
		return false;
	value_of(old->entry.text, &before);
	value_of(entry_text, &after);
	return slice_equal(str_slice(&before), str_slice(&after));
}

int change_put(struct change *change, enum category category, struct slice key,
	       struct slice entry_text, struct err *err)
{
	const struct item *old = item_spelt(change->store, category, key);
	size_t old_size = old ? entry_size(old->entry.text) : change->removed_size;
	struct op op = {.kind = OP_PUT, .category = category};

	if (change_check_category(change, category, err) != 0 ||
	    admit_entry(key, entry_text, old_size, &change->store->settings, err) != 0)
		return -1;
	op.key = arena_copy(&change->arena, key);
	op.text = arena_copy(&change->arena, entry_text);
	op.before = old ? hash64(old->entry.text) : 0;
	if (old)
		shelter_overwritten(change, old, entry_text);
	change_add_op(change, &op);
	change->added[category] += old ? 0 : 1;
	touch(change, category, key);
	if (stays_of_others(change->store, old, entry_text))
		map_put(&change->others, arena_copy(&change->arena, old->ref), 0);
	return 0;
}

int change_remove(struct change *change, const struct item *item, struct err *err)
{
	struct op op = {
		.kind = OP_REMOVE,
		.category = item->entry.category,
		.key = item->entry.key,
		.before = hash64(item->entry.text),
	};

	if (change_check_category(change, item->entry.category, err) != 0)
		return -1;
	change_add_op(change, &op);
	change->removed[item->entry.category]++;
	if (entry_size(item->entry.text) > change->removed_size)
		change->removed_size = entry_size(item->entry.text);
	touch(change, item->entry.category, item->entry.key);
	return 0;
}

int change_move_out(struct change *change, const struct item *item, enum reason reason, bool cold,
		    struct err *err)
{
	if (change_check_category(change, item->entry.category, err) != 0 ||
	    (!cold && change_check_archive(change, err) != 0))
		return -1;
	shelter_item(change, item, reason, cold ? SHELTER_COLD : SHELTER_ARCHIVE);
	return change_remove(change, item, err);
}

int change_archive(struct change *change, const struct item *item, enum reason reason,
		   struct err *err)
{
	return change_move_out(change, item, reason, false, err);
}

int change_archive_copy(struct change *change, const struct item *item, enum reason reason,
			struct err *err)
{
	if (change_check_archive(change, err) != 0)
		return -1;
	change->archived = shelter_item(change, item, reason, SHELTER_ARCHIVE);
	return 0;
}

int change_check_pin(struct change *change, enum category category, const struct item *replaced,
		     struct slice entry_text, struct err *err)
{
	const struct store *store = change->store;
	int64_t most = hygiene_pin_limit(store->settings.entries_per_category);
	int64_t most_bytes = hygiene_pin_limit(store->settings.total_bytes);
	int64_t bytes = (int64_t)entry_text.len;
	int64_t count = 1;

	for (size_t i = 0; i < store->item_count; i++) {
		const struct item *item = &store->items[i];

		if (!item->entry.pinned || item == replaced)
			continue;
		bytes += (int64_t)item->entry.text.len;
		count += item->entry.category == category;
	}
	if (count > most)
		return err_set(err, ERR_STORE_FULL,
			       "pinned: %" PRId64 " entries of %s would be pinned; at most %" PRId64
			       ", half of limits.entries_per_category, may be: unpin one first",
			       count, category_name(category), most);
	if (bytes > most_bytes)
		return err_set(err, ERR_STORE_FULL,
			       "pinned: %" PRId64 " bytes would be pinned; at most %" PRId64
			       ", half of limits.total_bytes, may be: unpin something first",
			       bytes, most_bytes);
	return 0;
}

/* What was put back with its old times must not expire for that. */
static void revive(struct change *change)
{
	static const bool none[STORE_FILE_ARCHIVE + 1] = {false};
	struct store *store = change->store;

	for (size_t i = 0; i < change->op_count; i++) {
		const struct op *op = &change->ops[i];
		const struct item *item = op->kind == OP_PUT
						  ? item_spelt(store, op->category, op->key)
						  : NULL;

		if (item)
			usage_note_seen(store->usage, item->ref, hash64(item->entry.text),
					change->now_ms);
	}
	usage_flush_seen(store->usage, change->now_ms);
	view_reload(store, none);
}

/* Texts and parses of many sizes come and go with a change, and leave holes. */
static void tidy_memory(struct store *store)
{
	if (++store->changes % CHANGES_BETWEEN_TRIMS == 0)
		mem_trim();
}

/* What follows the commit point: nothing here can undo the change or make it fail. */
static void finish_commit(struct change *change)
{
	struct store *store = change->store;
	struct kept_refs kept = {.store = store};
	bool touched[STORE_FILE_ARCHIVE + 1] = {false};
	struct err ignored;

	for (size_t i = 0; i < change->op_count; i++) {
		const struct op *op = &change->ops[i];

		if (op->kind == OP_PUT || op->kind == OP_REMOVE)
			touched[op->category] = true;
		else if (op->kind == OP_RECORD_ADD || op->kind == OP_RECORD_REMOVE)
			touched[STORE_FILE_ARCHIVE] = true;
	}
	view_reload(store, touched);
	if (change->revives)
		revive(change);
	summary_write(store, true);
	usage_compact(store->usage, kept_refs_has, &kept, &ignored);
	kept_refs_release(&kept);
	tidy_memory(store);
}

/* Makes what fits durable. */
static int carry_out(struct change *change, struct err *err)
{
	struct store *store = change->store;
	int result;

	store->disk.layouts = change->layouts;
	store->disk.others = &change->others;
	result = apply_ops(&store->disk, change->ops, change->op_count, &change->meta,
			   change->now_ms, err);
	store->disk.layouts = NULL;
	store->disk.others = NULL;
	view_take_remarks(store);
	if (result != 0)
		return -1;
	finish_commit(change);
	/* Before the reply is written, which says what was in the way. */
	if (change->locked)
		history_record(store);
	change->recorded = true;
	return 0;
}

int change_commit(struct change *change, struct change_result *result, struct err *err)
{
	if (change->op_count > 0 && fit_limits(change, err) != 0)
		return -1;
	if (change->op_count > 0 && !change->rehearsal && carry_out(change, err) != 0)
		return -1;
	if (result) {
		result->evicted = change->evicted;
		result->evicted_count = change->evicted_count;
		result->archived = change->archived;
	}
	return 0;
}

void change_refresh(struct change *change)
{
	bool all[STORE_FILE_ARCHIVE + 1];

	for (size_t f = 0; f < sizeof all / sizeof *all; f++)
		all[f] = true;
	view_reload(change->store, all);
	summary_write(change->store, true);
}

void change_end(struct change *change)
{
	if (!change)
		return;
	if (change->locked) {
		if (!change->recorded)
			history_record(change->store);
		disk_unlock(&change->store->disk);
	}
	change_free(change);
}
