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
			return err_set_errno(err, ERR_IO, errno, "cannot look at %s", path->ptr);
		if (len == 0 || (size_t)len == sizeof target)
			break;
		follow(path, slice_make(target, (size_t)len));
	}
	return err_set(err, ERR_BAD_DATA, "%s: a link that leads too far", path->ptr);
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
		return err_set(err, ERR_BUSY, "%s changed meanwhile; nothing is written: try again",
			       file->path.ptr);
	if (now.present && now.uid != geteuid())
		return err_set(err, ERR_CANNOT_WRITE,
			       "%s belongs to another user; run this as that user", file->path.ptr);
	return 0;
}

static void make_folders(const struct config_file *file)
{
	STR_AUTO path = STR_INIT;

	str_add(&path, str_slice(&file->path));
	for (char *at = path.ptr + 1; (at = strchr(at, '/')) != NULL; at++) {
		*at = '\0';
		file->sys->mkdirat(AT_FDCWD, path.ptr, 0777);
		*at = '/';
	}
}

/* Writes the text under another name beside the file. */
static int write_beside(const struct config_file *file, const char *name, struct slice text,
			mode_t mode, struct err *err)
{
	int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd = file_open(file->sys, AT_FDCWD, name, flags, file->id.present ? 0600 : mode);
	int result = -1;

	if (fd < 0)
		return config_file_fail("make", name, err);
	if (file->id.present && file->sys->fchmod(fd, file->id.mode & 07777) != 0)
		config_file_fail("make", name, err);
	else if (file_write_all(file->sys, fd, text, err) != 0)
		err_prefix(err, "%s", name);
	else if (file_fsync(file->sys, fd) != 0)
		config_file_fail("write", name, err);
	else
		result = 0;
	file_close(file->sys, &fd);
	return result;
}

int config_file_write(const struct config_file *file, struct slice text, mode_t mode,
		      struct err *err)
{
	STR_AUTO name = STR_INIT;

	if (check_unchanged(file, err) != 0)
		return -1;
	make_folders(file);
	str_printf(&name, "%s.kota-%ld", file->path.ptr, (long)getpid());
	if (write_beside(file, name.ptr, text, mode, err) == 0 && check_unchanged(file, err) == 0) {
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
