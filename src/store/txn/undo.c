#include "store/txn/undo.h"

#include "base/map.h"
#include "git/walk.h"
#include "store/files/note_folder.h"
#include "store/history/history.h"
#include "store/history/pending.h"
#include "store/log/undo_marks.h"
#include "store/txn/change_ops_internal.h"
#include "store/txn/note_file.h"

void undo_revive(struct change *change)
{
	change->revives = true;
}

bool undo_begin(struct change *change)
{
	undo_revive(change);
	change->takes_back = true;
	return history_catch_up(change->store) ||
	       (history_is_on(change->store) && !pending_any(&change->store->disk));
}

void undo_names(struct change *change, struct slice undoes)
{
	change->meta.undoes = arena_copy(&change->arena, undoes).ptr;
}

int undo_remove(struct change *change, const struct item *item, struct err *err)
{
	if (change_check_category(change, item->entry.category, err) != 0)
		return -1;
	change_keep(change, &(struct overwritten){.item = item, .reason = REASON_DELETED});
	return change_remove(change, item, err);
}

/* A record goes out of the archive, or comes back to it: not by the time of this change. */
static void undo_keep_record(struct change *change, enum category category, struct slice key,
			     struct slice text, bool came)
{
	const struct kept_part part = {
		.came = came,
		.category = category,
		.name = arena_copy(&change->arena, key),
		.text = arena_copy(&change->arena, text),
		.at_ms = change->now_ms,
	};

	change_keep_part(change, &part);
}

int undo_add_record(struct change *change, enum category category, struct slice key,
		    struct slice text, struct err *err)
{
	struct op op = {.kind = OP_RECORD_ADD, .category = category, .at_ms = change->now_ms};
	struct arena arena = ARENA_INIT;
	struct json_fault fault;
	struct record record;
	struct json doc;

	if (change_check_archive(change, err) != 0)
		return -1;
	if (json_parse(&doc, text, &json_file_bounds, &fault) != 0)
		return err_set(err, ERR_BAD_DATA, "an archive record does not parse: %s",
			       fault.what);
	if (record_read(&record, category, &doc, JSON_ROOT, &arena) &&
	    record.archived_ms != TIME_NONE)
		op.at_ms = record.archived_ms;
	json_release(&doc);
	arena_release(&arena);
	op.key = arena_copy(&change->arena, key);
	op.text = arena_copy(&change->arena, text);
	change_add_op(change, &op);
	undo_keep_record(change, category, key, text, true);
	return 0;
}

int undo_remove_record(struct change *change, const struct archived *archived, struct err *err)
{
	const struct record *record = &archived->record;
	struct op op = {.kind = OP_RECORD_REMOVE, .category = record->category};

	if (!record->undo)
		undo_keep_record(change, record->category, record->key, record->text, false);
	if (archived->cold) {
		undo_line(change, record, record->text);
		return 0;
	}
	if (change_check_archive(change, err) != 0)
		return -1;
	op.key = arena_copy(&change->arena, record->key);
	op.before = hash64(record->text);
	map_put(&change->taken_back, arena_copy(&change->arena, archived->ref), 0);
	change_add_op(change, &op);
	return 0;
}

void undo_line(struct change *change, const struct record *record, struct slice line)
{
	struct op op = {.kind = OP_COLD_ADD, .category = record->category};
	STR_AUTO opposite = STR_INIT;

	undo_mark_opposite(&opposite, line);
	op.key = arena_copy(&change->arena, record->key);
	op.text = arena_copy(&change->arena, str_slice(&opposite));
	/* Both lines have to stand in the file of one month. */
	op.at_ms = record->archived_ms == TIME_NONE ? change->now_ms : record->archived_ms;
	change_add_op(change, &op);
}

/* Calls take for each file that a recorded change changed. */
static int undo_each_file(struct store *store, const struct object_id *change,
			  int (*take)(void *context, struct repo *repo,
				      const struct file_change *file, struct err *err),
			  void *context, struct err *err)
{
	const struct file_change *files;
	struct commit commit;
	struct walk *walk;
	struct repo *repo;
	size_t count = 0;
	int result = 0;

	if (history_repo(store, &repo, err) != 0 || walk_open(&walk, repo, change, err) != 0)
		return -1;
	if (walk_next(walk, &commit, err) != 1 || walk_changes(walk, &files, &count, err) != 0)
		result = -1;
	for (size_t i = 0; result == 0 && i < count; i++)
		result = take(context, repo, &files[i], err);
	walk_close(walk);
	return result;
}

static int undo_read_blob(struct repo *repo, const struct object_id *blob, struct str *out,
			  struct err *err)
{
	return object_id_is_none(blob) ? 0 : repo_blob_read(repo, blob, out, err);
}

/* What was appended to a cold file: nothing, where somebody has rewritten it. */
static int undo_take_lines(void *context, struct repo *repo, const struct file_change *file,
			   struct err *err)
{
	struct str *out = context;
	STR_AUTO before = STR_INIT;
	STR_AUTO after = STR_INIT;

	if (!slice_starts(slice_of(file->path), COLD_FOLDER "/") || object_id_is_none(&file->after))
		return 0;
	if (undo_read_blob(repo, &file->before, &before, err) != 0 ||
	    undo_read_blob(repo, &file->after, &after, err) != 0)
		return -1;
	if (after.len > before.len &&
	    (before.len == 0 || memcmp(after.ptr, before.ptr, before.len) == 0))
		str_add(out, slice_make(after.ptr + before.len, after.len - before.len));
	return 0;
}

int undo_lines_of(struct store *store, const struct object_id *change, struct str *out,
		  struct err *err)
{
	str_clear(out);
	return undo_each_file(store, change, undo_take_lines, out, err);
}

int undo_link(struct change *change, struct slice id, struct slice text, struct err *err)
{
	return change_put_link(change, id, text, err);
}

/* True if the folder of notes is the one that the history knows. */
static bool undo_is_own_folder(const struct change *change)
{
	return strcmp(change->store->settings.notes_dir, NOTE_FOLDER) == 0;
}

int undo_note(struct change *change, struct slice file, struct slice before, struct slice after,
	      bool *stays, struct err *err)
{
	struct op op = {.category = CATEGORY_STATE, .key = arena_copy(&change->arena, file)};
	struct disk *disk = &change->store->disk;
	bool there;

	*stays = true;
	if ((!before.ptr && !after.ptr) || !undo_is_own_folder(change))
		return 0;
	if (before.ptr && after.ptr)
		return change_note_again(change, CATEGORY_STATE, file, after, before, stays, err);
	if (note_file_exists(disk, file, &there, err) != 0)
		return -1;
	*stays = after.ptr && there && !note_file_has_text(disk, file, after);
	if (*stays || there == !after.ptr)
		return 0;
	op.kind = after.ptr ? OP_NOTE_REMOVE : OP_NOTE_ADD;
	op.text = arena_copy(&change->arena, after.ptr ? after : before);
	change_add_op(change, &op);
	return 0;
}

bool undo_note_text(struct change *change, struct slice file, struct str *out)
{
	return undo_is_own_folder(change) && note_file_read(&change->store->disk, file, out);
}

struct undo_texts {
	const char *path;
	struct str *before;
	struct str *after;
};

static int undo_take_texts(void *context, struct repo *repo, const struct file_change *file,
			   struct err *err)
{
	const struct undo_texts *texts = context;

	if (strcmp(file->path, texts->path) != 0)
		return 0;
	return undo_read_blob(repo, &file->before, texts->before, err) != 0
		       ? -1
		       : undo_read_blob(repo, &file->after, texts->after, err);
}

int undo_texts_of(struct store *store, const struct object_id *change, const char *path,
		  struct str *before, struct str *after, struct err *err)
{
	struct undo_texts texts = {path, before, after};

	str_clear(before);
	str_clear(after);
	return undo_each_file(store, change, undo_take_texts, &texts, err);
}

void undo_layout(struct change *change, enum store_file file, struct slice before,
		 struct slice after)
{
	change->layouts[file].text = arena_copy(&change->arena, before);
	change->layouts[file].instead = hash64(after);
}
