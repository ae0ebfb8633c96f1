#include "store/replace.h"

#include "store/cold.h"
#include "store/settle.h"
#include "store/signals.h"
#include "store/twin.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <unistd.h>

/* How often the text is built anew because the file was made, removed or changed meanwhile. */
#define BUILD_TRIES 8

/* Somebody made or removed the file meanwhile: build again. */
#define AGAIN 1

/* One replacement under way. */
struct swap {
	const struct path *path;
	enum store_file file;
	char *temp;        /* name */
	struct str fresh;  /* the file as it was read */
	struct str built;  /* the file as it is to be */
	struct file_id id; /* of the fresh one */
	struct intent intent;
	bool written; /* the exchange is done, or may be */
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
	bool refused = errno == ENOSPC || errno == EDQUOT || errno == EACCES || errno == EROFS ||
		       errno == EPERM;

	return err_set_errno(err, refused ? ERR_CANNOT_WRITE : ERR_IO, errno, "cannot %s %s/%s",
			     what, swap->path->disk->path, swap->path->file_name);
}

/* What the new text must be before a byte of it is written. */
static int check_output(const struct swap *swap, struct err *err)
{
	struct json doc;

	if (path_parse(swap->path, str_slice(&swap->built), &doc, err) != 0)
		return err_prefix(err, "the new text would not be readable");
	json_release(&doc);
	return 0;
}

/* Builds the new text from the document and notes what the old one is made of. */
static int build_from(struct swap *swap, const struct edit *edit, const struct json *doc,
		      int64_t now_ms, bool *same, struct err *err)
{
	STR_AUTO aside = STR_INIT;

	str_clear(&swap->built);
	if (edit->build(edit->context, doc, &swap->built, &aside, err) != 0)
		return err->code == ERR_BAD_DATA ? err_prefix(err, "%s/%s", swap->path->disk->path,
							      swap->path->file_name)
						 : -1;
	*same = slice_equal(str_slice(&swap->built), doc->text);
	swap->intent.now.digest = text_digest(str_slice(&swap->fresh));
	units_release(&swap->intent.now.units);
	units_read(&swap->intent.now.units, swap->file, doc);
	if (!*same && check_output(swap, err) != 0)
		return -1;
	return aside.len ? cold_append(swap->path->disk, now_ms, str_slice(&aside), err) : 0;
}

static int swap_build(struct swap *swap, const struct edit *edit, int64_t now_ms, bool *same,
		      struct err *err)
{
	struct json doc;
	int result;

	if (path_read_json(swap->path, swap->path->name, &swap->fresh, &doc, &swap->id, err) != 0)
		return -1;
	result = build_from(swap, edit, &doc, now_ms, same, err);
	json_release(&doc);
	return result;
}

/* Notes in .lock what is displaced now and what will be. */
static int swap_note(struct swap *swap, const struct edit *edit, struct err *err)
{
	STR_AUTO text = STR_INIT;
	struct intent last = INTENT_INIT;
	struct intent *intent = &swap->intent;
	struct file_id id;

	if (twin_read(swap->path, TWIN_PREV, &text, &id, err) != 0 ||
	    intent_read(&last, swap->path->disk, swap->path->file_name, err) != 0)
		return -1;
	units_release(&intent->was.units);
	intent->was_ino = 0;
	if (id.present) {
		intent->was_ino = id.ino;
		twin_known(&intent->was, &last, swap->file, &id, str_slice(&text));
	}
	intent_release(&last);
	if (!swap->id.present) {
		/* A new file displaces none: what was displaced before stays what it is. */
		units_release(&intent->now.units);
		known_copy(&intent->now, &intent->was);
	}
	intent->new_digest = text_digest(str_slice(&swap->built));
	intent->merged = edit->merged;
	return intent_write(intent, swap->path->disk, swap->path->file_name, err);
}

/* Fills the temporary file, which is made for this. */
static int fill_temp(struct swap *swap, const struct edit *edit, int fd, struct err *err)
{
	const struct sys *sys = swap->path->disk->sys;
	mode_t mode = swap->id.present ? swap->id.mode & 0600 : 0600;
	struct stat st;

	if (sys->fchmod(fd, mode) != 0 || sys->fstat(fd, &st) != 0)
		return swap_error(swap, "prepare the new text of", err);
	swap->intent.temp_ino = st.st_ino;
	if (swap_note(swap, edit, err) != 0)
		return -1;
	if (file_write_all(sys, fd, str_slice(&swap->built), err) != 0)
		return err_prefix(err, "%s/%s", swap->path->disk->path, swap->path->file_name);
	if (file_fsync(sys, fd) != 0)
		return swap_error(swap, "make durable the new text of", err);
	return 0;
}

static int write_temp(struct swap *swap, const struct edit *edit, struct err *err)
{
	const struct sys *sys = swap->path->disk->sys;
	int fd = file_open(sys, swap->path->dirfd, swap->temp,
			   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	int result;

	if (fd < 0)
		return swap_error(swap, "make the new text of", err);
	result = fill_temp(swap, edit, fd, err);
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

/* Puts the new text in place. AGAIN when somebody made or removed the file meanwhile. */
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
	if (swap->id.present)
		return twin_retire(swap->path, &swap->intent, err);
	return 0;
}

/* Writes and puts in place; whatever fails before that leaves no temporary file behind. */
static int swap_write(struct swap *swap, const struct edit *edit, struct err *err)
{
	struct err ignored;
	int result = write_temp(swap, edit, err);

	if (result == 0)
		result = exchange(swap, err);
	if (result != 0 && !swap->written)
		twin_remove(swap->path, TWIN_TEMP, &ignored);
	if (result == 0)
		result = twin_sync(swap->path, err);
	return result;
}

static int swap_tries(struct swap *swap, const struct edit *edit, int64_t now_ms,
		      enum replaced *what, struct err *err)
{
	int result = AGAIN;
	sigset_t before;

	for (int tries = 0; result == AGAIN && tries < BUILD_TRIES; tries++) {
		bool same = false;

		if (swap_build(swap, edit, now_ms, &same, err) != 0)
			return -1;
		*what = same ? REPLACED_NOTHING : REPLACED_DONE;
		if (same)
			return 0;
		signals_hold(&before);
		result = swap_write(swap, edit, err);
		signals_release(&before);
	}
	if (result == AGAIN)
		return err_set(err, ERR_BUSY,
			       "%s/%s is made and removed again and again; try again",
			       swap->path->disk->path, swap->path->file_name);
	return result;
}

int replace_once(const struct path *path, const struct edit *edit, int64_t now_ms,
		 enum replaced *what, bool *written, struct err *err)
{
	struct swap swap = {
		.path = path,
		.file = file_of(path->file_name),
		.temp = twin_name(path, TWIN_TEMP),
		.fresh = STR_INIT,
		.built = STR_INIT,
	};
	int result = swap_tries(&swap, edit, now_ms, what, err);

	*written = swap.written;
	intent_release(&swap.intent);
	str_release(&swap.built);
	str_release(&swap.fresh);
	free(swap.temp);
	return result;
}

int replace_file(struct disk *disk, enum store_file file, const struct edit *edit, int64_t now_ms,
		 bool *written, struct err *err)
{
	enum replaced what;
	struct path path;
	int result;

	*written = false;
	if (path_open(&path, disk, store_file_name(file), err) != 0)
		return -1;
	result = settle_leftover(&path, err);
	if (result == 0)
		result = settle_later(&path, file, now_ms, err);
	if (result == 0)
		result = replace_once(&path, edit, now_ms, &what, written, err);
	if (result == 0 && what == REPLACED_DONE)
		result = settle_race(&path, file, now_ms, written, err);
	path_release(&path);
	return result;
}
