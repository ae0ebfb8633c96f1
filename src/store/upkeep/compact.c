#include "store/upkeep/compact.h"

#include "base/map.h"
#include "base/mem.h"
#include "git/write/pack.h"
#include "git/write/pack_merge.h"
#include "store/files/change_observer.h"
#include "store/files/dir_lock.h"
#include "store/files/file_names.h"
#include "store/history/history.h"
#include "store/log/cold.h"
#include "store/log/undo_marks.h"
#include "store/txn/change_ops_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

struct compacting {
	struct disk *disk;
	int folder;
	void (*begun)(void *context);
	void *context;
	struct compact_part *out;
};

/* What a line is about: itself, or what it takes back. */
static struct slice compact_subject(struct slice line, struct str *scratch)
{
	if (!undo_mark_is(line))
		return line;
	str_clear(scratch);
	undo_mark_opposite(scratch, line);
	return str_slice(scratch);
}

/*
 * The lines of which no later one says the same; of a last one without newline nobody knows what it
 * is about. Returns how many were left out.
 */
static size_t compact_keep_last(struct slice text, struct str *out)
{
	struct slice *lines = NULL;
	struct slice line;
	size_t count = 0;
	size_t cap = 0;
	ARENA_AUTO arena = ARENA_INIT;
	MAP_AUTO last = MAP_INIT;
	STR_AUTO scratch = STR_INIT;
	size_t removed = 0;
	size_t position;

	while (slice_line(&text, &line)) {
		lines = mem_grow(lines, &cap, count + 1, sizeof *lines);
		lines[count++] = line;
		map_put(&last, arena_copy(&arena, compact_subject(line, &scratch)), count);
	}
	for (size_t i = 0; i < count; i++) {
		if (!map_get(&last, compact_subject(lines[i], &scratch), &position) ||
		    position != i + 1) {
			removed++;
			continue;
		}
		str_add(out, lines[i]);
		str_addc(out, '\n');
	}
	free(lines);
	return removed;
}

static int compact_rewrite_month(struct compacting *compacting, const char *name,
				 struct slice before, struct slice after, struct err *err)
{
	const struct witness *witness = compacting->disk->witness;
	STR_AUTO path = STR_INIT;

	str_printf(&path, COLD_FOLDER "/%s", name);
	if (compacting->out->removed == 0)
		compacting->begun(compacting->context);
	if (witness)
		witness->text(witness->context, path.ptr, before, after);
	compacting->disk->cold_writes++;
	if (file_replace(compacting->disk->sys, compacting->folder, name, after, 0600, FILE_DURABLE,
			 NULL, err) == 0)
		return 0;
	err_in_folder(err, COLD_FOLDER, name);
	if (witness)
		witness->withdrawn(witness->context, path.ptr);
	return -1;
}

static int compact_month(struct compacting *compacting, const char *name, struct err *err)
{
	STR_AUTO text = STR_INIT;
	STR_AUTO out = STR_INIT;
	struct file_id id;
	size_t removed = 0;

	if (file_read_own(compacting->disk->sys, compacting->folder, name, json_file_bounds.bytes,
			  &text, &id, err) != 0)
		return err_prefix(err, "%s/" COLD_FOLDER, compacting->disk->path);
	/* A torn last line is cut with the next append. */
	if (text.len > 0 && text.ptr[text.len - 1] == '\n')
		removed = compact_keep_last(str_slice(&text), &out);
	if (removed > 0 &&
	    compact_rewrite_month(compacting, name, str_slice(&text), str_slice(&out), err) != 0)
		return -1;
	compacting->out->before += (int64_t)text.len;
	compacting->out->after += (int64_t)(removed > 0 ? out.len : text.len);
	compacting->out->removed += (int64_t)removed;
	return 0;
}

/*
 * Removes the lines of the cold archive that say what a later one says too. The lock must be held;
 * begun is called once before the first file is rewritten.
 */
static int compact_cold(struct disk *disk, void (*begun)(void *context), void *context,
			struct compact_part *out, struct err *err)
{
	struct compacting compacting = {disk, -1, begun, context, out};
	NAMES_AUTO names = {0};
	int result = 0;

	compacting.folder = file_open(disk->sys, disk->dirfd, COLD_FOLDER,
				      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
	if (compacting.folder < 0 && errno == ENOENT)
		return 0;
	int number = compacting.folder < 0
			     ? errno
			     : names_read(disk->sys, compacting.folder, cold_is_file_name, &names);
	if (number != 0)
		result = err_set_errno(err, ERR_IO, number, "cannot read %s/" COLD_FOLDER,
				       disk->path);
	for (size_t i = 0; result == 0 && i < names.count; i++) {
		progress_step(disk->progress, "the cold archive", i, names.count);
		result = compact_month(&compacting, names.list[i], err);
	}
	file_close(disk->sys, &compacting.folder);
	return result;
}

/* Refs of all that is active or can be brought back, from wherever. */
struct known_refs {
	struct map refs;
	struct arena arena;
};

static int compact_know_refs(struct known_refs *known, struct store *store, struct err *err)
{
	const struct archived *all;
	size_t count;

	if (store_archive_whole(store, &all, &count, err) != 0)
		return -1;
	for (size_t i = 0; i < store->item_count; i++)
		map_put(&known->refs, store->items[i].ref, 0);
	for (size_t i = 0; i < count; i++) {
		STR_AUTO ref = STR_INIT;

		ref_add(&ref, all[i].record.category, all[i].record.original_key);
		map_put(&known->refs, arena_copy(&known->arena, str_slice(&ref)), 0);
	}
	return 0;
}

static bool compact_is_known(void *context, struct slice ref)
{
	const struct known_refs *known = context;

	return map_get(&known->refs, ref, NULL);
}

static int compact_usage(struct store *store, struct compact_part *out, struct err *err)
{
	struct known_refs known = {MAP_INIT, ARENA_INIT};
	int64_t size[2] = {0, 0};
	int result = compact_know_refs(&known, store, err);

	if (result == 0)
		result = usage_compact_now(store->usage, compact_is_known, &known, size, err);
	map_release(&known.refs);
	arena_release(&known.arena);
	if (result == 0)
		*out = (struct compact_part){size[0], size[1], 0};
	return result;
}

/* The history is told who rewrites the cold archive. */
static void compact_begin(void *context)
{
	const struct change *change = context;
	const struct witness *witness = change->store->disk.witness;

	if (witness)
		witness->change(witness->context, &change->meta, NULL, 0, change->now_ms, false);
}

/*
 * Packs the loose objects of a repository of our own now. ERR_NO_HISTORY with the reason where
 * nothing is to be packed: there is none, or it is the person's.
 */
static int compact_history(struct store *store, struct compact_part *out, struct err *err)
{
	const struct history *history = store->history;
	struct repo *repo;

	if (!history_is_on(store) && history_repo(store, &repo, err) == 0)
		return err_set(err, ERR_NO_HISTORY, "nothing is recorded now: %s",
			       history->why.text);
	if (!history_is_on(store)) {
		/* history_open() has warned of it, with the reason. */
		if (history->tried && !disk_lacks(&store->disk, ".git"))
			err_set(err, ERR_NO_HISTORY, "its repository cannot be used");
		return -1;
	}
	repo = history->repo;
	if (!repo_is_ours(repo))
		return err_set(err, ERR_NO_HISTORY,
			       "the repository is not one that kota made: git gc packs it");
	size_t loose = pack_loose_count(repo);
	out->before = pack_disk_bytes(repo);
	if (pack_run(repo, err) != 0 || pack_merge_begin(repo, err) != 0)
		return -1;
	for (bool more = true; more;) {
		if (pack_merge_step(repo, &more, err) != 0)
			return -1;
	}
	out->after = pack_disk_bytes(repo);
	out->removed = (int64_t)loose;
	return 0;
}

static int compact_locked(struct change *change, struct compact_report *out, struct err *err)
{
	struct store *store = change->store;

	if (compact_usage(store, &out->usage, err) != 0 ||
	    compact_cold(&store->disk, compact_begin, change, &out->cold, err) != 0)
		return -1;
	/* What is recorded now is packed with the rest. */
	if (out->cold.removed > 0)
		history_record(store);
	if (compact_history(store, &out->history, &out->history_why) == 0)
		err_clear(&out->history_why);
	return 0;
}

int compact_run(struct store *store, const struct change_meta *meta, int64_t now_ms,
		struct compact_report *out, struct err *err)
{
	struct change *change;

	*out = (struct compact_report){0};
	if (!disk_exists(store_disk(store)))
		return 0;
	if (change_begin(&change, store, meta, now_ms, err) != 0)
		return -1;
	int result = compact_locked(change, out, err);
	change_end(change);
	return result;
}
