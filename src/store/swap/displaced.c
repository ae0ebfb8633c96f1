#include "store/swap/displaced.h"

#include "store/swap/exchange.h"
#include "store/swap/merge3.h"
#include "store/swap/siblings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

/* How often the text is built anew because somebody changed the file meanwhile. */
#define BUILD_TRIES 12

/* How often edits that keep coming are merged before the rest waits for the next change. */
#define MERGE_TRIES 8

/* A displaced file and what is known of it. */
struct displaced {
	const struct path *path;
	enum store_file file;
	unsigned slot; /* 0: the last one that was displaced */
	char suffix[SIBLING_SUFFIX_SIZE];
	char note[HELD_NAME_SIZE]; /* under which it is noted */
	struct swap_log intent;
	struct str text;
	struct file_id id;
	struct inode inode;
	enum file_use use;
	struct known known;
};

static bool displaced_is_settled(const struct displaced *d)
{
	return text_digest(str_slice(&d->text)) == d->known.digest;
}

/* True if it is a whole document, not one that was cut off during a write. */
static bool displaced_is_complete(struct slice text)
{
	struct json_fault fault;
	JSON_AUTO doc = {0};

	if (json_parse(&doc, text, &json_file_bounds, &fault) != 0)
		return false;
	return json_type(&doc, JSON_ROOT) == JSON_OBJECT;
}

/*
 * True if our notes mention this text, from whichever boot they are. What a change was made from is
 * in the file, and its result was either put in place or never acknowledged.
 */
static bool displaced_is_noted(const struct swap_log *intent, struct slice text)
{
	uint64_t digest = text_digest(text);

	return intent->found && (digest == intent->was.digest || digest == intent->now.digest ||
				 digest == intent->new_digest || digest == intent->merged);
}

/* Keeps a text under a name of this kind: once, where nobody can write to it any more. */
static int displaced_keep(const struct path *path, const char *suffix, const char *kind,
			  struct slice text, enum file_use use, struct err *err)
{
	return use == FILE_USE_WRITTEN ? sibling_keep(path, suffix, kind, err)
				       : sibling_keep_once(path, suffix, kind, text, err);
}

/* Keeps a text of unknown origin, unless the file holds the same anyway. */
static int displaced_keep_unknown(const struct path *path, const char *suffix, struct slice text,
				  enum file_use use, struct err *err)
{
	STR_AUTO current = STR_INIT;
	struct file_id id;

	if (path_read(path, path->name, &current, &id, err) != 0)
		return -1;
	if (id.present && slice_equal(text, str_slice(&current)))
		return 0;
	return displaced_keep(path, suffix, SIBLING_ORPHAN, text, use, err);
}

/*
 * What became of a replacement that was interrupted, by the last note and the inodes: what was to
 * become the file goes, what came out of it becomes the displaced file.
 */
static int displaced_finish_exchange(const struct path *path, struct swap_log *intent,
				     struct err *err)
{
	STR_AUTO text = STR_INIT;
	struct file_id place;
	struct file_id prev;
	struct file_id id;
	struct inode inode;

	if (sibling_read(path, SIBLING_TEMP, &text, &id, NULL, err) != 0 ||
	    sibling_identify(path, SIBLING_PREV, &prev, err) != 0 ||
	    file_identify(path->disk->sys, path->dirfd, path->name, &place, err) != 0)
		return -1;
	sibling_inode(&inode, path, SIBLING_TEMP, &id);
	if (swap_log_means(intent, &intent->temp, id.dev, &inode)) {
		/* The new text of that note: it was never exchanged, or exchanged and taken back.
		 */
		if (text_digest(str_slice(&text)) == intent->new_digest)
			return sibling_remove(path, SIBLING_TEMP, err);
	} else if (place.present) {
		struct inode now = {
			.ino = place.ino,
			.born_ns = file_born_ns(path->disk->sys, path->dirfd, path->name)};

		/* It is in its place, and the displaced file before is not replaced yet. Where that
		 * was to be held it may have gone to its slot already. */
		if (swap_log_means(intent, &intent->temp, place.dev, &now) &&
		    ((prev.present ? prev.ino : 0) == intent->prev.ino ||
		     (!prev.present && intent->hold))) {
			/* It may be a person's file that came just then, which nobody had noted. */
			intent->file = inode;
			return swap_log_write(intent, path->disk, path->file_name, err) != 0
				       ? -1
				       : sibling_retire(path, intent, false, err);
		}
	}
	/* Half-written: it was never exchanged, because that comes after the fsync. */
	if (id.present && !displaced_is_noted(intent, str_slice(&text)) &&
	    displaced_is_complete(str_slice(&text)) &&
	    displaced_keep_unknown(path, SIBLING_TEMP, str_slice(&text), FILE_USE_IDLE, err) != 0)
		return -1;
	return sibling_remove(path, SIBLING_TEMP, err);
}

/* Deals with a temporary file that an interrupted process left. */
static int displaced_settle_temp(const struct path *path, struct err *err)
{
	struct swap_log intent = INTENT_INIT;
	STR_AUTO name = STR_INIT;
	struct stat st;
	int result = -1;

	sibling_name(&name, path, SIBLING_TEMP);
	if (path->disk->sys->fstatat(path->dirfd, name.ptr, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? 0
				       : err_set_errno(err, ERR_IO, errno, "cannot look at %s/%s",
						       path->disk->path, name.ptr);
	if (!S_ISREG(st.st_mode))
		return sibling_remove(path, SIBLING_TEMP, err);
	if (swap_log_read(&intent, path->disk, path->file_name, err) == 0)
		result = displaced_finish_exchange(path, &intent, err);
	swap_log_release(&intent);
	return result;
}

/*
 * Notes that the displaced file, as it is now, needs no more merging: it is made of these units,
 * NULL: those that are known.
 */
static int displaced_note(const struct displaced *d, const struct json *doc, struct err *err)
{
	struct swap_log intent = INTENT_INIT;

	intent.dev = d->id.dev;
	intent.prev = d->inode;
	intent.was.digest = text_digest(str_slice(&d->text));
	if (doc)
		digests_read(&intent.was.units, d->file, doc);
	else
		digests_copy(&intent.was.units, &d->known.units);
	if (d->slot == 0) {
		known_copy(&intent.now, &intent.was);
		intent.held = d->intent.held;
	}
	int result = swap_log_write(&intent, d->path->disk, d->note, err);
	swap_log_release(&intent);
	return result;
}

/* Merges it into the file. Returns 1: it is to be looked at again. */
static int displaced_merge(const struct displaced *d, const struct json *theirs, int64_t now_ms,
			   struct err *err)
{
	struct merge3 merge = {
		.file = d->file,
		.theirs = theirs,
		.base = &d->known.units,
		.now_ms = now_ms,
	};
	struct rewrite rewrite = {.build = merge3_build, .context = &merge, .by_hand = true};
	enum replaced what;

	if (d->slot == 0) {
		rewrite.merged = text_digest(str_slice(&d->text));
		rewrite.theirs = theirs;
	}
	if (replace_once(d->path, d->file, &rewrite, now_ms, &what, NULL, err) != 0)
		/* Nothing can be merged into a broken file: wait until it is mended. */
		return err->code == ERR_BAD_DATA || err->code == ERR_BUSY ? 0 : -1;
	if ((what == REPLACED_NOTHING || (what != REPLACED_AGAIN && d->slot)) &&
	    displaced_note(d, theirs, err) != 0)
		return -1;
	return 1;
}

/*
 * No displaced file of ours, for all that the notes say: it came with a copy of the store, was
 * restored, or the notes are older than a power cut. Nothing of it is merged, and it is kept.
 */
static int displaced_settle_unknown(const struct displaced *d, struct err *err)
{
	struct slice text = str_slice(&d->text);

	if (!text_is_blank(text) && !displaced_is_noted(&d->intent, text)) {
		if (!displaced_is_complete(text))
			return displaced_keep(d->path, d->suffix, SIBLING_BROKEN, text, d->use,
					      err);
		if (displaced_keep_unknown(d->path, d->suffix, text, d->use, err) != 0)
			return -1;
	}
	return d->slot ? sibling_remove(d->path, d->suffix, err) : 0;
}

/* Merges an edited displaced file. Returns 1 when it is to be looked at again. */
static int displaced_settle_edited(struct displaced *d, int64_t now_ms, struct err *err)
{
	STR_AUTO name = STR_INIT;
	JSON_AUTO theirs = {0};
	int result = 0;

	/* Somebody is still writing to it: wait until it is closed. */
	if (d->use == FILE_USE_WRITTEN && sibling_is_fresh(d->path, &d->id))
		return 0;
	/* Emptied, or cut by an editor that takes its time: nothing to merge, yet. */
	if (d->use != FILE_USE_UNKNOWN && text_is_blank(str_slice(&d->text)))
		return displaced_note(d, NULL, err);
	/* Where the kernel does not say who has it open, waits for who may be writing it. */
	sibling_name(&name, d->path, d->suffix);
	if (d->use != FILE_USE_UNKNOWN)
		result = path_parse(d->path, str_slice(&d->text), &theirs, err);
	else
		result = path_read_json(d->path, name.ptr, false, &d->text, &theirs, &d->id, err);
	if (result != 0) {
		if (err->code != ERR_BAD_DATA)
			return -1;
		return d->use == FILE_USE_WRITTEN
			       ? 0
			       : sibling_keep(d->path, d->suffix, SIBLING_BROKEN, err);
	}
	if (text_is_blank(str_slice(&d->text)))
		result = displaced_note(d, NULL, err);
	else if (!displaced_is_settled(d))
		result = displaced_merge(d, &theirs, now_ms, err);
	return result;
}

/* It is as it should be. What is held is not needed any more when it will never change again. */
static int displaced_leave(const struct displaced *d, struct err *err)
{
	struct disk *disk = d->path->disk;

	if (d->slot == 0) {
		if (disk_is_settled(disk, &d->id))
			disk->settled[d->file] = d->id;
		return 0;
	}
	if (d->use != FILE_USE_IDLE || sibling_is_young(d->path, &d->id))
		return 0;
	return sibling_remove(d->path, d->suffix, err);
}

static int displaced_settle_one(struct displaced *d, int64_t now_ms, struct err *err)
{
	struct err ignored;

	/* Held for so short a time that it stays in any case: no need to read it. */
	if (d->slot && sibling_identify(d->path, d->suffix, &d->id, &ignored) == 0 &&
	    d->id.present && sibling_is_young(d->path, &d->id))
		return 0;
	if (sibling_read(d->path, d->suffix, &d->text, &d->id, &d->use, err) != 0)
		return -1;
	if (!d->id.present)
		return 0;
	if (swap_log_read(&d->intent, d->path->disk, d->note, err) != 0)
		return -1;
	sibling_inode(&d->inode, d->path, d->suffix, &d->id);
	if (!sibling_known(&d->known, &d->intent, d->file, d->id.dev, &d->inode,
			   str_slice(&d->text)))
		return displaced_settle_unknown(d, err);
	return displaced_is_settled(d) ? displaced_leave(d, err)
				       : displaced_settle_edited(d, now_ms, err);
}

static int displaced_settle_slot(const struct path *path, enum store_file file, unsigned slot,
				 int64_t now_ms, struct err *err)
{
	int result = 1;

	for (int tries = 0; result == 1 && tries < MERGE_TRIES; tries++) {
		struct displaced d = {.path = path, .file = file, .slot = slot, .text = STR_INIT};

		sibling_suffix(d.suffix, slot);
		if (slot == 0)
			snprintf(d.note, sizeof d.note, "%s", path->file_name);
		else
			held_name(d.note, path->file_name, slot);
		result = displaced_settle_one(&d, now_ms, err);
		swap_log_release(&d.intent);
		digests_release(&d.known.units);
		str_release(&d.text);
	}
	return result < 0 ? -1 : 0;
}

/* Takes in what editors have written to the displaced files of this one, and what is left over. */
static int displaced_settle(const struct path *path, enum store_file file, int64_t now_ms,
			    struct err *err)
{
	struct file_id prev;
	struct err ignored;
	uint32_t held;

	if (swap_log_held(&held, path->disk, path->file_name, err) != 0)
		return -1;
	/* An exchange is always noted first. */
	if (!(path->disk->lock_body_same && path->disk->tidied[file] && !path->linked) &&
	    displaced_settle_temp(path, err) != 0)
		return -1;
	/* The older ones first: where two edits disagree the newer one wins. */
	for (unsigned slot = 1; slot <= HELD_MAX; slot++) {
		if ((held & 1U << slot) &&
		    displaced_settle_slot(path, file, slot, now_ms, err) != 0)
			return -1;
	}
	/* True if it was looked at before, found as it should be, and not touched since. */
	if (sibling_identify(path, SIBLING_PREV, &prev, &ignored) == 0 &&
	    (!prev.present || file_id_equal(&prev, &path->disk->settled[file])))
		return 0;
	path->disk->settled[file].present = false;
	return displaced_settle_slot(path, file, 0, now_ms, err);
}

int displaced_absorb(struct disk *disk, enum store_file file, int64_t now_ms, struct err *err)
{
	struct err reason;
	struct path path;
	int result = path_open(&path, disk, store_file_name(file), &reason);

	if (result == 0) {
		result = displaced_settle(&path, file, now_ms, &reason);
		path_release(&path);
	}
	if (result == 0 || reason.code == ERR_BAD_DATA)
		return 0;
	*err = reason;
	return -1;
}

int replace_file(struct disk *disk, enum store_file file, const struct rewrite *rewrite,
		 int64_t now_ms, bool *written, struct err *err)
{
	enum replaced what = REPLACED_AGAIN;
	struct err ignored;
	PATH_AUTO path = {0};

	if (path_open(&path, disk, store_file_name(file), err) != 0)
		return -1;
	int result = 0;
	for (int tries = 0; result == 0 && what == REPLACED_AGAIN && tries < BUILD_TRIES; tries++) {
		result = displaced_settle(&path, file, now_ms, err);
		if (result == 0)
			result = replace_once(&path, file, rewrite, now_ms, &what, written, err);
	}
	if (result == 0 && what == REPLACED_AGAIN)
		result = err_set(err, ERR_BUSY,
				 "%s/%s keeps being changed by another program; try again",
				 disk->path, path.file_name);
	/* An editor may have been writing all the while. What comes later can wait. */
	if (result == 0 && what == REPLACED_STIRRED)
		displaced_settle(&path, file, now_ms, &ignored);
	return result;
}
