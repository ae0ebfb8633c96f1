#include "store/files/cache_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <unistd.h>

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

static int cannot(const char *what, const char *name, struct err *err)
{
	return err_set_errno(err, ERR_CANNOT_WRITE, errno, "cannot %s %s", what, name);
}

/* The mode that the file has or gets; *regular says whether there is one to exchange with. */
static mode_t mode_for(struct disk *disk, const char *name, bool *regular)
{
	struct stat st;

	*regular = disk->sys->fstatat(disk->dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		   S_ISREG(st.st_mode);
	return *regular ? st.st_mode & PRIVATE_MODE : PRIVATE_MODE;
}

static int fill_and_rename(struct disk *disk, int fd, const char *temporary, const char *name,
			   struct slice text, struct err *err)
{
	const struct sys *sys = disk->sys;
	bool regular;

	if (sys->fchmod(fd, mode_for(disk, name, &regular)) != 0)
		return cannot("set the mode of", name, err);
	if (file_write_all(sys, fd, text, err) != 0)
		return err_prefix(err, "%s", name);
	if (sys->renameat2(disk->dirfd, temporary, disk->dirfd, name, 0) != 0)
		return cannot("replace", name, err);
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

/* Opens the spare to be written over, where it is a file of ours that nothing else refers to. */
static int open_spare(struct disk *disk, const char *spare, off_t *size)
{
	const struct sys *sys = disk->sys;
	int fd = file_open(sys, disk->dirfd, spare, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
			   0);
	struct stat st;

	if (fd < 0)
		return -1;
	if (sys->fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
	    st.st_nlink != 1)
		file_close(sys, &fd);
	else
		*size = st.st_size;
	return fd;
}

/* False where the exchange is not possible: nothing has changed but the spare then. */
static bool fill_and_exchange(struct disk *disk, int fd, const char *spare, off_t size,
			      const char *name, struct slice text)
{
	const struct sys *sys = disk->sys;
	struct err ignored;
	bool regular;
	mode_t mode = mode_for(disk, name, &regular);

	return regular && !disk->exchange_missing && sys->fchmod(fd, mode) == 0 &&
	       file_write_all(sys, fd, text, &ignored) == 0 &&
	       (size <= (off_t)text.len || sys->ftruncate(fd, (off_t)text.len) == 0) &&
	       sys->renameat2(disk->dirfd, spare, disk->dirfd, name, RENAME_EXCHANGE) == 0;
}

int derived_alternate(struct disk *disk, const char *name, struct slice text, struct err *err)
{
	STR_AUTO spare = STR_INIT;
	bool done;
	off_t size = 0;
	int fd;

	str_printf(&spare, ".%s.spare", name);
	fd = open_spare(disk, spare.ptr, &size);
	done = fd >= 0 && fill_and_exchange(disk, fd, spare.ptr, size, name, text);
	file_close(disk->sys, &fd);
	if (done)
		return 0;
	if (derived_replace(disk, name, text, NULL, err) != 0)
		return -1;
	/* For the next time. Without it that one takes longer, and that is all. */
	fd = file_open(disk->sys, disk->dirfd, spare.ptr,
		       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, PRIVATE_MODE);
	file_close(disk->sys, &fd);
	return 0;
}
