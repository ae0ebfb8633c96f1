#include "store/swap/exchange.h"

#include "store/log/cold.h"
#include "store/swap/signals.h"
#include "store/swap/siblings.h"
#include "store/files/change_observer.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <unistd.h>

/* Result of a step: nothing is changed, and the text has to be built anew. */
#define AGAIN 1

/* One replacement under way. */
struct swap {
	const struct path *path;
	enum store_file file;
	char *temp;         /* name */
	struct str fresh;   /* the file as it was read */
	struct str built;   /* the file as it is to be */
	struct json parsed; /* of built, once that was checked */
	struct file_id id;  /* of the fresh one */
	struct intent intent;
	struct file_id out; /* what came out, when it was looked at */
	bool prev_is_final; /* nobody can write to the displaced file before: it may go unseen */
	bool written;       /* the exchange is done, or may be */
};

static enum store_file file_of(const char *name)
{
	int file = 0;

	while (strcmp(store_file_name((enum store_file)file), name) != 0)
		file++;
	return (enum store_file)file;
}

static int swap_error(const struct swap *swap, const char *what, struct err *err)
{
	return err_set_errno(err, err_code_of_write(errno), errno, "cannot %s %s/%s", what,
			     swap->path->disk->path, swap->path->file_name);
}

/* What the new text must be before a byte of it is written. */
static int check_output(struct swap *swap, struct err *err)
{
	json_release(&swap->parsed);
	if (path_parse(swap->path, str_slice(&swap->built), &swap->parsed, err) != 0)
		return err_prefix(err, "the new text would not be readable");
	return 0;
}

/* Builds the new text from the document and notes what the old one is made of. */
static int build_from(struct swap *swap, const struct rewrite *rewrite, const struct json *doc,
		      int64_t now_ms, bool *same, struct err *err)
{
	STR_AUTO aside = STR_INIT;

	str_clear(&swap->built);
	if (rewrite->build(rewrite->context, doc, &swap->built, &aside, err) != 0)
		return err->code == ERR_BAD_DATA
			       ? path_blame(swap->path->disk, swap->path->file_name, err)
			       : -1;
	*same = slice_equal(str_slice(&swap->built), doc->text);
	swap->intent.now.digest = text_digest(str_slice(&swap->fresh));
	units_release(&swap->intent.now.units);
	units_read(&swap->intent.now.units, swap->file, doc);
	if (!*same && check_output(swap, err) != 0)
		return -1;
	return aside.len ? cold_append(swap->path->disk, now_ms, str_slice(&aside), err) : 0;
}

static int swap_build(struct swap *swap, const struct rewrite *rewrite, int64_t now_ms, bool *same,
		      struct err *err)
{
	struct json doc;
	int result;

	if (path_read_json_at_rest(swap->path, swap->path->name, &swap->fresh, &doc, &swap->id,
				   err) != 0)
		return -1;
	result = build_from(swap, rewrite, &doc, now_ms, same, err);
	json_release(&doc);
	return result;
}

/* Notes that the displaced file before will be held, and what is known of it then. */
static int note_held(struct swap *swap, const struct rewrite *rewrite, unsigned slot,
		     struct err *err)
{
	struct intent note = INTENT_INIT;
	char name[HELD_NAME_SIZE];
	int result;

	note.was_ino = swap->intent.was_ino;
	if (rewrite->theirs) {
		note.was.digest = rewrite->merged;
		units_read(&note.was.units, swap->file, rewrite->theirs);
	} else {
		known_copy(&note.was, &swap->intent.was);
	}
	held_name(name, swap->path->file_name, slot);
	result = intent_write(&note, swap->path->disk, name, err);
	intent_release(&note);
	swap->intent.hold = slot;
	swap->intent.held |= 1U << slot;
	return result;
}

/*
 * Decides what becomes of the displaced file before. It is reachable under its twin's name alone:
 * what nobody has open and nobody is about to open will never change again.
 */
static int part_with_prev(struct swap *swap, const struct rewrite *rewrite, struct slice text,
			  const struct file_id *id, enum file_use use, struct err *err)
{
	uint64_t digest = text_digest(text);
	unsigned slot;

	if (use == FILE_USE_UNKNOWN)
		return 0; /* looked at once more in the last instant */
	if (use == FILE_USE_IDLE && digest != swap->intent.was.digest &&
	    (!rewrite->theirs || digest != rewrite->merged))
		return AGAIN;
	swap->prev_is_final = use == FILE_USE_IDLE && !twin_is_young(swap->path, id);
	if (swap->prev_is_final)
		return 0;
	slot = twin_free_slot(swap->path, swap->intent.held);
	if (slot)
		return note_held(swap, rewrite, slot, err);
	swap->prev_is_final = true;
	if (use == FILE_USE_IDLE)
		return 0;
	swap->intent.was_ino = 0;
	return twin_keep(swap->path, TWIN_PREV, TWIN_ORPHAN, err);
}

/* Puts into the intent what is displaced now. */
static int note_prev(struct swap *swap, const struct rewrite *rewrite, const struct intent *last,
		     struct err *err)
{
	STR_AUTO text = STR_INIT;
	struct intent *intent = &swap->intent;
	enum file_use use;
	struct file_id id;

	if (twin_read(swap->path, TWIN_PREV, &text, &id, &use, err) != 0)
		return -1;
	intent->was_ino = 0;
	intent->hold = 0;
	intent->held = last->found && last->this_boot ? twin_slots_in_use(swap->path, last->held)
						      : 0;
	swap->prev_is_final = !id.present;
	if (!id.present)
		return 0;
	intent->was_ino = id.ino;
	twin_known(&intent->was, last, swap->file, &id, str_slice(&text));
	return swap->id.present ? part_with_prev(swap, rewrite, str_slice(&text), &id, use, err)
				: 0;
}

/* Notes in .lock what is displaced now and what will be. May be AGAIN. */
static int swap_note(struct swap *swap, const struct rewrite *rewrite, struct err *err)
{
	struct intent last = INTENT_INIT;
	struct intent *intent = &swap->intent;
	int result;

	if (intent_read(&last, swap->path->disk, swap->path->file_name, err) != 0)
		return -1;
	units_release(&intent->was.units);
	result = note_prev(swap, rewrite, &last, err);
	intent_release(&last);
	if (result != 0)
		return result;
	if (!swap->id.present) {
		/* A new file displaces none: what was displaced before stays what it is. */
		units_release(&intent->now.units);
		known_copy(&intent->now, &intent->was);
	}
	intent->new_digest = text_digest(str_slice(&swap->built));
	intent->merged = rewrite->merged;
	return intent_write(intent, swap->path->disk, swap->path->file_name, err);
}

/* Fills the temporary file, which is made for this. */
static int fill_temp(struct swap *swap, const struct rewrite *rewrite, int fd, struct err *err)
{
	const struct sys *sys = swap->path->disk->sys;
	mode_t mode = swap->id.present ? swap->id.mode & 0600 : 0600;
	struct stat st;
	int result;

	if (sys->fchmod(fd, mode) != 0 || sys->fstat(fd, &st) != 0)
		return swap_error(swap, "prepare the new text of", err);
	swap->intent.temp_ino = st.st_ino;
	result = swap_note(swap, rewrite, err);
	if (result != 0)
		return result;
	if (file_write_all(sys, fd, str_slice(&swap->built), err) != 0)
		return err_prefix(err, "%s/%s", swap->path->disk->path, swap->path->file_name);
	if (file_fsync(sys, fd) != 0)
		return swap_error(swap, "make durable the new text of", err);
	return 0;
}

static int write_temp(struct swap *swap, const struct rewrite *rewrite, struct err *err)
{
	const struct sys *sys = swap->path->disk->sys;
	int fd = file_open(sys, swap->path->dirfd, swap->temp,
			   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	int result;

	if (fd < 0)
		return swap_error(swap, "make the new text of", err);
	result = fill_temp(swap, rewrite, fd, err);
	file_close(sys, &fd);
	return result;
}

static int rename_temp(struct swap *swap, unsigned flags)
{
	const struct path *path = swap->path;
	int result;

	do
		result = path->disk->sys->renameat2(path->dirfd, swap->temp, path->dirfd,
						    path->name, flags);
	while (result != 0 && errno == EINTR);
	return result;
}

/* Without exchange: look once more, then rename over it; an edit in between would be lost. */
static int plain_rename(struct swap *swap, struct err *err)
{
	STR_AUTO text = STR_INIT;
	struct file_id id;

	swap->path->disk->exchange_missing = true;
	if (path_read(swap->path, swap->path->name, &text, &id, err) != 0)
		return -1;
	if (id.present != swap->id.present ||
	    !slice_equal(str_slice(&text), str_slice(&swap->fresh)))
		return AGAIN;
	if (rename_temp(swap, 0) != 0)
		return swap_error(swap, "replace", err);
	swap->written = true;
	return 0;
}

/* Is what came out what the new text was built from? */
static int look_at_displaced(struct swap *swap, bool *same, struct err *err)
{
	STR_AUTO text = STR_INIT;

	if (twin_read(swap->path, TWIN_TEMP, &text, &swap->out, NULL, err) != 0)
		return -1;
	*same = text_digest(str_slice(&text)) == swap->intent.now.digest;
	return 0;
}

/*
 * The new text stood under the file's name for an instant, in which an editor may have opened it.
 * It is held as a displaced one. Returns AGAIN.
 */
static int set_apart(struct swap *swap, struct err *err)
{
	unsigned slot = twin_free_slot(swap->path, swap->intent.held);
	struct intent note = INTENT_INIT;
	char name[HELD_NAME_SIZE];
	struct json doc;
	int result;

	swap->written = false;
	if (slot == 0)
		return twin_keep(swap->path, TWIN_TEMP, TWIN_ORPHAN, err) == 0 ? AGAIN : -1;
	if (path_parse(swap->path, str_slice(&swap->built), &doc, err) != 0)
		return -1;
	units_read(&note.was.units, swap->file, &doc);
	json_release(&doc);
	note.was.digest = swap->intent.new_digest;
	note.was_ino = swap->intent.temp_ino;
	held_name(name, swap->path->file_name, slot);
	swap->intent.held |= 1U << slot;
	result = intent_write(&note, swap->path->disk, name, err);
	intent_release(&note);
	if (result != 0 ||
	    intent_write(&swap->intent, swap->path->disk, swap->path->file_name, err) != 0 ||
	    twin_hold(swap->path, TWIN_TEMP, slot, err) != 0)
		return -1;
	return AGAIN;
}

/*
 * Exchanges once more, so that the person's file is back in its place before anybody looks, and
 * the new text can be built from it. Should yet another edit have come in that instant, that one
 * is the latest and stays; the one before it becomes the displaced file, which is merged.
 */
static int take_back(struct swap *swap, struct err *err)
{
	struct file_id out;
	int result = rename_temp(swap, RENAME_EXCHANGE);

	if (result == 0 &&
	    file_identify(swap->path->disk->sys, swap->path->dirfd, swap->temp, &out, err) != 0)
		return -1;
	if (result == 0 && out.ino == swap->intent.temp_ino)
		return set_apart(swap, err);
	if ((result == 0 && rename_temp(swap, RENAME_EXCHANGE) != 0) ||
	    (result != 0 && errno != ENOENT))
		return swap_error(swap, "put back", err);
	if (twin_retire(swap->path, &swap->intent, swap->prev_is_final, err) != 0)
		return -1;
	swap->written = false;
	return AGAIN;
}

/* After the exchange: keeps what came out, or takes the exchange back. */
static int look(struct swap *swap, struct err *err)
{
	bool sure = swap->prev_is_final || swap->intent.hold;
	bool known = true;
	bool same;

	if (look_at_displaced(swap, &same, err) != 0 ||
	    (!sure && twin_is_known(swap->path, &swap->intent, &known, err) != 0))
		return -1;
	if (!same || !known)
		return take_back(swap, err);
	return twin_retire(swap->path, &swap->intent, true, err);
}

/* Puts the new text in place. AGAIN when somebody changed, made or removed the file meanwhile. */
static int exchange(struct swap *swap, struct err *err)
{
	unsigned flags = swap->id.present ? RENAME_EXCHANGE : RENAME_NOREPLACE;

	if (swap->path->disk->exchange_missing)
		return plain_rename(swap, err);
	if (rename_temp(swap, flags) != 0) {
		if (errno == EINVAL || errno == ENOSYS)
			return plain_rename(swap, err);
		if (errno == (swap->id.present ? ENOENT : EEXIST))
			return AGAIN;
		return swap_error(swap, "replace", err);
	}
	swap->written = true;
	return swap->id.present ? look(swap, err) : 0;
}

static void tell_text(const struct swap *swap)
{
	const struct witness *witness = swap->path->disk->witness;

	if (witness)
		witness->text(witness->context, swap->path->file_name,
			      swap->id.present ? str_slice(&swap->fresh) : slice_make(NULL, 0),
			      str_slice(&swap->built));
}

static void tell_withdrawn(const struct swap *swap)
{
	const struct witness *witness = swap->path->disk->witness;

	if (witness)
		witness->withdrawn(witness->context, swap->path->file_name);
}

/* Writes and puts in place; where that comes to nothing no temporary file is left behind. */
static int swap_write(struct swap *swap, const struct rewrite *rewrite, struct err *err)
{
	struct err ignored;
	int result = write_temp(swap, rewrite, err);

	if (result == 0) {
		tell_text(swap);
		result = exchange(swap, err);
		if (result != 0 && !swap->written)
			tell_withdrawn(swap);
	}
	if (result != 0 && !swap->written)
		twin_remove(swap->path, TWIN_TEMP, &ignored);
	if (result == 0)
		result = twin_sync(swap->path, err);
	return result;
}

/* The new text is in place, and nobody touched what was displaced until now. */
static void note_done(struct swap *swap, const struct file_id *prev)
{
	struct disk *disk = swap->path->disk;

	if (prev->present && disk_is_settled(disk, prev))
		disk->settled[swap->file] = *prev;
	written_note(&disk->written[swap->file], (ino_t)swap->intent.temp_ino, &swap->built,
		     &swap->parsed);
}

static int swap_run(struct swap *swap, const struct rewrite *rewrite, int64_t now_ms,
		    enum replaced *what, struct err *err)
{
	bool same = false;
	struct file_id prev = {.present = false};
	sigset_t before;
	int result;

	if (swap_build(swap, rewrite, now_ms, &same, err) != 0)
		return -1;
	*what = REPLACED_NOTHING;
	/* Whoever put this text there may have died before it was durable. */
	if (same)
		return twin_sync(swap->path, err);
	signals_hold(&before);
	result = swap_write(swap, rewrite, err);
	signals_release(&before);
	if (result < 0)
		return -1;
	*what = result == AGAIN ? REPLACED_AGAIN
		: swap->out.present && twin_is_stirred(swap->path, &swap->out, &prev)
			? REPLACED_STIRRED
			: REPLACED_DONE;
	if (*what == REPLACED_DONE)
		note_done(swap, &prev);
	return 0;
}

int replace_once(const struct path *path, const struct rewrite *rewrite, int64_t now_ms,
		 enum replaced *what, bool *written, struct err *err)
{
	struct swap swap = {
		.path = path,
		.file = file_of(path->file_name),
		.temp = twin_name(path, TWIN_TEMP),
		.fresh = STR_INIT,
		.built = STR_INIT,
	};
	int result = swap_run(&swap, rewrite, now_ms, what, err);

	if (written)
		*written = swap.written;
	intent_release(&swap.intent);
	json_release(&swap.parsed);
	str_release(&swap.built);
	str_release(&swap.fresh);
	free(swap.temp);
	return result;
}
