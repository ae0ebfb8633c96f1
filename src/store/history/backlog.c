#include "store/history/backlog.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/time.h"
#include "git/walk.h"
#include "store/history/commit_message.h"
#include "store/history/pending.h"
#include "store/history/rebuild.h"
#include "store/history/sound_text.h"
#include "store/history/tracked.h"

#include <stdlib.h>

/* So many commits may have been made between a recording that was cut off and now. */
#define RECENT 200

/* A file of which the changes made other texts. */
struct backlog_file {
	const char *name;
	bool known; /* the text is: else nothing can be said of it */
	bool there;
	struct str text;
};

struct backlog {
	struct store *store;
	struct repo *repo;
	struct object_id head;
	struct map recorded; /* changes that the last commits name */
	struct backlog_file *files;
	size_t file_count;
	size_t file_cap;
	struct log_change *changes; /* from old to new */
	size_t count;
	size_t left; /* those that backlog_next() has not told yet */
	struct arena arena;
};

static void backlog_read_recorded(struct backlog *backlog)
{
	struct walk *walk;
	struct commit commit;
	struct err ignored;

	if (!backlog->repo || walk_open(&walk, backlog->repo, NULL, &ignored) != 0)
		return;
	for (int i = 0; i < RECENT && walk_next(walk, &commit, &ignored) == 1; i++) {
		const char *text = commit.message;
		struct slice change = message_trailer(&text, "Kota-Change");

		if (change.ptr)
			map_put(&backlog->recorded, arena_copy(&backlog->arena, change), 0);
	}
	walk_close(walk);
}

static struct backlog_file *backlog_find(const struct backlog *backlog, const char *name)
{
	for (size_t i = 0; i < backlog->file_count; i++) {
		if (strcmp(backlog->files[i].name, name) == 0)
			return &backlog->files[i];
	}
	return NULL;
}

static struct slice backlog_text_of(const struct backlog_file *file)
{
	return file->there ? str_slice(&file->text) : slice_of(NULL);
}

/* The file, with the text that the last commit has where no change was about it yet. */
static struct backlog_file *backlog_file_of(struct backlog *backlog, const char *name)
{
	struct backlog_file *file = backlog_find(backlog, name);
	struct object_id blob;
	struct err ignored;

	if (file)
		return file;
	file = MEM_ADD(backlog->files, backlog->file_count, backlog->file_cap);
	*file = (struct backlog_file){.name = arena_copy(&backlog->arena, slice_of(name)).ptr,
				      .text = STR_INIT};
	if (!backlog->repo ||
	    repo_file_at(backlog->repo, &backlog->head, name, &blob, &ignored) != 0)
		return file;
	file->there = !object_id_is_none(&blob);
	file->known = !file->there ||
		      sound_read(backlog->repo, NULL, name, &blob, &file->text, &ignored) == 0;
	return file;
}

/* Gives the file the text that the line left: as it was written, else made anew. */
static void backlog_follow(struct backlog *backlog, struct backlog_file *file,
			   const struct pending_line *line)
{
	STR_AUTO text = STR_INIT;
	struct err ignored;
	bool gone = false;

	if (file->known && (object_id_is_none(&line->after) ||
			    repo_blob_read(backlog->repo, &line->after, &text, &ignored) != 0))
		file->known = !line->held &&
			      rebuild_text(line->file.ptr, backlog_text_of(file), line->ops,
					   line->op_count, line->at_ms, &text, &gone);
	file->there = !gone;
	str_clear(&file->text);
	str_add(&file->text, str_slice(&text));
}

/* ---- what a change did */

/* A change while it is put together. */
struct backlog_change {
	struct log_change *out;
	struct difference *items;
	size_t item_cap;
	const char **files;
	size_t file_cap;
};

static void backlog_add_items(struct backlog *backlog, struct backlog_change *change,
			      const struct comparison *c)
{
	struct arena *arena = &backlog->arena;

	for (size_t i = 0; i < c->count; i++) {
		struct difference *item = MEM_ADD(change->items, change->out->count,
						  change->item_cap);

		*item = c->items[i];
		item->key = arena_copy(arena, item->key);
		item->before = arena_copy(arena, item->before);
		item->after = arena_copy(arena, item->after);
	}
}

static void backlog_add_line(struct backlog *backlog, struct backlog_change *change,
			     const struct pending_line *line)
{
	struct backlog_file *file = backlog_file_of(backlog, line->file.ptr);
	bool there = file->there;
	bool known = file->known;
	STR_AUTO before = STR_INIT;
	struct comparison c;

	str_add(&before, str_slice(&file->text));
	backlog_follow(backlog, file, line);
	if (tracked_category(line->file.ptr) == CATEGORY_ANY) {
		*MEM_ADD(change->files, change->out->file_count,
			 change->file_cap) = arena_copy(&backlog->arena, line->file).ptr;
	} else if (known && file->known &&
		   tracked_compare(&c, line->file.ptr, there ? str_slice(&before) : slice_of(NULL),
				   backlog_text_of(file))) {
		backlog_add_items(backlog, change, &c);
		comparison_release(&c);
	}
}

/* What the commit is going to say. */
static void backlog_word(struct backlog *backlog, const struct pending_line *line,
			 struct log_change *out)
{
	struct arena *arena = &backlog->arena;
	const struct message message = {
		.verb = line->tool.ptr + (slice_starts(line->tool, "memory_") ? 7 : 0),
		.refs = line->refs,
		.ref_count = line->ref_count,
		.client = line->client,
		.client_version = line->client_version,
		.undoes = line->undoes,
	};
	STR_AUTO text = STR_INIT;

	message_compose(&text, &message);
	const char *rest = text.ptr;
	out->subject = arena_copy(arena, message_subject(text.ptr));
	out->client = arena_copy(arena, message_trailer(&rest, "Kota-Client"));
	out->tool = arena_copy(arena, line->tool);
	out->session = arena_copy(arena, line->session);
	out->change = arena_copy(arena, line->change);
}

static void backlog_add(struct backlog *backlog, const struct pending_line *lines, size_t count,
			size_t *cap)
{
	struct log_change *out = MEM_ADD(backlog->changes, backlog->count, *cap);
	struct backlog_change change = {.out = out};

	*out = (struct log_change){
		.waits = true,
		.author = RECORD_AUTHOR,
		.email = "",
		.time_ms = lines->at_ms,
		.offset_min = timestamp_offset_min(lines->at_ms),
	};
	backlog_word(backlog, lines, out);
	for (size_t i = 0; i < count; i++)
		backlog_add_line(backlog, &change, &lines[i]);
	out->items = change.items;
	out->files = change.files;
}

/* True if the backlog is complete. A killed process may have left one that it had only begun. */
static bool backlog_is_made(const struct backlog *backlog, const struct pending_line *line)
{
	STR_AUTO text = STR_INIT;
	struct file_id id;
	struct err ignored;

	return line->done ||
	       (line->op_count > 0 &&
		tracked_read(&backlog->store->disk, line->file.ptr, &text, &id, &ignored) == 0 &&
		rebuild_is_in(line->file.ptr, id.present ? str_slice(&text) : slice_of(NULL),
			      line->ops, line->op_count, line->at_ms));
}

static void backlog_read(struct backlog *backlog, const struct pending *pending)
{
	const struct pending_line *lines = pending->lines;
	size_t cap = 0;
	size_t to;

	for (size_t from = 0; from < pending->count; from = to) {
		to = from + 1;
		while (to < pending->count && slice_equal(lines[to].change, lines[from].change))
			to++;
		if (!map_get(&backlog->recorded, lines[from].change, NULL) &&
		    backlog_is_made(backlog, &lines[from]))
			backlog_add(backlog, &lines[from], to - from, &cap);
	}
	backlog->left = backlog->count;
}

int backlog_open(struct backlog **out, struct store *store, struct repo *repo, struct err *err)
{
	struct pending pending;
	struct backlog *backlog;
	struct err ignored;

	*out = NULL;
	if (!pending_any(&store->disk))
		return 0;
	if (pending_read(&pending, &store->disk, err) != 0)
		return -1;
	backlog = mem_zalloc(1, sizeof *backlog);
	backlog->store = store;
	backlog->arena = (struct arena)ARENA_INIT;
	if (repo && repo_head(repo, &backlog->head, &ignored) == 0)
		backlog->repo = repo;
	backlog_read_recorded(backlog);
	backlog_read(backlog, &pending);
	pending_release(&pending);
	if (backlog->count > 0)
		*out = backlog;
	else
		backlog_close(backlog);
	return 0;
}

bool backlog_next(struct backlog *backlog, struct log_change *out)
{
	if (backlog->left == 0)
		return false;
	*out = backlog->changes[--backlog->left];
	return true;
}

bool backlog_text(const struct backlog *backlog, const char *file, struct slice *out)
{
	const struct backlog_file *found = backlog_find(backlog, file);

	if (!found || !found->known)
		return false;
	*out = backlog_text_of(found);
	return true;
}

void backlog_close(struct backlog *backlog)
{
	if (!backlog)
		return;
	for (size_t i = 0; i < backlog->file_count; i++)
		str_release(&backlog->files[i].text);
	for (size_t i = 0; i < backlog->count; i++) {
		free((void *)backlog->changes[i].items);
		free((void *)backlog->changes[i].files);
	}
	free(backlog->files);
	free(backlog->changes);
	map_release(&backlog->recorded);
	arena_release(&backlog->arena);
	free(backlog);
}
