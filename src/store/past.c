#include "store/past.h"

#include "base/mem.h"
#include "git/walk.h"
#include "store/history.h"
#include "store/message.h"
#include "store/tracked.h"

#include <stdlib.h>

/* One file of a change: its two texts and what differs between them. */
struct pair {
	struct str before;
	struct str after;
	struct comparison comparison;
	bool compared;
};

struct past {
	struct repo *repo;
	struct walk *walk;
	struct pair *pairs;
	size_t pair_count;
	struct difference *items; /* of all pairs */
	size_t item_cap;
	const char **files;
	size_t file_cap;
	struct arena arena;
};

static void forget(struct past *past)
{
	for (size_t i = 0; i < past->pair_count; i++) {
		if (past->pairs[i].compared)
			comparison_release(&past->pairs[i].comparison);
		str_release(&past->pairs[i].before);
		str_release(&past->pairs[i].after);
	}
	free(past->pairs);
	past->pairs = NULL;
	past->pair_count = 0;
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
	past->repo = repo;
	past->walk = walk;
	*out = past;
	return 0;
}

void past_close(struct past *past)
{
	if (!past)
		return;
	forget(past);
	walk_close(past->walk);
	free(past->items);
	free(past->files);
	free(past);
}

static int read_blob(struct repo *repo, const struct object_id *blob, struct str *out,
		     struct slice *text, struct err *err)
{
	*text = slice_make(NULL, 0);
	if (object_id_is_none(blob))
		return 0;
	if (repo_blob_read(repo, blob, out, err) != 0)
		return -1;
	*text = str_slice(out);
	return 0;
}

static int read_pair(struct past *past, const struct file_change *file, struct pair *pair,
		     struct err *err)
{
	struct slice before;
	struct slice after;

	if (read_blob(past->repo, &file->before, &pair->before, &before, err) != 0 ||
	    read_blob(past->repo, &file->after, &pair->after, &after, err) != 0)
		return -1;
	pair->compared = tracked_compare(&pair->comparison, file->path, before, after);
	return 0;
}

static void take_items(struct past *past, const struct comparison *comparison,
		       struct past_change *out)
{
	past->items = mem_grow(past->items, &past->item_cap, out->count + comparison->count,
			       sizeof *past->items);
	for (size_t i = 0; i < comparison->count; i++)
		past->items[out->count++] = comparison->items[i];
	out->items = past->items;
	out->unreadable = out->unreadable || comparison->before_broken || comparison->after_broken;
}

static void take_file(struct past *past, const char *path, struct past_change *out)
{
	past->files = mem_grow(past->files, &past->file_cap, out->file_count + 1,
			       sizeof *past->files);
	past->files[out->file_count++] = path;
	out->files = past->files;
}

static int compare_files(struct past *past, struct past_change *out, struct err *err)
{
	const struct file_change *files;
	size_t count;

	if (walk_changes(past->walk, &files, &count, err) != 0)
		return -1;
	past->pairs = mem_zalloc(count, sizeof *past->pairs);
	for (size_t i = 0; i < count; i++) {
		struct pair *pair = &past->pairs[past->pair_count++];

		str_init(&pair->before);
		str_init(&pair->after);
		if (!tracked_is(files[i].path))
			continue;
		if (read_pair(past, &files[i], pair, err) != 0)
			return -1;
		if (pair->compared)
			take_items(past, &pair->comparison, out);
		else
			take_file(past, files[i].path, out);
	}
	return 0;
}

static struct slice trailer(struct past *past, const char *message, const char *name)
{
	return arena_copy(&past->arena, message_trailer(&message, name));
}

static void describe(struct past *past, const struct commit *commit, struct past_change *out)
{
	*out = (struct past_change){
		.id = commit->id,
		.author = commit->author,
		.email = commit->email,
		.subject = message_subject(commit->message),
		.time_ms = commit->time_ms,
		.offset_min = commit->offset_min,
		.tool = trailer(past, commit->message, "Kota-Tool"),
		.client = trailer(past, commit->message, "Kota-Client"),
		.session = trailer(past, commit->message, "Kota-Session"),
		.change = trailer(past, commit->message, "Kota-Change"),
	};
}

int past_next(struct past *past, struct past_change *out, struct err *err)
{
	struct commit commit;
	struct past_change change;
	int result;

	forget(past);
	result = walk_next(past->walk, &commit, err);
	if (result != 1)
		return result;
	describe(past, &commit, &change);
	if (compare_files(past, &change, err) != 0)
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
	STR_AUTO text = STR_INIT;
	struct object_id blob;
	struct json_fault fault;
	struct repo *repo;
	struct json doc;
	uint32_t node;

	str_clear(out);
	if (history_repo(store, &repo, err) != 0 ||
	    repo_file_at(repo, change, store_file_name((enum store_file)category), &blob, err) != 0)
		return -1;
	if (object_id_is_none(&blob))
		return 0;
	if (repo_blob_read(repo, &blob, &text, err) != 0)
		return -1;
	if (json_parse(&doc, str_slice(&text), &json_file_bounds, &fault) != 0)
		return err_set(err, ERR_BAD_DATA, "%s of that change does not parse: %u:%u: %s",
			       store_file_name((enum store_file)category), fault.line, fault.column,
			       fault.what);
	node = json_member_slice(&doc, JSON_ROOT, key);
	if (node != JSON_NONE)
		str_add(out, json_text(&doc, node));
	json_release(&doc);
	return 0;
}
