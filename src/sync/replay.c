#include "sync/replay.h"

#include "base/mem.h"
#include "base/time.h"
#include "git/walk.h"
#include "merge/merge_file.h"
#include "store/history/commit_message.h"
#include "store/history/tracked.h"

#include <stdlib.h>

/* A commit and what it is called now that it was made again. */
struct replayed {
	struct object_id before;
	struct object_id after;
};

struct replay {
	struct repo *repo;
	const struct whole_sides *sides;
	struct recording *recording;
	struct replayed *list; /* from new to old */
	size_t count;
	size_t cap;
	size_t older;             /* so many before them become one */
	struct object_id old_tip; /* the last of these */
	int64_t old_ms;
	int old_offset_min;
	struct object_id base; /* which they follow */
	bool joined;           /* none of them is made again: ours is a second parent */
	struct arena arena;    /* of the commit at hand */
};

static bool replay_is_base(const struct replay *replay, const struct object_id *id)
{
	for (size_t i = 0; i < replay->sides->base_count; i++) {
		if (object_id_equal(&replay->sides->bases[i], id))
			return true;
	}
	return false;
}

static void replay_note(struct replay *replay, const struct commit *commit)
{
	if (replay->count < REPLAY_COMMITS_MAX) {
		*MEM_ADD(replay->list, replay->count,
			 replay->cap) = (struct replayed){.before = commit->id};
	} else if (replay->older++ == 0) {
		replay->old_tip = commit->id;
		replay->old_ms = commit->time_ms;
		replay->old_offset_min = commit->offset_min;
	}
}

/*
 * Lists the commits since the base. None where the line from one to the one before does not come by
 * a base, as after a git pull: then all of it becomes one, which leads to them as well.
 */
static int replay_list(struct replay *replay, struct err *err)
{
	struct commit commit;
	struct walk *walk;
	bool reached = false;
	int result = 0;

	if (walk_open(&walk, replay->repo, &replay->sides->ours, err) != 0)
		return -1;
	while (!reached && (result = walk_next(walk, &commit, err)) == 1) {
		reached = replay_is_base(replay, &commit.id);
		if (reached)
			replay->base = commit.id;
		else
			replay_note(replay, &commit);
	}
	walk_close(walk);
	if (result < 0)
		return -1;
	/* An unrelated history is replayed from its beginning. */
	replay->joined = !reached && replay->sides->base_count > 0;
	if (replay->joined)
		replay->count = replay->older = 0;
	return 0;
}

/* ---- one commit */

/* The file as the commit leaves it on top of what is there now. */
static int replay_file(struct replay *replay, const struct file_change *change,
		       struct object_id *out, struct err *err)
{
	struct str held[3] = {STR_INIT, STR_INIT, STR_INIT};
	struct object_id now;
	struct slice base;
	struct merge_texts texts = {.bases = &base};
	STR_AUTO text = STR_INIT;
	struct err broken;
	int result;

	if (repo_file_at(replay->repo, recording_head(replay->recording), change->path, &now,
			 err) != 0)
		return -1;
	*out = object_id_equal(&now, &change->before) ? change->after : now;
	if (object_id_equal(&now, &change->before) || object_id_equal(&now, &change->after) ||
	    object_id_is_none(&change->after))
		return 0;
	texts.base_count = object_id_is_none(&change->before) ? 0 : 1;
	result = whole_text(replay->repo, change->path, &change->before, &held[0], &base, err);
	if (result == 0)
		result = whole_text(replay->repo, change->path, &now, &held[1], &texts.ours, err);
	if (result == 0)
		result = whole_text(replay->repo, change->path, &change->after, &held[2],
				    &texts.theirs, err);
	/* A file that cannot be merged here comes with the last commit, which has all of the
	 * result. */
	if (result == 0 && merge_step(slice_of(change->path), &texts, &text, &broken) == 0)
		result = repo_blob_put(replay->repo, str_slice(&text), out, err);
	for (size_t i = 0; i < 3; i++)
		str_release(&held[i]);
	return result;
}

/* The message, with the names that commits made again have now. */
static void replay_message(const struct replay *replay, const char *message, struct str *out)
{
	str_adds(out, message);
	for (size_t i = 0; i < replay->count; i++) {
		char before[OBJECT_ID_DIGITS + 1];
		char after[OBJECT_ID_DIGITS + 1];
		char *at;

		/* One that the remote ends with is still called the same. */
		if (object_id_is_none(&replay->list[i].after) ||
		    object_id_equal(&replay->list[i].before, &replay->list[i].after))
			continue;
		object_id_text(&replay->list[i].before, before);
		object_id_text(&replay->list[i].after, after);
		while ((at = strstr(out->ptr, before)) != NULL)
			memcpy(at, after, OBJECT_ID_DIGITS);
	}
}

/* Adds the file as it is to be to those of the commit at hand. */
static int replay_take(struct replay *replay, const struct file_change *change,
		       struct file_list *files, struct err *err)
{
	struct object_id blob;

	if (object_id_equal(&change->before, &change->after))
		return 0;
	if (replay_file(replay, change, &blob, err) != 0)
		return -1;
	file_list_set(files, &replay->arena, change->path, &blob);
	return 0;
}

static int replay_files(struct replay *replay, struct walk *walk, struct file_list *files,
			struct err *err)
{
	const struct file_change *changes;
	size_t count;

	if (walk_changes(walk, &changes, &count, err) != 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		if (tracked_is(changes[i].path) &&
		    replay_take(replay, &changes[i], files, err) != 0)
			return -1;
	}
	return 0;
}

static int replay_commit(struct replay *replay, struct replayed *one, struct err *err)
{
	struct file_list files = {0};
	STR_AUTO message = STR_INIT;
	struct commit commit;
	struct walk *walk;
	int result = -1;

	if (walk_open(&walk, replay->repo, &one->before, err) != 0)
		return -1;
	if (walk_next(walk, &commit, err) == 1) {
		replay_message(replay, commit.message, &message);
		result = replay_files(replay, walk, &files, err);
	}
	if (result == 0) {
		const struct commit_spec spec = {
			.files = files.items,
			.count = files.count,
			.message = message.ptr,
			.author = commit.author,
			.email = commit.email,
			.time_ms = commit.time_ms,
			.offset_min = commit.offset_min,
		};

		result = recording_add(replay->recording, &spec, &one->after, err);
	}
	walk_close(walk);
	free(files.items);
	arena_release(&replay->arena);
	return result;
}

/* ---- those that become one */

static int replay_compare(struct replay *replay, struct file_list *files, struct err *err)
{
	struct file_list before = {0};
	struct file_list after = {0};
	int result = whole_list(replay->repo, &replay->base, &before, &replay->arena, err);

	if (result == 0)
		result = whole_list(replay->repo, &replay->old_tip, &after, &replay->arena, err);
	for (size_t i = 0; result == 0 && i < after.count; i++) {
		const struct file_change change = {after.items[i].path,
						   file_list_get(&before, after.items[i].path),
						   after.items[i].blob};

		result = replay_take(replay, &change, files, err);
	}
	/* What has gone goes with the merge, if it does. */
	free(before.items);
	free(after.items);
	return result;
}

static int replay_older(struct replay *replay, struct err *err)
{
	struct commit_spec spec = {.time_ms = replay->old_ms, .offset_min = replay->old_offset_min};
	struct message message = {.tool = slice_of("sync")};
	struct file_list files = {0};
	STR_AUTO verb = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct object_id id;
	int result = replay_compare(replay, &files, err);

	str_printf(&verb, "sync of %zu changes", replay->older);
	message.verb = verb.ptr;
	message_compose(&text, &message);
	spec.files = files.items;
	spec.count = files.count;
	spec.message = text.ptr;
	if (result == 0)
		result = recording_add(replay->recording, &spec, &id, err);
	free(files.items);
	arena_release(&replay->arena);
	return result;
}

/* ---- what the merge has beyond all of them */

static int replay_finish(struct replay *replay, const struct whole_result *merged, int64_t now_ms,
			 struct err *err)
{
	struct message message = {.verb = "sync", .tool = slice_of("sync")};
	struct commit_spec spec = {.time_ms = now_ms, .offset_min = timestamp_offset_min(now_ms)};
	struct slice *refs = mem_zalloc(merged->report.count, sizeof *refs);
	STR_AUTO text = STR_INIT;
	struct object_id id;
	int result;

	for (size_t i = 0; i < merged->report.count; i++) {
		const struct merge_conflict *conflict = &merged->report.conflicts[i];
		STR_AUTO ref = STR_INIT;

		str_add(&ref, conflict->file);
		str_addc(&ref, ':');
		str_add(&ref, conflict->key);
		refs[i] = arena_copy(&replay->arena, str_slice(&ref));
	}
	message.refs = refs;
	message.ref_count = merged->report.count;
	message_compose(&text, &message);
	spec.also = replay->joined ? &replay->sides->ours : NULL;
	spec.files = merged->files.items;
	spec.count = merged->files.count;
	spec.message = text.ptr;
	result = recording_add(replay->recording, &spec, &id, err);
	free(refs);
	return result;
}

int replay_make(struct repo *repo, struct recording *recording, const struct whole_sides *sides,
		const struct whole_result *merged, int64_t now_ms, struct err *err)
{
	struct replay replay = {.repo = repo, .sides = sides, .recording = recording};
	int result = replay_list(&replay, err);

	if (result == 0 && replay.older > 0)
		result = replay_older(&replay, err);
	for (size_t i = replay.count; result == 0 && i > 0; i--)
		result = replay_commit(&replay, &replay.list[i - 1], err);
	if (result == 0)
		result = replay_finish(&replay, merged, now_ms, err);
	free(replay.list);
	arena_release(&replay.arena);
	return result;
}
