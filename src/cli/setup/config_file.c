#include "cli/setup/config_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#define BYTES_MAX ((size_t)64 << 20)
#define LINKS_MAX 16

/* ---- reading */

/* Puts where a link leads in the place of its path. */
static void follow(struct str *path, struct slice target)
{
	const char *slash = strrchr(path->ptr, '/');

	if (target.ptr[0] == '/')
		str_clear(path);
	else
		str_truncate(path, slash ? (size_t)(slash - path->ptr) + 1 : 0);
	str_add(path, target);
}

/* EINVAL says that it is no link, ENOENT that there is nothing yet. */
static int follow_links(const struct sys *sys, struct str *path, struct err *err)
{
	char target[PATH_MAX];

	for (int links = 0; links < LINKS_MAX; links++) {
		ssize_t len = sys->readlinkat(AT_FDCWD, path->ptr, target, sizeof target);

		if (len < 0 && (errno == EINVAL || errno == ENOENT))
			return 0;
		if (len < 0)
			return err_set_errno(err, ERR_IO, errno, "cannot examine %s", path->ptr);
		if (len == 0 || (size_t)len == sizeof target)
			break;
		follow(path, slice_make(target, (size_t)len));
	}
	return err_set(err, ERR_BAD_DATA, "%s: too many links", path->ptr);
}

int config_file_read(struct config_file *file, const struct sys *sys, const char *path,
		     struct err *err)
{
	*file = (struct config_file){.sys = sys};
	str_init(&file->path);
	str_init(&file->text);
	str_adds(&file->path, path);
	if (file_read(sys, AT_FDCWD, path, BYTES_MAX, &file->text, &file->id, err) == 0 &&
	    follow_links(sys, &file->path, err) == 0)
		return 0;
	config_file_release(file);
	return -1;
}

void config_file_release(struct config_file *file)
{
	str_release(&file->path);
	str_release(&file->text);
}

/* ---- writing */

static int config_file_fail(const char *what, const char *path, struct err *err)
{
	return err_set_errno(err, err_code_of_write(errno), errno, "cannot %s %s", what, path);
}

static int check_unchanged(const struct config_file *file, struct err *err)
{
	struct file_id now;

	if (file_identify(file->sys, AT_FDCWD, file->path.ptr, &now, err) != 0)
		return -1;
	if (!file_id_equal(&now, &file->id))
		return err_set(err, ERR_BUSY,
			       "%s was changed in the meantime; nothing was written, try again",
			       file->path.ptr);
	if (now.present && now.uid != geteuid())
		return err_set(err, ERR_CANNOT_WRITE,
			       "%s belongs to another user; run this as that user", file->path.ptr);
	return 0;
}

static void config_file_make_folders(const struct config_file *file)
{
	STR_AUTO path = STR_INIT;

	str_add(&path, str_slice(&file->path));
	for (char *at = path.ptr + 1; (at = strchr(at, '/')) != NULL; at++) {
		*at = '\0';
		file->sys->mkdirat(AT_FDCWD, path.ptr, 0777);
		*at = '/';
	}
}

int config_file_write(const struct config_file *file, struct slice text, mode_t mode,
		      struct err *err)
{
	STR_AUTO name = STR_INIT;

	if (check_unchanged(file, err) != 0)
		return -1;
	config_file_make_folders(file);
	str_printf(&name, "%s.kota-%ld", file->path.ptr, (long)getpid());
	if (file_write_new(file->sys, AT_FDCWD, name.ptr, text,
			   file->id.present ? file->id.mode & 07777 : mode,
			   file->id.present ? FILE_DURABLE : FILE_DURABLE | FILE_UMASK, err) != 0)
		return -1;
	if (check_unchanged(file, err) == 0) {
		if (file->sys->renameat2(AT_FDCWD, name.ptr, AT_FDCWD, file->path.ptr, 0) == 0)
			return 0;
		config_file_fail("replace", file->path.ptr, err);
	}
	file->sys->unlinkat(AT_FDCWD, name.ptr, 0);
	return -1;
}

int config_file_remove(const struct config_file *file, struct err *err)
{
	if (check_unchanged(file, err) != 0)
		return -1;
	if (file->sys->unlinkat(AT_FDCWD, file->path.ptr, 0) != 0)
		return config_file_fail("remove", file->path.ptr, err);
	return 0;
}
