#include "store/derived.h"

#include <errno.h>
#include <fcntl.h>

#define PRIVATE_MODE 0600

static mode_t mode_for(struct disk *disk, const char *name)
{
	struct stat st;

	if (disk->sys->fstatat(disk->dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISREG(st.st_mode))
		return st.st_mode & PRIVATE_MODE;
	return PRIVATE_MODE;
}

/* What a killed process left under the temporary name has nothing that is missed. */
static int open_temporary(struct disk *disk, const char *temporary)
{
	const struct sys *sys = disk->sys;

	if (sys->unlinkat(disk->dirfd, temporary, 0) != 0 && errno != ENOENT)
		return -1;
	return file_open(sys, disk->dirfd, temporary,
			 O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC,
			 PRIVATE_MODE);
}

static int fill_and_rename(struct disk *disk, int fd, const char *temporary, const char *name,
			   struct slice text, struct err *err)
{
	const struct sys *sys = disk->sys;

	if (sys->fchmod(fd, mode_for(disk, name)) != 0)
		return err_set_errno(err, ERR_CANNOT_WRITE, errno, "cannot set the mode of %s",
				     name);
	if (file_write_all(sys, fd, text, err) != 0)
		return err_prefix(err, "%s", name);
	if (sys->renameat2(disk->dirfd, temporary, disk->dirfd, name, 0) != 0)
		return err_set_errno(err, ERR_CANNOT_WRITE, errno, "cannot replace %s", name);
	return 0;
}

int derived_replace(struct disk *disk, const char *name, struct slice text, int *fd,
		    struct err *err)
{
	STR_AUTO temporary = STR_INIT;
	int result;
	int opened;

	str_printf(&temporary, ".%s.tmp", name);
	opened = open_temporary(disk, temporary.ptr);
	if (opened < 0)
		return err_set_errno(err, ERR_CANNOT_WRITE, errno, "cannot make %s", temporary.ptr);
	result = fill_and_rename(disk, opened, temporary.ptr, name, text, err);
	if (result != 0)
		disk->sys->unlinkat(disk->dirfd, temporary.ptr, 0);
	if (result == 0 && fd)
		*fd = opened;
	else
		file_close(disk->sys, &opened);
	return result;
}
