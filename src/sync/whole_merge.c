#include "sync/whole_merge.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "git/walk.h"
#include "merge/merge_file.h"
#include "model/settings.h"
#include "store/files/dir.h"
#include "store/files/format_files.h"
#include "store/history/tracked.h"

#include <stdlib.h>

/* Longest file that is taken from a remote. */
#define WHOLE_BYTES_MAX ((size_t)8 << 20)

/* Most files: ten years of the cold archive are 120, and the rest are notes. */
#define WHOLE_FILES_MAX 4000

/* So many commits are looked through for a text that is not broken. */
#define SOUND_COMMITS 1000

/* ---- reading */

struct whole_listing {
	struct file_list *list;
	struct arena *arena;
};

/* Links, folders and the like under the name of a file are listed without a text. */
static int whole_take_other(void *context, const char *path, const struct object_id *blob)
{
	struct whole_listing *listing = context;
	STR_AUTO name = STR_INIT;

	str_adds(&name, path);
	if (slice_ends(str_slice(&name), "/"))
		str_truncate(&name, name.len - 1);
	if (tracked_is(name.ptr))
		file_list_set(listing->list, listing->arena, name.ptr, blob);
	return 0;
}

static int whole_take(void *context, const char *path, const struct object_id *blob)
{
	struct whole_listing *listing = context;

	if (tracked_is(path) && listing->list->count <= WHOLE_FILES_MAX)
		file_list_set(listing->list, listing->arena, path, blob);
	return 0;
}

int whole_list(struct repo *repo, const struct object_id *commit, struct file_list *out,
	       struct arena *arena, struct err *err)
{
	struct whole_listing listing = {out, arena};

	if (object_id_is_none(commit))
		return 0;
	if (repo_files(repo, commit, whole_take, &listing, err) != 0 ||
	    repo_others(repo, commit, whole_take_other, &listing, err) != 0)
		return -1;
	return out->count <= WHOLE_FILES_MAX
		       ? 0
		       : err_set(err, ERR_TOO_LARGE, "the remote has more than %d files of a store",
				 WHOLE_FILES_MAX);
}

int whole_text(struct repo *repo, const char *name, const struct object_id *blob, struct str *text,
	       struct slice *out, struct err *err)
{
	size_t bytes;

	*out = slice_of(NULL);
	if (object_id_is_none(blob))
		return 0;
	if (repo_blob_bytes(repo, blob, &bytes, err) != 0)
		return -1;
	if (bytes > WHOLE_BYTES_MAX)
		return err_set(err, ERR_TOO_LARGE,
			       "%s of the remote has %zu bytes; at most %zu are taken", name, bytes,
			       WHOLE_BYTES_MAX);
	if (repo_blob_read(repo, blob, text, err) != 0)
		return -1;
	*out = str_slice(text);
	return 0;
}

static int whole_check_settings(struct slice text, struct err *why)
{
	struct settings settings;
	struct json_fault fault;
	struct json doc;
	uint32_t node;
	int result;

	if (json_parse(&doc, text, &json_file_bounds, &fault) != 0)
		return err_set(why, ERR_BAD_DATA, "%u:%u: %s", fault.line, fault.column,
			       fault.what);
	settings_init(&settings);
	result = settings_apply(&settings, &doc, SETTINGS_SYNCED, &node, why);
	json_release(&doc);
	return result;
}

/* The format that the mark of a store names; 0 where it names none. */
static long whole_format(struct slice text)
{
	size_t prefix = strlen(MARK_FORMAT_PREFIX);
	long format;

	if (!slice_starts(text, MARK_FORMAT_PREFIX))
		return 0;
	format = strtol(text.ptr + prefix, NULL, 10);
	return format > 0 ? format : 0;
}

/* Is it made of what such a file is made of? If not, *why says what is wrong. */
static bool whole_is_sound(const char *name, struct slice text, struct err *why)
{
	struct slice none = slice_of(NULL);
	const struct merge_texts texts = {NULL, 0, text, none};
	STR_AUTO out = STR_INIT;

	if (!text.ptr) {
		err_set(why, ERR_BAD_DATA, "it is not a file");
		return false;
	}
	if (strcmp(name, MARK_FORMAT_NAME) == 0) {
		err_set(why, ERR_BAD_DATA, "it names no format");
		return whole_format(text) > 0;
	}
	if (strcmp(name, CONFIG_NAME) == 0 && whole_check_settings(text, why) != 0)
		return false;
	return !slice_ends(slice_of(name), ".json") ||
	       merge_step(slice_of(name), &texts, &out, why) == 0;
}

/* Nothing of a store lies behind a link, or in another repository. */
static int whole_check_folder(void *context, const char *path, const struct object_id *blob)
{
	struct err *err = context;

	(void)blob;
	if (!tracked_is_folder(path))
		return 0;
	return err_set(err, ERR_BAD_DATA,
		       "%s is no folder at the remote: remove it there, and what was in it comes "
		       "back with git revert",
		       path);
}

static int whole_check_folders(struct repo *repo, const struct object_id *commit, struct err *err)
{
	struct err why = {.code = ERR_NONE};

	if (repo_files(repo, commit, whole_check_folder, &why, err) != 0 ||
	    repo_others(repo, commit, whole_check_folder, &why, err) != 0)
		return -1;
	if (why.code == ERR_NONE)
		return 0;
	*err = why;
	return -1;
}

static int whole_check_file(struct repo *repo, const struct recorded_file *file, bool *sound,
			    struct err *err)
{
	STR_AUTO text = STR_INIT;
	struct slice now;
	struct err why;

	if (whole_text(repo, file->path, &file->blob, &text, &now, err) != 0)
		return -1;
	*sound = whole_is_sound(file->path, now, &why);
	if (strcmp(file->path, MARK_FORMAT_NAME) != 0 || !now.ptr ||
	    whole_format(now) <= STORE_FORMAT)
		return 0;
	return err_set(err, ERR_BAD_FORMAT,
		       "the store at the remote has format %ld, this program knows %d: update it",
		       whole_format(now), STORE_FORMAT);
}

int whole_check(struct repo *repo, const struct object_id *commit, const struct object_id *ours,
		bool *as_it_is, struct err *err)
{
	ARENA_AUTO arena = ARENA_INIT;
	struct file_list files = {0};
	struct file_list here = {0};
	int result = whole_check_folders(repo, commit, err);

	if (result == 0)
		result = whole_list(repo, commit, &files, &arena, err);
	if (result == 0)
		result = whole_list(repo, ours, &here, &arena, err);
	*as_it_is = true;
	for (size_t i = 0; result == 0 && i < files.count; i++) {
		bool sound = true;

		result = whole_check_file(repo, &files.items[i], &sound, err);
		*as_it_is = *as_it_is && sound;
	}
	for (size_t i = 0; i < here.count; i++)
		*as_it_is = *as_it_is && (tracked_is_note(here.items[i].path) ||
					  file_list_find(&files, here.items[i].path));
	free(files.items);
	free(here.items);
	return result;
}

/* ---- texts that a remote has broken */

/* The last text of the file on the way back from the commit that is not broken; none: none is. */
static int whole_find_sound(struct repo *repo, const struct object_id *from, const char *name,
			    struct object_id *out, struct err *err)
{
	struct object_id last = {{0}};
	struct commit commit;
	struct walk *walk;
	int result = 0;

	*out = (struct object_id){{0}};
	if (walk_open(&walk, repo, from, err) != 0)
		return -1;
	for (int i = 0; i < SOUND_COMMITS && (result = walk_next(walk, &commit, err)) == 1; i++) {
		STR_AUTO text = STR_INIT;
		struct object_id blob;
		struct slice now;
		struct err why;

		result = repo_file_at(repo, &commit.id, name, &blob, err);
		if (result != 0)
			break;
		if (object_id_is_none(&blob) || object_id_equal(&blob, &last))
			continue;
		last = blob;
		if (whole_text(repo, name, &blob, &text, &now, err) == 0 &&
		    whole_is_sound(name, now, &why)) {
			*out = blob;
			break;
		}
	}
	walk_close(walk);
	return result < 0 ? -1 : 0;
}

/* ---- merging */

struct whole_work {
	struct repo *repo;
	const struct whole_sides *sides;
	struct file_list *bases; /* one a base */
	struct file_list theirs;
	struct file_list ours;
	struct whole_result *out;
};

/* The texts of one file; released as a whole. */
struct whole_texts {
	struct merge_texts texts;
	struct slice *bases;
	struct str *held; /* bases, then theirs, then ours */
	size_t count;
};

static void whole_texts_release(struct whole_texts *t)
{
	for (size_t i = 0; i < t->count; i++)
		str_release(&t->held[i]);
	free(t->held);
	free(t->bases);
}

/* The remote's bytes are the ones that stay: it is `ours` of the merge. */
static int whole_texts_load(const struct whole_work *work, const char *name, struct whole_texts *t,
			    struct err *err)
{
	size_t bases = work->sides->base_count;
	struct object_id theirs = file_list_get(&work->theirs, name);
	struct object_id ours = file_list_get(&work->ours, name);

	*t = (struct whole_texts){.count = bases + 2};
	t->bases = mem_zalloc(bases, sizeof *t->bases);
	t->held = mem_zalloc(t->count, sizeof *t->held);
	for (size_t i = 0; i < t->count; i++)
		str_init(&t->held[i]);
	t->texts.bases = t->bases;
	t->texts.base_count = bases;
	for (size_t i = 0; i < bases; i++) {
		struct object_id base = file_list_get(&work->bases[i], name);

		if (whole_text(work->repo, name, &base, &t->held[i], &t->bases[i], err) != 0)
			return -1;
	}
	if (whole_text(work->repo, name, &theirs, &t->held[bases], &t->texts.ours, err) != 0)
		return -1;
	return whole_text(work->repo, name, &ours, &t->held[bases + 1], &t->texts.theirs, err);
}

static int whole_set(struct whole_work *work, const char *name, struct slice text, struct err *err)
{
	struct object_id blob = {{0}};

	if (text.ptr && repo_blob_put(work->repo, text, &blob, err) != 0)
		return -1;
	file_list_set(&work->out->files, &work->out->arena, name, &blob);
	return 0;
}

/* Has one side only removed it? */
static bool whole_is_removed(const char *name, const struct object_id *theirs,
			     const struct object_id *ours)
{
	return !tracked_is_note(name) && object_id_is_none(theirs) != object_id_is_none(ours);
}

/*
 * No file but a note ever goes, or the machines that have it would make it anew: what has entries
 * or lines becomes empty, settings and the like stay.
 */
static bool whole_stays(const char *name, const struct object_id *theirs,
			const struct object_id *ours, struct object_id *out)
{
	enum merge_kind kind = merge_kind_of(slice_of(name));

	if (!whole_is_removed(name, theirs, ours) || kind == MERGE_LOG || kind == MERGE_RELATIONS)
		return false;
	*out = object_id_is_none(theirs) ? *ours : *theirs;
	return true;
}

/* Both sides alike, or one of them as all bases have it: no text has to be looked at. */
static bool whole_pick(const struct whole_work *work, const char *name, struct object_id *out)
{
	struct object_id theirs = file_list_get(&work->theirs, name);
	struct object_id ours = file_list_get(&work->ours, name);
	struct object_id base;

	*out = theirs;
	if (object_id_equal(&theirs, &ours) || whole_stays(name, &theirs, &ours, out))
		return true;
	if (whole_is_removed(name, &theirs, &ours))
		return false;
	if (work->sides->base_count != 1)
		return false;
	base = file_list_get(&work->bases[0], name);
	if (object_id_equal(&base, &theirs))
		*out = ours;
	return object_id_equal(&base, &theirs) || object_id_equal(&base, &ours);
}

static int whole_merge_one(struct whole_work *work, const char *name, struct err *err)
{
	struct merge_report report = {0};
	struct whole_texts t;
	STR_AUTO text = STR_INIT;
	struct object_id blob;
	struct err why;
	int result;

	if (whole_pick(work, name, &blob)) {
		file_list_set(&work->out->files, &work->out->arena, name, &blob);
		return 0;
	}
	result = whole_texts_load(work, name, &t, err);
	if (result == 0)
		result = merge_file(slice_of(name), &t.texts, 0, &text, &report, err);
	for (size_t i = 0; result == 0 && i < report.count; i++) {
		STR_AUTO scratch = STR_INIT;

		str_printf(&work->out->remarks,
			   "%s: %s was changed on both sides; the remote's stays\n", name,
			   shown(&scratch, report.conflicts[i].key));
	}
	if (result == 0 && !whole_is_sound(name, str_slice(&text), &why)) {
		/* Each is sound by itself, so the remote's is. */
		str_printf(
			&work->out->remarks,
			"%s: what both sides say does not go together (%s); the remote's stays\n",
			name, why.text);
		blob = file_list_get(&work->theirs, name);
		file_list_set(&work->out->files, &work->out->arena, name, &blob);
	} else if (result == 0) {
		result = whole_set(work, name, str_slice(&text), err);
	} else {
		err_prefix(err, "%s", name);
	}
	merge_report_release(&report);
	whole_texts_release(&t);
	return result;
}

/* The categories and the archive, together: what loses in one becomes a record of the other. */
static int whole_merge_entries(struct whole_work *work, size_t entry_bytes, struct err *err)
{
	struct merge_texts texts[MERGE_STORE_FILES] = {0};
	struct whole_texts loaded[MERGE_STORE_FILES] = {0};
	struct str out[MERGE_STORE_FILES];
	int result = 0;

	for (size_t i = 0; i < MERGE_STORE_FILES; i++)
		str_init(&out[i]);
	for (size_t i = 0; result == 0 && i < MERGE_STORE_FILES; i++) {
		result = whole_texts_load(work, store_file_name((enum store_file)i), &loaded[i],
					  err);
		texts[i] = loaded[i].texts;
	}
	if (result == 0)
		result = merge_store(texts, entry_bytes, out, &work->out->report, err);
	for (size_t i = 0; result == 0 && i < MERGE_STORE_FILES; i++) {
		bool there = texts[i].ours.ptr || texts[i].theirs.ptr || out[i].len > 0;

		/* Also none is set: a file that was never anything but broken goes. */
		result = whole_set(work, store_file_name((enum store_file)i),
				   there ? str_slice(&out[i]) : slice_of(NULL), err);
	}
	for (size_t i = 0; i < MERGE_STORE_FILES; i++) {
		whole_texts_release(&loaded[i]);
		str_release(&out[i]);
	}
	return result;
}

/* A file of a commit that is broken in it counts as its last text that was not. */
static int whole_mend(struct whole_work *work, const struct object_id *commit,
		      struct file_list *files, struct err *err)
{
	for (size_t i = 0; i < files->count; i++) {
		struct recorded_file *file = &files->items[i];
		STR_AUTO text = STR_INIT;
		struct slice now;
		struct err why;

		if (whole_text(work->repo, file->path, &file->blob, &text, &now, err) != 0)
			return -1;
		if (whole_is_sound(file->path, now, &why))
			continue;
		if (files == &work->theirs)
			str_printf(&work->out->remarks,
				   "%s is broken at the remote (%s): its last text that was not "
				   "counts\n",
				   file->path, why.text);
		if (whole_find_sound(work->repo, commit, file->path, &file->blob, err) != 0)
			return -1;
	}
	return 0;
}

static int whole_merge_others(struct whole_work *work, const struct file_list *names,
			      struct err *err)
{
	for (size_t i = 0; i < names->count; i++) {
		const char *name = names->items[i].path;
		int category = tracked_category(name);

		if (category == CATEGORY_ANY && !file_list_find(&work->out->files, name) &&
		    whole_merge_one(work, name, err) != 0)
			return -1;
	}
	return 0;
}

int whole_merge(struct repo *repo, const struct whole_sides *sides, size_t entry_bytes,
		struct whole_result *out, struct err *err)
{
	struct whole_work work = {.repo = repo, .sides = sides, .out = out};
	int result;

	*out = (struct whole_result){.remarks = STR_INIT};
	work.bases = mem_zalloc(sides->base_count, sizeof *work.bases);
	result = whole_list(repo, &sides->theirs, &work.theirs, &out->arena, err);
	if (result == 0)
		result = whole_list(repo, &sides->ours, &work.ours, &out->arena, err);
	for (size_t i = 0; result == 0 && i < sides->base_count; i++)
		result = whole_list(repo, &sides->bases[i], &work.bases[i], &out->arena, err);
	if (result == 0)
		result = whole_mend(&work, &sides->theirs, &work.theirs, err);
	for (size_t i = 0; result == 0 && i < sides->base_count; i++)
		result = whole_mend(&work, &sides->bases[i], &work.bases[i], err);
	if (result == 0)
		result = whole_merge_entries(&work, entry_bytes, err);
	if (result == 0)
		result = whole_merge_others(&work, &work.theirs, err);
	if (result == 0)
		result = whole_merge_others(&work, &work.ours, err);
	for (size_t i = 0; i < sides->base_count; i++)
		free(work.bases[i].items);
	free(work.bases);
	free(work.theirs.items);
	free(work.ours.items);
	return result;
}

void whole_result_release(struct whole_result *result)
{
	free(result->files.items);
	merge_report_release(&result->report);
	str_release(&result->remarks);
	arena_release(&result->arena);
}
