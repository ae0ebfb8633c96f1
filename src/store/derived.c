#include "store/derived.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>

#define PRIVATE_MODE 0600

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

/*
 * Where a regular file is replaced the two names are exchanged and the old file removed, if that is
 * possible: a plain rename over a file makes ext4 write the new one out at once, which takes five
 * times as long and is of no use for what is derived.
 */
static int put_in_place(struct disk *disk, const char *temporary, const char *name, bool replaces)
{
	const struct sys *sys = disk->sys;

	if (replaces && !disk->exchange_missing &&
	    sys->renameat2(disk->dirfd, temporary, disk->dirfd, name, RENAME_EXCHANGE) == 0) {
		/* What cannot be removed is removed by the next write. */
		sys->unlinkat(disk->dirfd, temporary, 0);
		return 0;
	}
	return sys->renameat2(disk->dirfd, temporary, disk->dirfd, name, 0);
}

static int fill_and_rename(struct disk *disk, int fd, const char *temporary, const char *name,
			   struct slice text, struct err *err)
{
	const struct sys *sys = disk->sys;
	struct stat st;
	bool replaces = sys->fstatat(disk->dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
			S_ISREG(st.st_mode);

	if (sys->fchmod(fd, replaces ? st.st_mode & PRIVATE_MODE : PRIVATE_MODE) != 0)
		return err_set_errno(err, ERR_CANNOT_WRITE, errno, "cannot set the mode of %s",
				     name);
	if (file_write_all(sys, fd, text, err) != 0)
		return err_prefix(err, "%s", name);
	if (put_in_place(disk, temporary, name, replaces) != 0)
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
