#include "store/settle.h"

#include "store/merge3.h"
#include "store/replace.h"
#include "store/twin.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

/* How often edits that keep coming are merged before the rest waits for the next change. */
#define MERGE_TRIES 8

/* The displaced file and what is known of it. */
struct displaced {
	const struct path *path;
	enum store_file file;
	struct intent intent;
	struct str text;
	struct file_id id;
	struct known known;
};

static void displaced_release(struct displaced *d)
{
	intent_release(&d->intent);
	units_release(&d->known.units);
	str_release(&d->text);
}

static int displaced_read(struct displaced *d, const struct path *path, enum store_file file,
			  struct err *err)
{
	*d = (struct displaced){.path = path, .file = file, .text = STR_INIT};
	if (twin_read(path, TWIN_PREV, &d->text, &d->id, err) != 0 ||
	    (d->id.present && intent_read(&d->intent, path->disk, path->file_name, err) != 0)) {
		displaced_release(d);
		return -1;
	}
	if (!d->id.present)
		return 0;
	twin_known(&d->known, &d->intent, file, &d->id, str_slice(&d->text));
	return 0;
}

static bool is_settled(const struct displaced *d)
{
	return !d->id.present || text_digest(str_slice(&d->text)) == d->known.digest;
}

static bool is_complete(struct slice text)
{
	struct json_fault fault;
	struct json doc;
	bool object;

	if (json_parse(&doc, text, &json_file_bounds, &fault) != 0)
		return false;
	object = json_type(&doc, JSON_ROOT) == JSON_OBJECT;
	json_release(&doc);
	return object;
}

/* Keeps a twin of unknown origin, unless the file holds the same anyway. */
static int keep_unknown(const struct path *path, const char *suffix, struct slice text,
			struct err *err)
{
	STR_AUTO current = STR_INIT;
	struct file_id id;

	if (path_read(path, path->name, &current, &id, err) != 0)
		return -1;
	if (id.present && slice_equal(text, str_slice(&current)))
		return 0;
	return twin_keep(path, suffix, TWIN_ORPHAN, err);
}

static int settle_unknown_temp(const struct path *path, struct err *err)
{
	STR_AUTO text = STR_INIT;
	struct file_id id;

	if (twin_read(path, TWIN_TEMP, &text, &id, err) != 0)
		return -1;
	/* Half-written: it was never exchanged, because that comes after the fsync. */
	if (id.present && is_complete(str_slice(&text)) &&
	    keep_unknown(path, TWIN_TEMP, str_slice(&text), err) != 0)
		return -1;
	return twin_remove(path, TWIN_TEMP, err);
}

/* A temporary file that is there, by what the last intent says of it. */
static int settle_temp(const struct path *path, const struct stat *temp,
		       const struct intent *intent, struct err *err)
{
	STR_AUTO prev = STR_INIT;
	struct file_id id;

	if (!intent->found || !intent->this_boot)
		return settle_unknown_temp(path, err);
	if (temp->st_ino == intent->temp_ino)
		return twin_remove(path, TWIN_TEMP, err); /* never exchanged */
	if (twin_read(path, TWIN_PREV, &prev, &id, err) != 0)
		return -1;
	if ((id.present ? id.ino : 0) != intent->was_ino)
		return settle_unknown_temp(path, err); /* that replacement was complete */
	if (!id.present && temp->st_size == 0)
		return twin_remove(path, TWIN_TEMP, err); /* just made, nothing noted yet */
	return twin_retire(path, intent, err);
}

int settle_leftover(const struct path *path, struct err *err)
{
	struct intent intent = INTENT_INIT;
	char *name = twin_name(path, TWIN_TEMP);
	struct stat st;
	int result = path->disk->sys->fstatat(path->dirfd, name, &st, AT_SYMLINK_NOFOLLOW);

	if (result != 0 && errno == ENOENT)
		result = 0;
	else if (result != 0)
		err_set_errno(err, ERR_IO, errno, "cannot look at %s/%s", path->disk->path, name);
	else if (!S_ISREG(st.st_mode))
		result = twin_remove(path, TWIN_TEMP, err);
	else if (intent_read(&intent, path->disk, path->file_name, err) != 0)
		result = -1;
	else
		result = settle_temp(path, &st, &intent, err);
	intent_release(&intent);
	free(name);
	return result;
}

/* Notes that the displaced file, as it is now, needs no more merging. */
static int note_settled(const struct displaced *d, const struct units *units, struct err *err)
{
	struct intent intent = INTENT_INIT;
	int result;

	intent.was_ino = d->id.ino;
	intent.was.digest = text_digest(str_slice(&d->text));
	units_copy(&intent.was.units, units);
	known_copy(&intent.now, &intent.was);
	result = intent_write(&intent, d->path->disk, d->path->file_name, err);
	intent_release(&intent);
	return result;
}

static int note_merged(const struct displaced *d, const struct json *doc, struct err *err)
{
	struct units units = UNITS_INIT;
	int result;

	units_read(&units, d->file, doc);
	result = note_settled(d, &units, err);
	units_release(&units);
	return result;
}

static int merge(const struct displaced *d, const struct json *theirs, int64_t now_ms,
		 struct err *err)
{
	struct merge3 merge = {
		.file = d->file,
		.theirs = theirs,
		.base = &d->known.units,
		.now_ms = now_ms,
	};
	struct rewrite rewrite = {
		.build = merge3_build,
		.context = &merge,
		.merged = text_digest(str_slice(&d->text)),
	};
	enum replaced what;

	if (replace_once(d->path, &rewrite, now_ms, &what, NULL, err) != 0)
		return -1;
	return what == REPLACED_NOTHING ? note_merged(d, theirs, err) : 0;
}

/* Reads the displaced file again and scans it; waits when an editor seems to be writing it. */
static int read_edited(struct displaced *d, struct json *doc, struct err *err)
{
	char *prev = twin_name(d->path, TWIN_PREV);
	int result = path_read_json(d->path, prev, &d->text, doc, &d->id, err);

	free(prev);
	return result;
}

/* After a power cut the notes may be older than the files: nothing can be merged, all is kept. */
static int settle_unknown(const struct displaced *d, struct err *err)
{
	struct slice text = str_slice(&d->text);
	uint64_t digest = text_digest(text);

	if (text_is_blank(text) ||
	    (d->intent.found && (digest == d->intent.was.digest || digest == d->intent.now.digest)))
		return 0;
	if (is_complete(text))
		return keep_unknown(d->path, TWIN_PREV, text, err);
	return twin_keep(d->path, TWIN_PREV, TWIN_BROKEN, err);
}

/* Merges an edited displaced file. Returns 1 when it is to be looked at again. */
static int settle_edited(struct displaced *d, int64_t now_ms, struct err *err)
{
	struct json theirs;
	int result = read_edited(d, &theirs, err);

	if (result != 0)
		return err->code == ERR_BAD_DATA ? twin_keep(d->path, TWIN_PREV, TWIN_BROKEN, err)
						 : -1;
	if (text_is_blank(str_slice(&d->text))) {
		/* Emptied, or cut by an editor that takes its time: nothing to merge, yet. */
		result = note_settled(d, &d->known.units, err);
	} else if (!is_settled(d)) {
		result = merge(d, &theirs, now_ms, err);
		/* A broken file can take nothing; what is to be merged waits until it is mended. */
		result = result == 0 ? 1 : err->code == ERR_BAD_DATA ? 0 : -1;
	}
	json_release(&theirs);
	return result;
}

/* Is the displaced file the one that was looked at before and found as it should be? */
static bool was_settled(const struct path *path, enum store_file file)
{
	char *prev = twin_name(path, TWIN_PREV);
	struct file_id id;
	struct err ignored;
	bool same = file_identify(path->disk->sys, path->dirfd, prev, &id, &ignored) == 0 &&
		    (!id.present || file_id_equal(&id, &path->disk->settled[file]));

	free(prev);
	return same;
}

static void remember_settled(const struct displaced *d)
{
	struct disk *disk = d->path->disk;

	if (disk_is_settled(disk, &d->id))
		disk->settled[d->file] = d->id;
}

int settle_displaced(const struct path *path, enum store_file file, int64_t now_ms, struct err *err)
{
	int result = was_settled(path, file) ? 0 : 1;

	for (int tries = 0; result == 1 && tries < MERGE_TRIES; tries++) {
		struct displaced d;

		if (displaced_read(&d, path, file, err) != 0)
			return -1;
		if (!d.id.present)
			result = 0;
		else if (!d.intent.found || !d.intent.this_boot)
			result = settle_unknown(&d, err);
		else
			result = is_settled(&d) ? 0 : settle_edited(&d, now_ms, err);
		if (result == 0 && d.id.present && is_settled(&d))
			remember_settled(&d);
		displaced_release(&d);
	}
	return result < 0 ? -1 : 0;
}
