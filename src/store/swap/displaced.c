#include "store/swap/displaced.h"

#include "store/swap/merge3.h"
#include "store/swap/exchange.h"
#include "store/swap/siblings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

/* How often edits that keep coming are merged before the rest waits for the next change. */
#define MERGE_TRIES 8

/* A displaced file and what is known of it. */
struct displaced {
	const struct path *path;
	enum store_file file;
	unsigned slot; /* 0: the last one that was displaced */
	char suffix[TWIN_SUFFIX_SIZE];
	char note[HELD_NAME_SIZE]; /* under which it is noted */
	struct intent intent;
	struct str text;
	struct file_id id;
	enum file_use use;
	struct known known;
};

static void displaced_release(struct displaced *d)
{
	intent_release(&d->intent);
	units_release(&d->known.units);
	str_release(&d->text);
}

static void displaced_init(struct displaced *d, const struct path *path, enum store_file file,
			   unsigned slot)
{
	*d = (struct displaced){.path = path, .file = file, .slot = slot, .text = STR_INIT};
	twin_suffix(d->suffix, slot);
	if (slot == 0)
		snprintf(d->note, sizeof d->note, "%s", path->file_name);
	else
		held_name(d->note, path->file_name, slot);
}

static int displaced_read(struct displaced *d, struct err *err)
{
	if (twin_read(d->path, d->suffix, &d->text, &d->id, &d->use, err) != 0)
		return -1;
	if (!d->id.present)
		return 0;
	if (intent_read(&d->intent, d->path->disk, d->note, err) != 0)
		return -1;
	if (d->slot && d->intent.was_ino != d->id.ino)
		d->intent.this_boot = false; /* not what the note is about */
	twin_known(&d->known, &d->intent, d->file, &d->id, str_slice(&d->text));
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

/*
 * Is it a text that our notes speak of, from whichever boot they are? What a change was made from
 * is in the file, and what one was to make of it was either put in place or never acknowledged.
 */
static bool is_noted(const struct intent *intent, struct slice text)
{
	uint64_t digest = text_digest(text);

	return intent->found && (digest == intent->was.digest || digest == intent->now.digest ||
				 digest == intent->new_digest || digest == intent->merged);
}

/* Once, where nobody can write to it any more. */
static int keep(const struct path *path, const char *suffix, const char *kind, struct slice text,
		enum file_use use, struct err *err)
{
	return use == FILE_USE_WRITTEN ? twin_keep(path, suffix, kind, err)
				       : twin_keep_once(path, suffix, kind, text, err);
}

/* Keeps a twin of unknown origin, unless the file holds the same anyway. */
static int keep_unknown(const struct path *path, const char *suffix, struct slice text,
			enum file_use use, struct err *err)
{
	STR_AUTO current = STR_INIT;
	struct file_id id;

	if (path_read(path, path->name, &current, &id, err) != 0)
		return -1;
	if (id.present && slice_equal(text, str_slice(&current)))
		return 0;
	return keep(path, suffix, TWIN_ORPHAN, text, use, err);
}

static int settle_unknown_temp(const struct path *path, const struct intent *intent,
			       struct err *err)
{
	STR_AUTO text = STR_INIT;
	struct file_id id;

	if (twin_read(path, TWIN_TEMP, &text, &id, NULL, err) != 0)
		return -1;
	/* Half-written: it was never exchanged, because that comes after the fsync. */
	if (id.present && !is_noted(intent, str_slice(&text)) && is_complete(str_slice(&text)) &&
	    keep_unknown(path, TWIN_TEMP, str_slice(&text), FILE_USE_IDLE, err) != 0)
		return -1;
	return twin_remove(path, TWIN_TEMP, err);
}

/* The new text: it was never exchanged, or exchanged and taken back. */
static int settle_new(const struct path *path, const struct intent *intent, struct err *err)
{
	STR_AUTO text = STR_INIT;
	struct file_id id;

	if (twin_read(path, TWIN_TEMP, &text, &id, NULL, err) != 0)
		return -1;
	if (text_digest(str_slice(&text)) != intent->new_digest)
		return settle_unknown_temp(path, intent, err);
	return twin_remove(path, TWIN_TEMP, err);
}

/* A temporary file that is there, by what the last intent says of it. */
static int settle_temp(const struct path *path, const struct stat *temp,
		       const struct intent *intent, struct err *err)
{
	STR_AUTO prev = STR_INIT;
	struct file_id id;

	if (!intent->found || !intent->this_boot)
		return settle_unknown_temp(path, intent, err);
	if (temp->st_ino == intent->temp_ino)
		return settle_new(path, intent, err);
	if (twin_read(path, TWIN_PREV, &prev, &id, NULL, err) != 0)
		return -1;
	/* Where it was to be held it may have gone to its slot already. */
	if ((id.present ? id.ino : 0) != intent->was_ino && (id.present || !intent->hold))
		return settle_unknown_temp(path, intent, err); /* that replacement was complete */
	if (!id.present && temp->st_size == 0)
		return twin_remove(path, TWIN_TEMP, err); /* just made, nothing noted yet */
	return twin_retire(path, intent, false, err);
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
	if (d->slot == 0) {
		known_copy(&intent.now, &intent.was);
		intent.held = d->intent.held;
	}
	result = intent_write(&intent, d->path->disk, d->note, err);
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

/* Merges it into the file. Returns 1: it is to be looked at again. */
static int merge(const struct displaced *d, const struct json *theirs, int64_t now_ms,
		 struct err *err)
{
	struct merge3 merge = {
		.file = d->file,
		.theirs = theirs,
		.base = &d->known.units,
		.now_ms = now_ms,
	};
	struct rewrite rewrite = {.build = merge3_build, .context = &merge};
	enum replaced what;

	if (d->slot == 0) {
		rewrite.merged = text_digest(str_slice(&d->text));
		rewrite.theirs = theirs;
	}
	if (replace_once(d->path, &rewrite, now_ms, &what, NULL, err) != 0)
		/* A broken file can take nothing; what is to be merged waits until it is mended. */
		return err->code == ERR_BAD_DATA || err->code == ERR_BUSY ? 0 : -1;
	if ((what == REPLACED_NOTHING || (what != REPLACED_AGAIN && d->slot)) &&
	    note_merged(d, theirs, err) != 0)
		return -1;
	return 1;
}

/* Scans it; where the kernel does not say who has it open, waits for who may be writing it. */
static int read_edited(struct displaced *d, struct json *doc, struct err *err)
{
	char *name;
	int result;

	if (d->use != FILE_USE_UNKNOWN)
		return path_parse(d->path, str_slice(&d->text), doc, err);
	name = twin_name(d->path, d->suffix);
	result = path_read_json(d->path, name, &d->text, doc, &d->id, err);
	free(name);
	return result;
}

/* After a power cut the notes may be older than the files: nothing can be merged, all is kept. */
static int settle_unknown(const struct displaced *d, struct err *err)
{
	struct slice text = str_slice(&d->text);

	if (text_is_blank(text) || is_noted(&d->intent, text))
		return d->slot ? twin_remove(d->path, d->suffix, err) : 0;
	if (!is_complete(text))
		return keep(d->path, d->suffix, TWIN_BROKEN, text, d->use, err);
	if (keep_unknown(d->path, d->suffix, text, d->use, err) != 0)
		return -1;
	return d->slot ? twin_remove(d->path, d->suffix, err) : 0;
}

/* Merges an edited displaced file. Returns 1 when it is to be looked at again. */
static int settle_edited(struct displaced *d, int64_t now_ms, struct err *err)
{
	struct json theirs;
	int result;

	/* Whoever is writing it has not finished: there is time until it is closed. */
	if (d->use == FILE_USE_WRITTEN && twin_is_fresh(d->path, &d->id))
		return 0;
	/* Emptied, or cut by an editor that takes its time: nothing to merge, yet. */
	if (d->use != FILE_USE_UNKNOWN && text_is_blank(str_slice(&d->text)))
		return note_settled(d, &d->known.units, err);
	if (read_edited(d, &theirs, err) != 0) {
		if (err->code != ERR_BAD_DATA)
			return -1;
		return d->use == FILE_USE_WRITTEN ? 0
						  : twin_keep(d->path, d->suffix, TWIN_BROKEN, err);
	}
	result = 0;
	if (text_is_blank(str_slice(&d->text)))
		result = note_settled(d, &d->known.units, err);
	else if (!is_settled(d))
		result = merge(d, &theirs, now_ms, err);
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

/* It is as it should be. What is held is not needed any more when it will never change again. */
static int leave_settled(const struct displaced *d, struct err *err)
{
	struct disk *disk = d->path->disk;

	if (d->slot == 0) {
		if (disk_is_settled(disk, &d->id))
			disk->settled[d->file] = d->id;
		return 0;
	}
	if (d->use != FILE_USE_IDLE || twin_is_young(d->path, &d->id))
		return 0;
	return twin_remove(d->path, d->suffix, err);
}

/* Held so short a time that it would have to stay in any case? Then it is not even read. */
static bool is_to_wait(const struct displaced *d)
{
	char *name;
	struct file_id id;
	struct err ignored;
	bool wait;

	if (d->slot == 0)
		return false;
	name = twin_name(d->path, d->suffix);
	wait = file_identify(d->path->disk->sys, d->path->dirfd, name, &id, &ignored) == 0 &&
	       id.present && twin_is_young(d->path, &id);
	free(name);
	return wait;
}

static int settle_one(struct displaced *d, int64_t now_ms, struct err *err)
{
	if (is_to_wait(d))
		return 0;
	if (displaced_read(d, err) != 0)
		return -1;
	if (!d->id.present)
		return 0;
	if (!d->intent.found || !d->intent.this_boot)
		return settle_unknown(d, err);
	return is_settled(d) ? leave_settled(d, err) : settle_edited(d, now_ms, err);
}

static int settle_slot(const struct path *path, enum store_file file, unsigned slot, int64_t now_ms,
		       struct err *err)
{
	int result = 1;

	for (int tries = 0; result == 1 && tries < MERGE_TRIES; tries++) {
		struct displaced d;

		displaced_init(&d, path, file, slot);
		result = settle_one(&d, now_ms, err);
		displaced_release(&d);
	}
	return result < 0 ? -1 : 0;
}

int settle_displaced(const struct path *path, enum store_file file, int64_t now_ms, struct err *err)
{
	uint32_t held;

	if (intent_held(&held, path->disk, path->file_name, err) != 0)
		return -1;
	/* The older ones first: where two edits disagree the newer one wins. */
	for (unsigned slot = 1; slot <= HELD_MAX; slot++) {
		if ((held & 1U << slot) && settle_slot(path, file, slot, now_ms, err) != 0)
			return -1;
	}
	return was_settled(path, file) ? 0 : settle_slot(path, file, 0, now_ms, err);
}
