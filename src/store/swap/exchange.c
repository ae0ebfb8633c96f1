#include "store/swap/exchange.h"

#include "store/files/change_observer.h"
#include "store/log/cold.h"
#include "store/swap/siblings.h"
#include "store/swap/signals.h"

#include <errno.h>
#include <linux/fs.h>

/* Result of a step: nothing is changed, and the text has to be built anew. */
#define AGAIN 1

/* One replacement under way. */
struct swap {
	const struct path *path;
	const struct rewrite *rewrite;
	enum store_file file;
	struct str temp;    /* name */
	struct str fresh;   /* the file as it was read */
	struct str built;   /* the file as it is to be */
	struct json parsed; /* of built, once that was checked */
	struct file_id id;  /* of the fresh one */
	struct swap_log intent;
	struct file_id out; /* what came out, when it was looked at */
	bool made;          /* the temporary file is there, and ours */
	bool at_rest;       /* the stat of the fresh one tells of whatever is written to it */
	bool prev_is_final; /* nobody can write to the displaced file before: it may go unseen */
	bool written;       /* the exchange is done, or may be */
};

static int exchange_error(const struct swap *swap, const char *what, struct err *err)
{
	return err_set_errno(err, err_code_of_write(errno), errno, "cannot %s %s/%s", what,
			     swap->path->disk->path, swap->path->file_name);
}

/*
 * Builds the new text from the fresh one, and notes what that is made of. The new text must be
 * readable before a byte of it is written.
 */
static int exchange_build(struct swap *swap, int64_t now_ms, bool *same, struct err *err)
{
	const struct path *path = swap->path;
	STR_AUTO aside = STR_INIT;
	struct json doc;

	if (path_read_json(path, path->name, true, &swap->fresh, &doc, &swap->id, err) != 0)
		return -1;
	swap->at_rest = swap->id.idle && disk_is_settled(path->disk, &swap->id);
	int result = swap->rewrite->build(swap->rewrite->context, &doc, &swap->built, &aside, err);
	if (result != 0 && err->code == ERR_BAD_DATA)
		path_blame(path->disk, path->file_name, err);
	*same = result == 0 && slice_equal(str_slice(&swap->built), doc.text);
	swap->intent.now.digest = text_digest(str_slice(&swap->fresh));
	digests_read(&swap->intent.now.units, swap->file, &doc);
	json_release(&doc);
	if (result == 0 && !*same) {
		result = path_parse(path, str_slice(&swap->built), &swap->parsed, err);
		if (result != 0)
			err_prefix(err, "the new text would not be readable");
	}
	if (result == 0 && aside.len)
		result = cold_append(path->disk, now_ms, str_slice(&aside), err);
	return result;
}

/* Notes in .lock that the displaced file with this inode is held in the slot: *was, or else doc. */
static int exchange_note_held(struct swap *swap, unsigned slot, const struct inode *inode,
			      uint64_t digest, const struct json *doc, struct err *err)
{
	struct swap_log note = {.dev = swap->intent.dev, .prev = *inode, .was = {.digest = digest}};
	char name[HELD_NAME_SIZE];

	if (doc)
		digests_read(&note.was.units, swap->file, doc);
	else
		digests_copy(&note.was.units, &swap->intent.was.units);
	held_name(name, swap->path->file_name, slot);
	int result = swap_log_write(&note, swap->path->disk, name, err);
	swap_log_release(&note);
	swap->intent.held |= 1U << slot;
	return result;
}

/*
 * Decides what becomes of the displaced file before. It is reachable under its own name alone:
 * what nobody has open and nobody is about to open will never change again. May be AGAIN.
 */
static int exchange_part_with_prev(struct swap *swap, uint64_t digest, const struct file_id *id,
				   enum file_use use, struct err *err)
{
	const struct rewrite *rewrite = swap->rewrite;

	if (use == FILE_USE_UNKNOWN)
		return 0; /* looked at once more in the last instant */
	if (use == FILE_USE_IDLE && digest != swap->intent.was.digest &&
	    (!rewrite->theirs || digest != rewrite->merged))
		return AGAIN;
	swap->prev_is_final = use == FILE_USE_IDLE && !sibling_is_young(swap->path, id);
	if (swap->prev_is_final)
		return 0;
	unsigned slot = sibling_free_slot(swap->path, swap->intent.held);
	if (slot) {
		swap->intent.hold = slot;
		return exchange_note_held(swap, slot, &swap->intent.prev,
					  rewrite->theirs ? rewrite->merged
							  : swap->intent.was.digest,
					  rewrite->theirs, err);
	}
	swap->prev_is_final = true;
	if (use == FILE_USE_IDLE)
		return 0;
	swap->intent.prev = (struct inode){0};
	return sibling_keep(swap->path, SIBLING_PREV, SIBLING_ORPHAN, err);
}

/*
 * Reads the displaced file before. One that displaced_settle() has just found as our notes say it
 * is is not read again: whether somebody has it open is asked, unless it is to be held anyway.
 */
static int exchange_read_prev(const struct swap *swap, const struct swap_log *last,
			      struct str *text, struct file_id *id, enum file_use *use,
			      struct err *err)
{
	const struct path *path = swap->path;
	const struct file_id *settled = &path->disk->settled[swap->file];
	struct inode inode = {.ino = settled->ino,
			      .changed_ns = file_changed_ns(settled),
			      .born_ns = settled->born_ns};
	bool known = settled->present && settled->born_ns &&
		     (swap_log_means(last, &last->prev, settled->dev, &inode) ||
		      swap_log_means(last, &last->file, settled->dev, &inode));

	if (known && sibling_is_young(path, settled)) {
		*id = *settled;
		*use = FILE_USE_IDLE;
		return 0;
	}
	return sibling_read_changed(path, SIBLING_PREV, known ? settled : NULL, text, id, use, err);
}

/* Notes in .lock what is displaced now and what will be. May be AGAIN. */
static int exchange_note(struct swap *swap, struct err *err)
{
	const struct path *path = swap->path;
	struct swap_log *intent = &swap->intent;
	struct swap_log last = INTENT_INIT;
	STR_AUTO prev = STR_INIT;
	enum file_use use;
	struct file_id id;
	int result = 0;

	if (swap_log_read(&last, path->disk, path->file_name, err) != 0 ||
	    exchange_read_prev(swap, &last, &prev, &id, &use, err) != 0) {
		swap_log_release(&last);
		return -1;
	}
	if (last.found && last.this_boot)
		intent->held = sibling_slots_in_use(path, last.held);
	uint64_t digest = text_digest(str_slice(&prev));
	if (id.present) {
		sibling_inode(&intent->prev, path, SIBLING_PREV, &id);
		sibling_known(&intent->was, &last, swap->file, id.dev, &intent->prev,
			      str_slice(&prev));
		if (prev.len == 0 && id.size > 0)
			digest = intent->was.digest;
	}
	if (swap->id.present) {
		intent->file.ino = swap->id.ino;
		intent->file.changed_ns = file_changed_ns(&swap->id);
		intent->file.born_ns = swap->id.born_ns ? swap->id.born_ns
							: file_born_ns(path->disk->sys, path->dirfd,
								       path->name);
	}
	swap_log_release(&last);
	swap->prev_is_final = !id.present;
	if (id.present && swap->id.present)
		result = exchange_part_with_prev(swap, digest, &id, use, err);
	if (result != 0)
		return result;
	if (!swap->id.present) {
		/* A new file displaces nothing: keep the note of what was displaced before. */
		digests_release(&intent->now.units);
		known_copy(&intent->now, &intent->was);
	}
	intent->new_digest = text_digest(str_slice(&swap->built));
	intent->merged = swap->rewrite->merged;
	return swap_log_write(intent, path->disk, path->file_name, err);
}

/*
 * Writes the temporary file. What is to be displaced is noted while it is empty, with its inode:
 * after a kill that tells whether the exchange was done. May be AGAIN.
 */
static int exchange_write_temp(struct swap *swap, struct err *err)
{
	const struct sys *sys = swap->path->disk->sys;
	mode_t mode = swap->id.present ? swap->id.mode & 0600 : 0600;
	struct file_id id;
	int result;
	int fd = file_create(sys, swap->path->dirfd, swap->temp.ptr, 0600);

	/* Left by a process that was killed before it could note it, or not ours. */
	if (fd < 0 && errno == EEXIST && swap->path->disk->tidied[swap->file]) {
		swap->path->disk->tidied[swap->file] = false;
		return AGAIN;
	}
	swap->path->disk->tidied[swap->file] = false;
	if (fd < 0)
		return exchange_error(swap, "make the new text of", err);
	swap->made = true;
	if (file_identify_open(sys, fd, &id) != 0 ||
	    ((id.mode & 07777) != mode && sys->fchmod(fd, mode) != 0)) {
		result = exchange_error(swap, "prepare the new text of", err);
	} else {
		swap->intent.dev = id.dev;
		swap->intent.temp = (struct inode){.ino = id.ino, .born_ns = id.born_ns};
		result = exchange_note(swap, err);
	}
	if (result == 0 && file_write_all(sys, fd, str_slice(&swap->built), err) != 0)
		result = err_prefix(err, "%s/%s", swap->path->disk->path, swap->path->file_name);
	if (result == 0 && file_fsync(sys, fd) != 0)
		result = exchange_error(swap, "make durable the new text of", err);
	file_close(sys, &fd);
	return result;
}

static int exchange_rename(struct swap *swap, unsigned flags)
{
	const struct path *path = swap->path;
	int result;

	do
		result = path->disk->sys->renameat2(path->dirfd, swap->temp.ptr, path->dirfd,
						    path->name, flags);
	while (result != 0 && errno == EINTR);
	return result;
}

/* Without exchange: look once more, then rename over it; an edit in between would be lost. */
static int exchange_rename_over(struct swap *swap, struct err *err)
{
	STR_AUTO text = STR_INIT;
	struct file_id id;

	swap->path->disk->exchange_missing = true;
	if (path_read(swap->path, swap->path->name, &text, &id, err) != 0)
		return -1;
	if (id.present != swap->id.present ||
	    !slice_equal(str_slice(&text), str_slice(&swap->fresh)))
		return AGAIN;
	if (exchange_rename(swap, 0) != 0)
		return exchange_error(swap, "replace", err);
	swap->written = true;
	return 0;
}

/*
 * The new text stood under the file's name for an instant, in which an editor may have opened it.
 * It is held as a displaced one. Returns AGAIN.
 */
static int exchange_set_apart(struct swap *swap, struct err *err)
{
	unsigned slot = sibling_free_slot(swap->path, swap->intent.held);

	swap->written = false;
	if (slot == 0)
		return sibling_keep(swap->path, SIBLING_TEMP, SIBLING_ORPHAN, err) == 0 ? AGAIN
											: -1;
	if (exchange_note_held(swap, slot, &swap->intent.temp, swap->intent.new_digest,
			       &swap->parsed, err) != 0 ||
	    swap_log_write(&swap->intent, swap->path->disk, swap->path->file_name, err) != 0 ||
	    sibling_hold(swap->path, SIBLING_TEMP, slot, err) != 0)
		return -1;
	return AGAIN;
}

/*
 * Exchanges once more, so that the person's file is back in its place before anybody looks, and
 * the new text can be built from it. Should yet another edit have come in that instant, that one
 * is the latest and stays; the one before it becomes the displaced file, which is merged.
 */
static int exchange_take_back(struct swap *swap, struct err *err)
{
	struct file_id out;
	int result = exchange_rename(swap, RENAME_EXCHANGE);

	if (result == 0 &&
	    file_identify(swap->path->disk->sys, swap->path->dirfd, swap->temp.ptr, &out, err) != 0)
		return -1;
	if (result == 0 && out.ino == swap->intent.temp.ino)
		return exchange_set_apart(swap, err);
	if ((result == 0 && exchange_rename(swap, RENAME_EXCHANGE) != 0) ||
	    (result != 0 && errno != ENOENT))
		return exchange_error(swap, "put back", err);
	/* The displaced file is the person's; nothing had noted it. */
	if (sibling_identify(swap->path, SIBLING_TEMP, &out, err) != 0)
		return -1;
	sibling_inode(&swap->intent.file, swap->path, SIBLING_TEMP, &out);
	if (swap_log_write(&swap->intent, swap->path->disk, swap->path->file_name, err) != 0 ||
	    sibling_retire(swap->path, &swap->intent, swap->prev_is_final, err) != 0)
		return -1;
	swap->written = false;
	return AGAIN;
}

/*
 * After the exchange: keeps what came out if it is what the new text was built from, or takes the
 * exchange back.
 */
static int exchange_look(struct swap *swap, struct err *err)
{
	bool sure = swap->prev_is_final || swap->intent.hold;
	STR_AUTO text = STR_INIT;
	bool known = true;

	if (sure && swap->at_rest &&
	    sibling_identify(swap->path, SIBLING_TEMP, &swap->out, err) == 0 &&
	    swap->out.ino == swap->id.ino && swap->out.size == swap->id.size &&
	    file_changed_ns(&swap->out) == file_changed_ns(&swap->id))
		return sibling_retire(swap->path, &swap->intent, true, err);
	if (sibling_read(swap->path, SIBLING_TEMP, &text, &swap->out, NULL, err) != 0 ||
	    (!sure && sibling_is_known(swap->path, &swap->intent, &known, err) != 0))
		return -1;
	if (!known || text_digest(str_slice(&text)) != swap->intent.now.digest)
		return exchange_take_back(swap, err);
	return sibling_retire(swap->path, &swap->intent, true, err);
}

/* Puts the new text in place. AGAIN when somebody changed, made or removed the file meanwhile. */
static int exchange_names(struct swap *swap, struct err *err)
{
	unsigned flags = swap->id.present ? RENAME_EXCHANGE : RENAME_NOREPLACE;

	if (swap->path->disk->exchange_missing)
		return exchange_rename_over(swap, err);
	if (exchange_rename(swap, flags) != 0) {
		if (errno == EINVAL || errno == ENOSYS)
			return exchange_rename_over(swap, err);
		if (errno == (swap->id.present ? ENOENT : EEXIST))
			return AGAIN;
		return exchange_error(swap, "replace", err);
	}
	swap->written = true;
	return swap->id.present ? exchange_look(swap, err) : 0;
}

/* Writes and puts in place; where that comes to nothing no temporary file is left behind. */
static int exchange_run(struct swap *swap, struct err *err)
{
	const struct path *path = swap->path;
	const struct witness *witness = swap->rewrite->by_hand ? NULL : path->disk->witness;
	struct err ignored;
	int result = exchange_write_temp(swap, err);

	if (result == 0) {
		if (witness && swap->rewrite->tell)
			swap->rewrite->tell(swap->rewrite->context, witness);
		else if (witness)
			witness->text(witness->context, path->file_name,
				      swap->id.present ? str_slice(&swap->fresh)
						       : slice_make(NULL, 0),
				      str_slice(&swap->built));
		result = exchange_names(swap, err);
		if (result != 0 && !swap->written && witness && !swap->rewrite->tell)
			witness->withdrawn(witness->context, path->file_name);
	}
	if (result != 0 && !swap->written && swap->made)
		sibling_remove(path, SIBLING_TEMP, &ignored);
	return result == 0 ? sibling_sync(path, err) : result;
}

/* What is now in place: for who loads it next, and for who looks at the displaced file next. */
static enum replaced exchange_done(struct swap *swap)
{
	struct disk *disk = swap->path->disk;
	struct file_id prev = {.present = false};

	if (swap->out.present && sibling_is_stirred(swap->path, &swap->out, &prev))
		return REPLACED_STIRRED;
	prev.born_ns = swap->id.born_ns;
	/* We know it as it was at that time. */
	prev.asked_ns = swap->out.asked_ns;
	if (prev.present && disk_is_settled(disk, &prev))
		disk->settled[swap->file] = prev;
	disk->tidied[swap->file] = true;
	write_through_note(&disk->written[swap->file], (ino_t)swap->intent.temp.ino, &swap->built,
			   &swap->parsed);
	return REPLACED_DONE;
}

int replace_once(const struct path *path, enum store_file file, const struct rewrite *rewrite,
		 int64_t now_ms, enum replaced *what, bool *written, struct err *err)
{
	struct swap swap = {
		.path = path,
		.rewrite = rewrite,
		.file = file,
		.temp = STR_INIT,
		.fresh = STR_INIT,
		.built = STR_INIT,
	};
	bool same;
	sigset_t before;

	sibling_name(&swap.temp, path, SIBLING_TEMP);
	int result = exchange_build(&swap, now_ms, &same, err);
	if (result == 0 && same) {
		*what = REPLACED_NOTHING;
		/* Whoever put this text there may have died before it was durable. */
		result = sibling_sync(path, err);
	} else if (result == 0) {
		disk_look_again(path->disk, file);
		signals_hold(&before);
		result = exchange_run(&swap, err);
		signals_release(&before);
		if (result >= 0)
			*what = result == AGAIN ? REPLACED_AGAIN : exchange_done(&swap);
	}
	if (written)
		*written = swap.written;
	swap_log_release(&swap.intent);
	json_release(&swap.parsed);
	str_release(&swap.built);
	str_release(&swap.fresh);
	str_release(&swap.temp);
	return result < 0 ? -1 : 0;
}
