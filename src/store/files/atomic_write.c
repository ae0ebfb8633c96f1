#include "store/files/atomic_write.h"

#include <errno.h>
#include <fcntl.h>

static int renew_error(const struct disk *disk, const char *what, const char *where,
		       const char *name, struct err *err)
{
	return err_set_errno(err, err_code_of_write(errno), errno, "cannot %s %s/%s%s", what,
			     disk->path, where, name);
}

static int write_new(const struct disk *disk, int fd, const char *where, const char *name,
		     struct slice text, struct err *err)
{
	const struct sys *sys = disk->sys;

	if (file_write_all(sys, fd, text, err) != 0)
		return err_prefix(err, "%s/%s%s", disk->path, where, name);
	if (sys->fchmod(fd, 0600) != 0 || file_fsync(sys, fd) != 0)
		return renew_error(disk, "make durable", where, name, err);
	return 0;
}

int renew_file(struct disk *disk, int dirfd, const char *where, const char *name, struct slice text,
	       struct err *err)
{
	const struct sys *sys = disk->sys;
	STR_AUTO temp = STR_INIT;
	int result;
	int fd;

	str_printf(&temp, ".%s.tmp", name);
	if (sys->unlinkat(dirfd, temp.ptr, 0) != 0 && errno != ENOENT)
		return renew_error(disk, "remove", where, temp.ptr, err);
	fd = file_open(sys, dirfd, temp.ptr, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		       0600);
	if (fd < 0)
		return renew_error(disk, "make", where, temp.ptr, err);
	result = write_new(disk, fd, where, name, text, err);
	file_close(sys, &fd);
	if (result == 0 && sys->renameat2(dirfd, temp.ptr, dirfd, name, 0) != 0)
		result = renew_error(disk, "replace", where, name, err);
	if (result == 0 && file_fsync(sys, dirfd) != 0)
		return renew_error(disk, "make durable", where, name, err);
	if (result != 0)
		sys->unlinkat(dirfd, temp.ptr, 0);
	return result;
}
