#include "store/txn/note_file.h"

#include "store/files/change_observer.h"
#include "store/files/confine.h"
#include "store/files/file_names.h"
#include "store/files/note_folder.h"
#include "store/items/notes.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <unistd.h>

#define ENDING ".md"
#define OWN_PREFIX ".kota-"
#define STAGED_SUFFIX ".tmp"
#define LEAVING_SUFFIX ".old"

/* A note at work: its folder, opened, and the names that it goes by. */
struct note_file {
	struct disk *disk;
	const char *dir;
	int folder;
	struct str name;
	struct str staged;
	struct str leaving;
};

void note_file_name(struct str *out, struct slice stem, int n)
{
	str_add(out, stem);
	if (n > 1)
		str_printf(out, "-%d", n);
	str_adds(out, ENDING);
}

static const char *note_file_dir_of(const struct disk *disk)
{
	return disk->notes_dir ? disk->notes_dir : NOTE_FOLDER;
}

static int note_file_fail(const struct note_file *file, const char *what, struct err *err)
{
	return err_set_errno(err, err_code_of_write(errno), errno, "cannot %s the note %s/%s", what,
			     file->dir, file->name.ptr);
}

static void note_file_set_name(struct note_file *file, struct slice name)
{
	str_clear(&file->name);
	str_clear(&file->staged);
	str_clear(&file->leaving);
	str_add(&file->name, name);
	str_printf(&file->staged, OWN_PREFIX "%s" STAGED_SUFFIX, file->name.ptr);
	str_printf(&file->leaving, OWN_PREFIX "%s" LEAVING_SUFFIX, file->name.ptr);
}

static void note_file_close(struct note_file *file)
{
	file_close(file->disk->sys, &file->folder);
	str_release(&file->name);
	str_release(&file->staged);
	str_release(&file->leaving);
}

/* What comes out of a journal is no better than any text: a name is no way to somewhere else. */
static bool note_file_is_plain_name(struct slice name)
{
	return name.len > strlen(ENDING) && name.len <= NOTE_NAME_MAX && name.ptr[0] != '.' &&
	       !memchr(name.ptr, '/', name.len) && !memchr(name.ptr, '\0', name.len);
}

/* On failure there is nothing to close; a folder that is not there is one when make is set. */
static int note_file_open_with(struct note_file *file, struct disk *disk, struct slice name,
			       bool make, struct err *err)
{
	*file = (struct note_file){.disk = disk, .dir = note_file_dir_of(disk)};
	str_init(&file->name);
	str_init(&file->staged);
	str_init(&file->leaving);
	note_file_set_name(file, name);
	file->folder = -1;
	errno = EINVAL;
	if (note_file_is_plain_name(name))
		file->folder = note_folder_open(disk, file->dir, disk->notes_dir_free, make);
	if (file->folder >= 0 || (!make && errno == ENOENT))
		return 0;
	if (errno == ENOENT && file->dir[0] == '/')
		err_set(err, ERR_CANNOT_WRITE,
			"there is no folder %s for notes: make it, or choose another one "
			"(notes_dir)",
			file->dir);
	else if (errno == EACCES && confine_is_shut(disk->confine))
		err_set(err, ERR_CANNOT_WRITE, "the folder of notes %s " CONFINE_KEEPS, file->dir);
	else
		note_file_fail(file, "reach the folder of", err);
	note_file_close(file);
	return -1;
}

int note_file_exists(struct disk *disk, struct slice name, bool *exists, struct err *err)
{
	struct note_file file;
	struct stat st;
	int result = 0;

	*exists = false;
	if (note_file_open_with(&file, disk, name, false, err) != 0)
		return -1;
	if (file.folder >= 0) {
		*exists = disk->sys->fstatat(file.folder, file.name.ptr, &st,
					     AT_SYMLINK_NOFOLLOW) == 0;
		if (!*exists && errno != ENOENT)
			result = note_file_fail(&file, "look for", err);
	}
	note_file_close(&file);
	return result;
}

static int note_file_write_staged(const struct note_file *file, struct slice text, struct err *err)
{
	const struct sys *sys = file->disk->sys;

	if (sys->unlinkat(file->folder, file->staged.ptr, 0) != 0 && errno != ENOENT)
		return note_file_fail(file, "begin", err);
	if (file_write_new(sys, file->folder, file->staged.ptr, text, 0600, FILE_DURABLE, err) != 0)
		return err_in_folder(err, file->dir, file->staged.ptr);
	return 0;
}

int note_file_stage(struct disk *disk, struct slice name, struct slice text, struct err *err)
{
	struct note_file file;

	if (note_file_open_with(&file, disk, name, true, err) != 0)
		return -1;
	int result = note_file_write_staged(&file, text, err);
	note_file_close(&file);
	return result;
}

void note_file_unstage(struct disk *disk, struct slice name)
{
	struct note_file file;
	struct err ignored;

	if (note_file_open_with(&file, disk, name, false, &ignored) != 0)
		return;
	if (file.folder >= 0)
		disk->sys->unlinkat(file.folder, file.staged.ptr, 0);
	note_file_close(&file);
}

/* True if this file of the folder has this text. False if it is missing or unreadable. */
static bool note_file_is_text(const struct note_file *file, const char *name, struct slice text)
{
	STR_AUTO there = STR_INIT;
	struct file_id id;
	struct err ignored;

	return file_read_own(file->disk->sys, file->folder, name, NOTES_BYTES_MAX, &there, &id,
			     &ignored) == 0 &&
	       id.present && slice_equal(str_slice(&there), text);
}

bool note_file_read(struct disk *disk, struct slice name, struct str *out)
{
	struct note_file file;
	struct file_id id = {.present = false};
	struct err ignored;

	str_clear(out);
	if (note_file_open_with(&file, disk, name, false, &ignored) != 0)
		return false;
	if (file.folder >= 0 && file_read_own(disk->sys, file.folder, file.name.ptr,
					      NOTES_BYTES_MAX, out, &id, &ignored) != 0)
		id.present = false;
	note_file_close(&file);
	return id.present;
}

bool note_file_has_text(struct disk *disk, struct slice name, struct slice text)
{
	struct note_file file;
	struct err ignored;

	if (note_file_open_with(&file, disk, name, false, &ignored) != 0)
		return false;
	bool same = file.folder >= 0 && note_file_is_text(&file, file.name.ptr, text);
	note_file_close(&file);
	return same;
}

/* Tells the history, for which only the folder in the store exists. */
static void note_file_tell(const struct note_file *file, struct slice before, struct slice after)
{
	const struct witness *witness = file->disk->witness;
	STR_AUTO name = STR_INIT;

	if (!witness || strcmp(file->dir, NOTE_FOLDER) != 0)
		return;
	str_printf(&name, NOTE_FOLDER "/%s", file->name.ptr);
	witness->text(witness->context, name.ptr, before, after);
}

static void note_file_tell_withdrawn(const struct note_file *file)
{
	const struct witness *witness = file->disk->witness;

	if (witness && strcmp(file->dir, NOTE_FOLDER) == 0)
		witness->withdrawn(witness->context, file->name.ptr);
}

/* Puts the staged text in place. 1: something of this name has come. */
static int note_file_put_in_place(struct note_file *file, const char *staged, struct slice text,
				  struct err *err)
{
	note_file_tell(file, slice_make(NULL, 0), text);
	if (file_rename_free(file->disk->sys, file->folder, staged, file->name.ptr) == 0)
		return file_fsync(file->disk->sys, file->folder) == 0
			       ? 0
			       : note_file_fail(file, "make durable", err);
	int number = errno;
	note_file_tell_withdrawn(file);
	errno = number;
	return number == EEXIST ? 1 : note_file_fail(file, "make", err);
}

/* Another file has the name: the next number that is free. */
static int note_file_put_numbered(struct note_file *file, struct slice name, struct slice text,
				  struct err *err)
{
	struct slice stem = slice_make(name.ptr, name.len - strlen(ENDING));
	STR_AUTO staged = STR_INIT;
	int result = 1;

	str_add(&staged, str_slice(&file->staged));
	for (int n = 2; result == 1 && n <= NOTE_NUMBERS_MAX; n++) {
		STR_AUTO next = STR_INIT;

		note_file_name(&next, stem, n);
		note_file_set_name(file, str_slice(&next));
		if (note_file_is_text(file, file->name.ptr, text))
			result = 0;
		else
			result = note_file_put_in_place(file, staged.ptr, text, err);
	}
	file->disk->sys->unlinkat(file->folder, staged.ptr, 0);
	return result == 1 ? note_file_fail(file, "find a name for", err) : result;
}

int note_file_add(struct disk *disk, struct slice name, struct slice text, bool redo,
		  struct err *err)
{
	struct note_file file;
	int result = 0;

	if (note_file_open_with(&file, disk, name, true, err) != 0)
		return -1;
	if (note_file_is_text(&file, file.name.ptr, text)) {
		disk->sys->unlinkat(file.folder, file.staged.ptr, 0);
		if (file_fsync(disk->sys, file.folder) != 0)
			result = note_file_fail(&file, "make durable", err);
	} else {
		if (!note_file_is_text(&file, file.staged.ptr, text))
			result = note_file_write_staged(&file, text, err);
		if (result == 0)
			result = note_file_put_in_place(&file, file.staged.ptr, text, err);
		if (result == 1 && !redo)
			result = note_file_put_numbered(&file, name, text, err);
		else if (result == 1)
			disk->sys->unlinkat(file.folder, file.staged.ptr, 0);
	}
	note_file_close(&file);
	return result < 0 ? -1 : 0;
}

/*
 * Looks at the note where nobody can open it any more: it goes when it is what was written, else it
 * gets its name back, or where that is taken again a number.
 */
static int note_file_part_with(struct note_file *file, struct slice name, struct slice text,
			       struct err *err)
{
	struct slice stem = slice_make(name.ptr, name.len - strlen(ENDING));
	bool goes = note_file_is_text(file, file->leaving.ptr, text);

	if (goes && file->disk->sys->unlinkat(file->folder, file->leaving.ptr, 0) != 0)
		return note_file_fail(file, "take away", err);
	for (int n = 1; !goes && n <= NOTE_NUMBERS_MAX; n++) {
		STR_AUTO next = STR_INIT;

		note_file_name(&next, stem, n);
		if (file_rename_free(file->disk->sys, file->folder, file->leaving.ptr, next.ptr) ==
			    0 ||
		    errno == ENOENT)
			break;
		if (errno != EEXIST)
			return note_file_fail(file, "put back", err);
	}
	return file_fsync(file->disk->sys, file->folder) == 0
		       ? 0
		       : note_file_fail(file, "make durable", err);
}

static int note_file_take_away(struct note_file *file, struct slice name, struct slice text,
			       struct err *err)
{
	/* What a killed process was about to take away. */
	if (note_file_part_with(file, name, text, err) != 0)
		return -1;
	if (!note_file_is_text(file, file->name.ptr, text))
		return 0;
	note_file_tell(file, text, slice_make(NULL, 0));
	if (file_rename_free(file->disk->sys, file->folder, file->name.ptr, file->leaving.ptr) == 0)
		return note_file_part_with(file, name, text, err);
	note_file_tell_withdrawn(file);
	return note_file_fail(file, "take away", err);
}

int note_file_remove(struct disk *disk, struct slice name, struct slice text, struct err *err)
{
	struct note_file file;
	int result = 0;

	if (note_file_open_with(&file, disk, name, false, err) != 0)
		return -1;
	if (file.folder >= 0)
		result = note_file_take_away(&file, name, text, err);
	note_file_close(&file);
	return result;
}

static bool note_file_is_staged(const char *name)
{
	return slice_starts(slice_of(name), OWN_PREFIX) &&
	       slice_ends(slice_of(name), STAGED_SUFFIX);
}

void note_file_tidy(struct disk *disk)
{
	int folder = note_folder_open(disk, note_file_dir_of(disk), disk->notes_dir_free, false);
	NAMES_AUTO names = {0};

	if (folder < 0)
		return;
	if (names_read(disk->sys, folder, note_file_is_staged, &names) == 0) {
		for (size_t i = 0; i < names.count; i++)
			disk->sys->unlinkat(folder, names.list[i], 0);
	}
	file_close(disk->sys, &folder);
}
