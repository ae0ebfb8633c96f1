#include "store/history/history_log.h"

#include "base/mem.h"
#include "git/commit.h"
#include "git/walk.h"
#include "store/history/commit_message.h"
#include "store/history/history.h"
#include "store/history/sound_text.h"
#include "store/history/tracked.h"
#include "store/view/snapshot.h"

#include <stdlib.h>

/* Files with entries, and archive.json. */
#define FILE_COUNT (CATEGORY_COUNT + 1)

/* All files, those without entries included. */
#define EVERYTHING (~0u)

/* A text of a file, taken apart. */
struct kept {
	bool used;
	struct object_id blob; /* none: there was no such file */
	struct str text;
	struct edition edition;
};

struct past {
	struct store *store;
	struct repo *repo;
	struct walk *walk;
	size_t steps;                              /* for who waits */
	unsigned int wanted;                       /* 1 << category; what the next step looks at */
	unsigned int looked;                       /* ... and the last one did */
	struct object_id sides[2];                 /* the commits that the last step compares */
	struct kept kept[FILE_COUNT][2];           /* before and after, or after and before */
	struct comparison comparisons[FILE_COUNT]; /* of the last step */
	struct difference *items;                  /* of all comparisons */
	size_t item_cap;
	const char **files;
	size_t file_cap;
	struct arena arena;
};

static void forget(struct past *past)
{
	for (int f = 0; f < FILE_COUNT; f++)
		comparison_release(&past->comparisons[f]);
	arena_release(&past->arena);
}

int past_open(struct past **out, struct store *store, const struct object_id *from, struct err *err)
{
	struct past *past;
	struct walk *walk;
	struct repo *repo;

	if (history_repo(store, &repo, err) != 0 || walk_open(&walk, repo, from, err) != 0)
		return -1;
	past = mem_zalloc(1, sizeof *past);
	past->store = store;
	past->repo = repo;
	past->walk = walk;
	past->wanted = EVERYTHING;
	*out = past;
	return 0;
}

static void drop(struct kept *kept)
{
	if (kept->used)
		edition_release(&kept->edition);
	str_release(&kept->text);
	*kept = (struct kept){.text = STR_INIT};
}

void past_close(struct past *past)
{
	if (!past)
		return;
	forget(past);
	for (int f = 0; f < FILE_COUNT; f++) {
		drop(&past->kept[f][0]);
		drop(&past->kept[f][1]);
	}
	walk_close(past->walk);
	free(past->items);
	free(past->files);
	free(past);
}

void past_narrow(struct past *past, unsigned int categories)
{
	past->wanted = categories;
}

/* A version of a file: its blob, and the commit that has it. */
struct version {
	const char *path;
	struct object_id blob;
	const struct object_id *commit;
	struct slice text; /* NULL: to be read */
};

/*
 * Takes a text of a file apart, unless it is still at hand. One that cannot be believed stands for
 * the last one before it that can. beside is the other one, which stays.
 */
static const struct kept *keep(struct past *past, const struct version *version,
			       const struct kept *beside, struct err *err)
{
	const char *path = version->path;
	const struct object_id *blob = &version->blob;
	struct slice text = version->text;
	struct kept *pair = past->kept[tracked_category(path)];
	struct kept *slot = &pair[beside == &pair[0]];

	for (int i = 0; i < 2; i++) {
		if (pair[i].used && object_id_equal(&pair[i].blob, blob))
			return &pair[i];
	}
	drop(slot);
	if (text.ptr)
		str_add(&slot->text, text);
	else if (!object_id_is_none(blob) &&
		 walk_blob_read(past->walk, blob, &slot->text, err) != 0)
		return NULL;
	if (!object_id_is_none(blob) && sound_is_damaged(path, str_slice(&slot->text))) {
		struct version sound = {.path = path, .commit = version->commit};

		if (sound_blob_at(past->repo, version->commit, path, &sound.blob, err) != 0)
			return NULL;
		return keep(past, &sound, beside, err);
	}
	tracked_edition(&slot->edition, path,
			object_id_is_none(blob) ? slice_make(NULL, 0) : str_slice(&slot->text));
	slot->blob = *blob;
	slot->used = true;
	return slot;
}

/* text is what the file has after the change; NULL when that is to be read. */
static int compare_file(struct past *past, const struct file_change *file, struct slice text,
			struct past_change *out, struct err *err)
{
	const struct version versions[2] = {
		{file->path, file->before, &past->sides[0], {NULL, 0}},
		{file->path, file->after, &past->sides[1], text},
	};
	const struct kept *after = keep(past, &versions[1], NULL, err);
	const struct kept *before = after ? keep(past, &versions[0], after, err) : NULL;
	struct comparison *c = &past->comparisons[tracked_category(file->path)];

	if (!before)
		return -1;
	compare_editions(c, &before->edition, &after->edition);
	past->items = mem_grow(past->items, &past->item_cap, out->count + c->count,
			       sizeof *past->items);
	for (size_t i = 0; i < c->count; i++)
		past->items[out->count++] = c->items[i];
	out->items = past->items;
	return 0;
}

static void take_file(struct past *past, const char *path, struct past_change *out)
{
	past->files = mem_grow(past->files, &past->file_cap, out->file_count + 1,
			       sizeof *past->files);
	past->files[out->file_count++] = path;
	out->files = past->files;
}

/* Looks at the files of the last step that are wanted and were not looked at yet. */
static int look(struct past *past, unsigned int wanted, struct past_change *out, struct err *err)
{
	const struct file_change *files;
	size_t count;

	if (walk_changes(past->walk, &files, &count, err) != 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		int category = tracked_category(files[i].path);
		unsigned int bit = category == CATEGORY_ANY ? 1u << FILE_COUNT : 1u << category;

		if (!(wanted & bit) || (past->looked & bit) || !tracked_is(files[i].path))
			continue;
		if (category == CATEGORY_ANY)
			take_file(past, files[i].path, out);
		else if (compare_file(past, &files[i], slice_make(NULL, 0), out, err) != 0)
			return -1;
	}
	past->looked |= wanted;
	return 0;
}

int past_whole(struct past *past, struct past_change *change, struct err *err)
{
	return look(past, EVERYTHING, change, err);
}

/* ---- two states */

struct between {
	struct past *past;
	const struct object_id *from;
	const struct object_id *to; /* NULL: the files as they are */
	struct past_change change;
	struct err *err;
	bool failed;
};

/* text is what the file has now, absent when it is to be read or there is none. */
static int take_difference(struct between *b, const struct file_change *file, struct slice text)
{
	if (!b->to && repo_ignores(b->past->repo, file->path))
		return 0;
	if (tracked_category(file->path) == CATEGORY_ANY)
		take_file(b->past, arena_copy(&b->past->arena, slice_of(file->path)).ptr,
			  &b->change);
	else
		b->failed = compare_file(b->past, file, text, &b->change, b->err) != 0;
	return b->failed;
}

/* Compares a file that is there with what it was. */
static int compare_with_from(struct between *b, struct file_change *file, struct slice text)
{
	if (repo_file_at(b->past->repo, b->from, file->path, &file->before, b->err) != 0) {
		b->failed = true;
		return 1;
	}
	return object_id_equal(&file->before, &file->after) ? 0 : take_difference(b, file, text);
}

/* A file that cannot be read says nothing: whoever needs it says what is wrong with it. */
static int compare_now(void *context, const char *name)
{
	struct between *b = context;
	struct file_change file = {.path = name};
	STR_AUTO text = STR_INIT;
	struct file_id id;
	struct err ignored;

	if (tracked_read(&b->past->store->disk, name, &text, &id, &ignored) != 0 || !id.present ||
	    repo_blob_id(b->past->repo, str_slice(&text), &file.after, &ignored) != 0)
		return 0;
	str_adds(&text, "");
	return compare_with_from(b, &file, str_slice(&text));
}

static int compare_then(void *context, const char *path, const struct object_id *blob)
{
	struct file_change file = {.path = path, .after = *blob};

	return tracked_is(path) ? compare_with_from(context, &file, slice_make(NULL, 0)) : 0;
}

static bool is_there(struct between *b, const char *path)
{
	const struct disk *disk = &b->past->store->disk;
	struct object_id blob;
	struct file_id id;
	struct err ignored;

	if (b->to)
		return repo_file_at(b->past->repo, b->to, path, &blob, &ignored) != 0 ||
		       !object_id_is_none(&blob);
	return file_identify(disk->sys, disk->dirfd, path, &id, &ignored) != 0 || id.present;
}

static int take_if_gone(void *context, const char *path, const struct object_id *blob)
{
	struct file_change file = {.path = path, .before = *blob};

	if (!tracked_is(path) || is_there(context, path))
		return 0;
	return take_difference(context, &file, slice_make(NULL, 0));
}

int past_between(struct past *past, const struct object_id *from, const struct object_id *to,
		 struct past_change *out, struct err *err)
{
	struct between b = {.past = past, .from = from, .to = to, .err = err};
	int result;

	forget(past);
	past->sides[0] = *from;
	if (to)
		past->sides[1] = *to;
	else if (repo_head(past->repo, &past->sides[1], err) != 0)
		return -1;
	result = to ? repo_files(past->repo, to, compare_then, &b, err)
		    : tracked_walk(&past->store->disk, compare_now, &b, err);
	if (result != 0 || b.failed || repo_files(past->repo, from, take_if_gone, &b, err) != 0 ||
	    b.failed)
		return -1;
	*out = b.change;
	return 0;
}

int past_unrecorded(struct past *past, struct past_change *out, struct err *err)
{
	struct object_id head;

	if (repo_head(past->repo, &head, err) != 0)
		return -1;
	return past_between(past, &head, NULL, out, err);
}

/* ---- changes */

static struct slice trailer(struct past *past, const char *message, const char *name)
{
	return arena_copy(&past->arena, message_trailer(&message, name));
}

int past_next(struct past *past, struct past_change *out, struct err *err)
{
	struct commit commit;
	struct past_change change;
	const char *message;
	int result;

	forget(past);
	progress_step(past->store->disk.progress, "going through the history, change",
		      past->steps++, 0);
	result = walk_next(past->walk, &commit, err);
	if (result != 1)
		return result;
	message = commit.message;
	change = (struct past_change){
		.id = commit.id,
		.author = commit.author,
		.email = commit.email,
		.subject = message_subject(message),
		.time_ms = commit.time_ms,
		.offset_min = commit.offset_min,
		.tool = trailer(past, message, "Kota-Tool"),
		.client = trailer(past, message, "Kota-Client"),
		.session = trailer(past, message, "Kota-Session"),
		.change = trailer(past, message, "Kota-Change"),
	};
	change.by_hand = !change.tool.ptr && strcmp(commit.author, RECORD_AUTHOR) != 0;
	past->looked = 0;
	past->sides[0] = commit.parent;
	past->sides[1] = commit.id;
	if (look(past, past->wanted, &change, err) != 0)
		return -1;
	*out = change;
	return 1;
}

int past_resolve(struct store *store, struct slice name, struct object_id *out, struct err *err)
{
	struct repo *repo;

	if (history_repo(store, &repo, err) != 0)
		return -1;
	return repo_resolve(repo, name, out, err);
}

int past_entry_at(struct store *store, const struct object_id *change, enum category category,
		  struct slice key, struct str *out, struct err *err)
{
	const char *file = store_file_name((enum store_file)category);
	STR_AUTO text = STR_INIT;
	struct object_id blob;
	struct edition edition;
	struct repo *repo;

	str_clear(out);
	if (history_repo(store, &repo, err) != 0 ||
	    repo_file_at(repo, change, file, &blob, err) != 0)
		return -1;
	if (object_id_is_none(&blob))
		return 0;
	if (sound_read(repo, change, file, &blob, &text, err) != 0)
		return -1;
	edition_of_entries(&edition, category, str_slice(&text));
	str_add(out, edition_entry(&edition, category, key));
	edition_release(&edition);
	return 0;
}
