#include "store/swap/whole_file.h"

#include "store/swap/siblings.h"
#include "store/swap/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>

static int whole_refuse_race(const struct path *path, struct err *err)
{
	return err_set(err, ERR_BUSY, "%s/%s was changed by another program meanwhile",
		       path->disk->path, path->file_name);
}

/* True if the displaced text is the one that the copy was made from. */
static bool whole_is_same(const struct path *path, const char *name, struct slice before)
{
	STR_AUTO text = STR_INIT;
	struct file_id id;
	struct err ignored;

	return path_read(path, name, &text, &id, &ignored) == 0 &&
	       slice_equal(str_slice(&text), before);
}

/*
 * What somebody has saved in this very instant takes its place again. Where it cannot, or yet
 * another text has come meanwhile, what came out is all that there is of it: *theirs then says that
 * the twin is not to be removed.
 */
static int whole_put_back(const struct path *path, const char *temp, struct slice after,
			  bool *theirs, struct err *err)
{
	struct err ignored;

	if (path->disk->sys->renameat2(path->dirfd, temp, path->dirfd, path->name,
				       RENAME_EXCHANGE) != 0)
		disk_cannot(path->disk, "put back", path->file_name, err);
	else if (whole_is_same(path, temp, after))
		return whole_refuse_race(path, err);
	else
		whole_refuse_race(path, err);
	*theirs = true;
	sibling_keep(path, SIBLING_EDIT, SIBLING_ORPHAN, &ignored);
	return -1;
}

static int whole_exchange(const struct path *path, const char *temp, const struct whole_file *file,
			  bool present, bool *theirs, struct err *err)
{
	const struct sys *sys = path->disk->sys;
	unsigned flags = present ? RENAME_EXCHANGE : RENAME_NOREPLACE;

	if (sys->renameat2(path->dirfd, temp, path->dirfd, path->name, flags) != 0) {
		if (errno != EINVAL && errno != ENOSYS)
			return errno == EEXIST || errno == ENOENT
				       ? whole_refuse_race(path, err)
				       : disk_cannot(path->disk, "replace", path->file_name, err);
		/* Where there is no exchange an edit in this instant would be lost. */
		if (!whole_is_same(path, path->name, file->before))
			return whole_refuse_race(path, err);
		return sys->renameat2(path->dirfd, temp, path->dirfd, path->name, 0) == 0
			       ? 0
			       : disk_cannot(path->disk, "replace", path->file_name, err);
	}
	if (!present || whole_is_same(path, temp, file->before))
		return 0;
	return whole_put_back(path, temp, file->after, theirs, err);
}

/*
 * What a killed process has left. It may be the text of somebody who saved in the instant of the
 * exchange: what is neither in the file nor was is kept.
 */
static int whole_clear_twin(const struct path *path, const struct whole_file *file, struct err *err)
{
	STR_AUTO left = STR_INIT;
	STR_AUTO now = STR_INIT;
	struct file_id id;

	if (sibling_read(path, SIBLING_EDIT, &left, &id, NULL, err) != 0)
		return -1;
	if (!id.present)
		return 0;
	if (path_read(path, path->name, &now, &id, err) != 0)
		return -1;
	if (text_is_blank(str_slice(&left)) || slice_equal(str_slice(&left), str_slice(&now)) ||
	    slice_equal(str_slice(&left), file->before))
		return sibling_remove(path, SIBLING_EDIT, err);
	return sibling_keep_once(path, SIBLING_EDIT, SIBLING_ORPHAN, str_slice(&left), err);
}

static int whole_swap(const struct path *path, const struct whole_file *file, struct err *err)
{
	STR_AUTO temp = STR_INIT;
	STR_AUTO now = STR_INIT;
	bool theirs = false;
	struct file_id id;
	struct err ignored;

	sibling_name(&temp, path, SIBLING_EDIT);
	if (whole_clear_twin(path, file, err) != 0 ||
	    path_read(path, path->name, &now, &id, err) != 0)
		return -1;
	if (!slice_equal(str_slice(&now), file->before))
		return whole_refuse_race(path, err);
	if (file_write_new(path->disk->sys, path->dirfd, temp.ptr, file->after,
			   id.present ? id.mode & 0600 : 0600, FILE_DURABLE, err) != 0)
		return err_in_folder(err, path->disk->path, temp.ptr);
	int result = whole_exchange(path, temp.ptr, file, id.present, &theirs, err);
	if (result == 0)
		result = sibling_sync(path, err);
	if (result == 0 && file->keeps && !text_is_blank(file->before))
		result = sibling_keep_once(path, SIBLING_EDIT, SIBLING_BROKEN, file->before, err);
	else if (!theirs)
		sibling_remove(path, SIBLING_EDIT, &ignored);
	return result;
}

int whole_file_replace(struct disk *disk, const struct whole_file *file, struct err *err)
{
	PATH_AUTO path = {0};
	sigset_t before;

	if (path_open(&path, disk, file->file_name, err) != 0)
		return -1;
	disk_look_again(disk, STORE_FILE_COUNT);
	signals_hold(&before);
	int result = whole_swap(&path, file, err);
	signals_release(&before);
	return result;
}
