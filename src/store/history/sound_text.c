#include "store/history/sound_text.h"

#include "git/walk.h"
#include "store/history/pending.h"
#include "store/swap/last_text.h"

bool sound_is_damaged(const char *name, struct slice text)
{
	enum store_file file = store_file_find(slice_of(name));

	return file < STORE_FILE_COUNT && !last_text_is_sound(file, text, NULL);
}

/*
 * At the commits of the walk, the first text that can be believed. *at_ms is when the first of them
 * was made: what that has was so until then.
 */
static int sound_walk(struct walk *walk, struct repo *repo, const char *name, struct object_id *out,
		      int64_t *at_ms, struct err *err)
{
	struct object_id seen = {{0}};
	struct object_id blob;
	struct commit commit;
	bool first = true;
	STR_AUTO text = STR_INIT;
	int result;

	*out = (struct object_id){{0}};
	while ((result = walk_next(walk, &commit, err)) == 1) {
		if (first)
			*at_ms = commit.time_ms;
		first = false;
		if (repo_file_at(repo, &commit.id, name, &blob, err) != 0)
			return -1;
		if (object_id_is_none(&blob))
			return 0;
		if (object_id_equal(&blob, &seen))
			continue;
		if (repo_blob_read(repo, &blob, &text, err) != 0)
			return -1;
		if (!sound_is_damaged(name, str_slice(&text))) {
			*out = blob;
			return 0;
		}
		seen = blob;
	}
	return result;
}

int sound_blob_at(struct repo *repo, const struct object_id *from, const char *name,
		  struct object_id *out, struct err *err)
{
	struct walk *walk;
	int64_t at_ms;

	if (walk_open(&walk, repo, from, err) != 0)
		return -1;
	int result = sound_walk(walk, repo, name, out, &at_ms, err);
	walk_close(walk);
	return result;
}

int sound_read(struct repo *repo, const struct object_id *commit, const char *name,
	       const struct object_id *blob, struct str *out, struct err *err)
{
	struct object_id sound;

	str_clear(out);
	if (object_id_is_none(blob))
		return 0;
	if (repo_blob_read(repo, blob, out, err) != 0)
		return -1;
	if (!sound_is_damaged(name, str_slice(out)))
		return 0;
	str_clear(out);
	if (sound_blob_at(repo, commit, name, &sound, err) != 0)
		return -1;
	return object_id_is_none(&sound) ? 0 : repo_blob_read(repo, &sound, out, err);
}

/* What a change gave the file, and the history has not recorded yet. */
static bool sound_pending(struct disk *disk, struct repo *repo, enum store_file file,
			  struct str *out, int64_t *at_ms)
{
	PENDING_AUTO pending = {0};
	struct err ignored;
	bool found = false;

	if (pending_read(&pending, disk, &ignored) != 0)
		return false;
	for (size_t i = pending.count; !found && i-- > 0;) {
		const struct pending_line *line = &pending.lines[i];

		found = slice_is(line->file, store_file_name(file)) &&
			!object_id_is_none(&line->after) &&
			repo_blob_read(repo, &line->after, out, &ignored) == 0 &&
			last_text_is_sound(file, str_slice(out), NULL);
		*at_ms = line->at_ms;
	}
	return found;
}

static bool sound_recorded(struct disk *disk, struct repo *repo, enum store_file file,
			   struct str *out, int64_t *at_ms)
{
	const char *name = store_file_name(file);
	struct object_id blob = {{0}};
	struct walk *walk;
	struct err ignored;

	if (sound_pending(disk, repo, file, out, at_ms))
		return true;
	if (walk_open(&walk, repo, NULL, &ignored) != 0)
		return false;
	bool found = sound_walk(walk, repo, name, &blob, at_ms, &ignored) == 0 &&
		     !object_id_is_none(&blob) && repo_blob_read(repo, &blob, out, &ignored) == 0;
	walk_close(walk);
	return found;
}

/* True if a change was made since this text was read. It would have been recorded before that. */
static bool sound_is_recorded(struct repo *repo, struct slice text)
{
	struct object_id blob;
	struct err ignored;

	return repo_blob_id(repo, text, &blob, &ignored) == 0 && repo_has(repo, &blob);
}

bool sound_find_last(struct disk *disk, struct repo *repo, enum store_file file,
		     struct slice cached, int64_t cached_ms, struct str *out)
{
	STR_AUTO kept = STR_INIT;
	int64_t kept_ms;
	int64_t at_ms = 0;

	str_clear(out);
	bool found = repo && sound_recorded(disk, repo, file, out, &at_ms);
	if (cached.ptr && !(found && sound_is_recorded(repo, cached))) {
		str_clear(out);
		str_add(out, cached);
		at_ms = cached_ms;
		found = true;
	}
	/* One that is older than the last commit was kept before there was a history. */
	if (last_text_read(disk, file, &kept, &kept_ms) && kept_ms > at_ms) {
		str_clear(out);
		str_add(out, str_slice(&kept));
		found = true;
	}
	return found;
}
