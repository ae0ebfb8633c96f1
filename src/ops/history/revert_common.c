#include "ops/history/revert_common.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "ops/secret_check.h"
#include "store/files/dir_lock.h"
#include "store/txn/undo.h"

#include <stdlib.h>

/* Digits of a change's name in a reply. */
#define ID_DIGITS 12

int revert_begin(struct revert *put, const struct tool *tool, const struct call *call, bool force,
		 bool allow_secret, struct err *err)
{
	struct call own = *call;
	struct change *change;

	if (!disk_exists(store_disk(call->store)))
		return err_set(err, ERR_NOT_FOUND,
			       "there is nothing to revert: nothing has been stored yet");
	/* One operation to the history, by whatever name it was called. */
	own.tool = "memory_revert";
	if (common_change_begin(&change, &own, err) != 0)
		return -1;
	*put = (struct revert){
		.tool = tool,
		.call = call,
		.change = change,
		.force = force,
		.allow_secret = allow_secret,
	};
	put->recorded = undo_begin(change);
	return 0;
}

static void revert_refs_release(struct revert_refs *refs)
{
	free(refs->items);
	map_release(&refs->known);
}

void revert_end(struct revert *put)
{
	change_end(put->change);
	revert_refs_release(&put->restored);
	revert_refs_release(&put->removed);
	revert_refs_release(&put->relations);
	revert_refs_release(&put->unlinked);
	revert_refs_release(&put->left);
	map_release(&put->records_by_ref);
	map_release(&put->records_by_was);
	free(put->next_record);
	free(put->parts);
	map_release(&put->part_lines);
}

void revert_add(struct revert_refs *refs, struct slice ref)
{
	*MEM_ADD(refs->items, refs->count, refs->cap) = ref;
	map_put(&refs->known, ref, 0);
}

struct slice revert_ref_of(const struct revert *put, const struct revert_name *name)
{
	return common_ref(put->call->arena, name->category, name->key);
}

const struct item *revert_find(const struct revert *put, const struct revert_name *name)
{
	return store_find_spelt(put->call->store, name->category, name->key);
}

static int revert_put_entry(struct revert *put, const struct revert_name *name,
			    const struct item *now, struct slice text, struct err *err)
{
	ARENA_AUTO arena = ARENA_INIT;
	STR_AUTO scratch = STR_INIT;
	struct entry entry;
	JSON_AUTO doc = {0};

	/* The earlier text may hold a secret that would not be accepted today. */
	if (!put->allow_secret &&
	    screen_restored(put->tool, put->call, shown(&scratch, revert_ref_of(put, name)),
			    name->key, now ? now->entry.text : slice_of(NULL), text, err) != 0)
		return -1;
	common_parse(&doc, text);
	entry_read(&entry, name->category, &doc, JSON_ROOT, &arena);
	return common_put(put->change, name->category, name->key, now, entry.pinned,
			  common_entry_json(put->call, &entry), err);
}

int revert_entry(struct revert *put, const struct revert_name *name, struct slice text,
		 struct err *err)
{
	const struct item *now = revert_find(put, name);
	STR_AUTO scratch = STR_INIT;
	struct slice ref = revert_ref_of(put, name);
	int result = 0;

	if (text.ptr)
		result = revert_put_entry(put, name, now, text, err);
	else if (now)
		result = undo_remove(put->change, now, err);
	if (result != 0)
		return err_prefix(err, "%s cannot be restored", shown(&scratch, ref));
	if (text.ptr || now)
		revert_add(text.ptr ? &put->restored : &put->removed, ref);
	return 0;
}

/* From the last to the first, so that the map has the first of several. */
static void revert_index_records(struct revert *put)
{
	struct arena *arena = put->call->arena;

	put->next_record = mem_zalloc(put->record_count + 1, sizeof *put->next_record);
	for (size_t i = put->record_count; i-- > 0;) {
		const struct record *record = &put->records[i].record;
		struct slice was = common_ref(arena, record->category, record->original_key);

		if (!record->undo)
			map_put(&put->records_by_ref,
				common_ref(arena, record->category, record->key), i);
		put->next_record[i] = put->record_count;
		map_get(&put->records_by_was, was, &put->next_record[i]);
		map_put(&put->records_by_was, was, i);
	}
}

int revert_refuse_link(const struct revert *put, struct slice id, struct err *err)
{
	STR_AUTO scratch = STR_INIT;

	return err_set(err, ERR_EXISTS, "the link %s was changed since; %s", shown(&scratch, id),
		       put->call->shell ? "--force restores the earlier state anyway"
					: "let the user run kota undo --force");
}

int revert_load_records(struct revert *put, struct err *err)
{
	if (put->records)
		return 0;
	if (store_archive_whole(put->call->store, &put->records, &put->record_count, err) != 0)
		return -1;
	map_release(&put->records_by_ref);
	map_release(&put->records_by_was);
	free(put->next_record);
	revert_index_records(put);
	return 0;
}

const struct archived *revert_find_record(const struct revert *put, enum category category,
					  struct slice key)
{
	STR_AUTO ref = STR_INIT;
	size_t at;

	ref_add(&ref, category, key);
	return map_get(&put->records_by_ref, str_slice(&ref), &at) ? &put->records[at] : NULL;
}

int revert_finish(struct revert *put, struct json_writer *w, struct err *err)
{
	struct change_result result;

	if (change_commit(put->change, &result, err) != 0)
		return -1;
	if (put->moved)
		store_rename_usage(put->call->store, put->removed.items[0], put->restored.items[0]);
	json_write_object(w);
	if (put->id.ptr)
		json_write_member_string(
			w, "change",
			slice_make(put->id.ptr, put->id.len < ID_DIGITS ? put->id.len : ID_DIGITS));
	if (put->subject.ptr)
		json_write_member_string(w, "subject", put->subject);
	common_write_sorted_refs(w, "restored", put->restored.items, put->restored.count);
	common_write_sorted_refs(w, "removed", put->removed.items, put->removed.count);
	common_write_refs(w, "relations", put->relations.items, put->relations.count);
	common_write_refs(w, "unlinked", put->unlinked.items, put->unlinked.count);
	common_write_refs(w, "left", put->left.items, put->left.count);
	common_end_change(w, put->call, &result);
	return 0;
}
