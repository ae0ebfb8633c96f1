#include "ops/history/revert_common.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "store/txn/undo.h"
#include "ops/secret_check.h"
#include "store/files/dir_open.h"

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
			       "there is nothing to put back: nothing was "
			       "stored yet");
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
	put->recorded = takeback_begin(change);
	return 0;
}

void revert_end(struct revert *put)
{
	change_end(put->change);
	free(put->restored.items);
	free(put->removed.items);
	free(put->relations.items);
	free(put->unlinked.items);
	free(put->left.items);
}

void revert_add(struct revert_refs *refs, struct slice ref)
{
	refs->items = mem_grow(refs->items, &refs->cap, refs->count + 1, sizeof *refs->items);
	refs->items[refs->count++] = ref;
}

struct slice revert_ref_of(const struct revert *put, const struct revert_name *name)
{
	STR_AUTO ref = STR_INIT;

	ref_add(&ref, name->category, name->key);
	return arena_copy(put->call->arena, str_slice(&ref));
}

const struct item *revert_find(const struct revert *put, const struct revert_name *name)
{
	size_t count;
	const struct item *items = store_items(put->call->store, &count);

	for (size_t i = 0; i < count; i++) {
		if (items[i].entry.category == name->category &&
		    slice_equal(items[i].entry.key, name->key))
			return &items[i];
	}
	return NULL;
}

bool revert_same(struct slice a, struct slice b)
{
	struct json_fault fault;
	struct json left;
	struct json right;
	bool same = false;

	if (!a.ptr || !b.ptr)
		return !a.ptr && !b.ptr;
	if (json_parse(&left, a, &json_file_bounds, &fault) != 0)
		return false;
	if (json_parse(&right, b, &json_file_bounds, &fault) == 0) {
		same = json_equal(&left, JSON_ROOT, &right, JSON_ROOT);
		json_release(&right);
	}
	json_release(&left);
	return same;
}

/* What the entry once was may hold a secret that would not be accepted today. */
static int screen(const struct revert *put, const struct revert_name *name, const struct item *now,
		  struct slice text, struct err *err)
{
	STR_AUTO scratch = STR_INIT;

	if (put->allow_secret)
		return 0;
	return screen_restored(put->tool, put->call, shown(&scratch, revert_ref_of(put, name)),
			       name->key, now ? now->entry.text : slice_make(NULL, 0), text, err);
}

static int put_entry(struct revert *put, const struct revert_name *name, const struct item *now,
		     struct slice text, struct err *err)
{
	struct arena arena = ARENA_INIT;
	struct entry entry;
	struct json doc;
	bool pinned;

	if (screen(put, name, now, text, err) != 0)
		return -1;
	common_parse(&doc, text);
	entry_read(&entry, name->category, &doc, JSON_ROOT, &arena);
	pinned = entry.pinned;
	json_release(&doc);
	arena_release(&arena);
	return common_put(put->change, name->category, name->key, now, pinned,
			  common_compact(put->call, text), err);
}

int revert_entry(struct revert *put, const struct revert_name *name, struct slice text,
		 struct err *err)
{
	const struct item *now = revert_find(put, name);
	STR_AUTO scratch = STR_INIT;
	struct slice ref = revert_ref_of(put, name);
	int result = 0;

	if (text.ptr)
		result = put_entry(put, name, now, text, err);
	else if (now)
		result = takeback_remove(put->change, now, err);
	if (result != 0)
		return err_prefix(err, "%s cannot be put back", shown(&scratch, ref));
	if (text.ptr || now)
		revert_add(text.ptr ? &put->restored : &put->removed, ref);
	return 0;
}

int revert_load_records(struct revert *put, struct err *err)
{
	if (put->records)
		return 0;
	if (store_archive_whole(put->call->store, &put->records, &put->record_count, err) != 0)
		return -1;
	return 0;
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
