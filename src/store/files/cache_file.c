#include "store/files/cache_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <unistd.h>

#define PRIVATE_MODE 0600

/* The mode that the file has or gets; *regular says whether there is one to exchange with. */
static mode_t cache_file_mode_for(struct disk *disk, const char *name, bool *regular)
{
	struct stat st;

	*regular = disk->sys->fstatat(disk->dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		   S_ISREG(st.st_mode);
	return *regular ? st.st_mode & PRIVATE_MODE : PRIVATE_MODE;
}

int derived_replace(struct disk *disk, const char *name, struct slice text, int *fd,
		    struct err *err)
{
	bool regular;
	int result = file_replace(disk->sys, disk->dirfd, name, text,
				  cache_file_mode_for(disk, name, &regular), 0, NULL, err);

	if (result == 0 && fd) {
		*fd = file_open(disk->sys, disk->dirfd, name,
				O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
		if (*fd < 0)
			result = err_set_errno(err, ERR_CANNOT_WRITE, errno, "cannot open %s",
					       name);
	}
	if (result != 0)
		err->code = ERR_CANNOT_WRITE;
	return result;
}

/*
 * The spare, to be written over, where it is a file of ours that nothing else refers to. It stays
 * open: what it is exchanged for is the spare of the next time.
 */
static int cache_file_open_spare(struct disk *disk, const char *spare, struct stat *st)
{
	struct kept_file *kept = &disk->derived[disk->derived_turn];
	int fd = file_keep(disk->sys, disk->dirfd, spare, O_WRONLY, kept, st);

	/* Who has the lock owns the folder. */
	return fd >= 0 && st->st_uid == disk->folder.uid ? fd : -1;
}

/* False where the exchange is not possible: nothing has changed but the spare then. */
static bool cache_file_fill_and_exchange(struct disk *disk, int fd, const char *spare,
					 const struct stat *st, const char *name, struct slice text)
{
	const struct sys *sys = disk->sys;
	bool regular;
	mode_t mode = cache_file_mode_for(disk, name, &regular);

	return regular && !disk->exchange_missing &&
	       ((st->st_mode & 07777) == mode || sys->fchmod(fd, mode) == 0) &&
	       file_pwrite_all(sys, fd, text, 0) == 0 &&
	       (st->st_size <= (off_t)text.len || sys->ftruncate(fd, (off_t)text.len) == 0) &&
	       sys->renameat2(disk->dirfd, spare, disk->dirfd, name, RENAME_EXCHANGE) == 0;
}

int derived_alternate(struct disk *disk, const char *name, struct slice text, struct err *err)
{
	STR_AUTO spare = STR_INIT;
	struct stat st;

	str_printf(&spare, ".%s.spare", name);
	int fd = cache_file_open_spare(disk, spare.ptr, &st);
	if (fd >= 0 && cache_file_fill_and_exchange(disk, fd, spare.ptr, &st, name, text)) {
		disk->derived_turn ^= 1;
		return 0;
	}
	if (derived_replace(disk, name, text, NULL, err) != 0)
		return -1;
	/* For the next time, which merely takes longer without it. */
	fd = file_create(disk->sys, disk->dirfd, spare.ptr, PRIVATE_MODE);
	file_close(disk->sys, &fd);
	return 0;
}
