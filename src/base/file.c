#include "base/file.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/sysmacros.h>

/* A file is read this often, with this pause, before it counts as one that never stops changing. */
#define READ_TRIES 5
#define READ_PAUSE_MS 10

void file_id_from_stat(struct file_id *id, const struct stat *st)
{
	*id = (struct file_id){
		.present = true,
		.dev = st->st_dev,
		.ino = st->st_ino,
		.size = st->st_size,
		.mtime = st->st_mtim,
		.ctime = st->st_ctim,
		.mode = st->st_mode,
		.uid = st->st_uid,
		.nlink = st->st_nlink,
	};
}

static const char *file_kind_of(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFDIR:
		return "a directory";
	case S_IFIFO:
		return "a FIFO";
	case S_IFSOCK:
		return "a socket";
	case S_IFCHR:
		return "a character device";
	case S_IFBLK:
		return "a block device";
	default:
		return "something else";
	}
}

static int file_refuse_kind(const char *name, mode_t mode, struct err *err)
{
	return err_set(err, ERR_BAD_DATA, "%s is %s, not a regular file", name, file_kind_of(mode));
}

/*
 * After ENOENT: is the name itself absent? A link whose target is missing gives ENOENT too, and
 * taking it for absence would replace the link.
 */
static int file_confirm_absent(const struct sys *sys, int dirfd, const char *name, struct err *err)
{
	struct stat st;

	if (sys->fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
		if (errno == ENOENT)
			return 0;
		return err_set_errno(err, ERR_IO, errno, "cannot look at %s", name);
	}
	if (S_ISLNK(st.st_mode))
		return err_set(err, ERR_BAD_DATA, "%s is a link to nothing", name);
	/* Somebody has just created it; it was absent when we looked. */
	return 0;
}

/* Where a link leads. */
static int file_stat_target(const struct sys *sys, int dirfd, const char *name, struct stat *st,
			    struct err *err)
{
	if (sys->fstatat(dirfd, name, st, 0) == 0)
		return 0;
	if (errno == ENOENT || errno == ENOTDIR)
		return err_set(err, ERR_BAD_DATA, "%s is a link to nothing", name);
	if (errno == ELOOP)
		return err_set(err, ERR_BAD_DATA, "%s is a link that leads in a circle", name);
	return err_set_errno(err, ERR_IO, errno, "cannot look at %s", name);
}

int file_identify_link(const struct sys *sys, int dirfd, const char *name, struct file_id *id,
		       bool *linked, struct err *err)
{
	int64_t asked_ns = sys->file_clock_ns();
	struct stat st;

	if (sys->fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
		if (errno != ENOENT)
			return err_set_errno(err, ERR_IO, errno, "cannot look at %s", name);
		*id = (struct file_id){.present = false};
		*linked = false;
		return 0;
	}
	*linked = S_ISLNK(st.st_mode);
	if (*linked && file_stat_target(sys, dirfd, name, &st, err) != 0)
		return -1;
	file_id_from_stat(id, &st);
	id->asked_ns = asked_ns;
	return 0;
}

int file_identify(const struct sys *sys, int dirfd, const char *name, struct file_id *id,
		  struct err *err)
{
	bool linked;

	return file_identify_link(sys, dirfd, name, id, &linked, err);
}

/* Opens for reading, links by the flags; *fd stays -1 when the file is absent. */
static int file_open_to_read(const struct sys *sys, int dirfd, const char *name, int flags, int *fd,
			     struct err *err)
{
	struct stat st;

	*fd = file_open(sys, dirfd, name, flags | O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
	if (*fd >= 0)
		return 0;
	int number = errno;
	/* Without following links it is the name itself. */
	if (number == ENOENT)
		return flags & O_NOFOLLOW ? 0 : file_confirm_absent(sys, dirfd, name, err);
	if (number == ELOOP && (flags & O_NOFOLLOW))
		return err_set(err, ERR_BAD_DATA, "%s is a link, not a regular file", name);
	/* Sockets and devices without a driver cannot be opened at all. */
	if (number == ENXIO && sys->fstatat(dirfd, name, &st, 0) == 0 && !S_ISREG(st.st_mode))
		return file_refuse_kind(name, st.st_mode, err);
	return err_set_errno(err, ERR_IO, number, "cannot open %s", name);
}

static struct timespec file_time_of(const struct statx_timestamp *time)
{
	return (struct timespec){.tv_sec = time->tv_sec, .tv_nsec = time->tv_nsec};
}

int file_identify_open(const struct sys *sys, int fd, struct file_id *id)
{
	int64_t asked_ns = sys->file_clock_ns();
	struct statx stx;
	struct stat st;

	if (sys->statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, &stx) != 0 ||
	    (stx.stx_mask & STATX_BASIC_STATS) != STATX_BASIC_STATS) {
		if (sys->fstat(fd, &st) != 0)
			return -1;
		file_id_from_stat(id, &st);
		id->asked_ns = asked_ns;
		return 0;
	}
	*id = (struct file_id){
		.present = true,
		.asked_ns = asked_ns,
		.dev = makedev(stx.stx_dev_major, stx.stx_dev_minor),
		.ino = stx.stx_ino,
		.size = (off_t)stx.stx_size,
		.mtime = file_time_of(&stx.stx_mtime),
		.ctime = file_time_of(&stx.stx_ctime),
		.mode = stx.stx_mode,
		.uid = stx.stx_uid,
		.nlink = stx.stx_nlink,
	};
	if (stx.stx_mask & STATX_BTIME)
		id->born_ns = (uint64_t)stx.stx_btime.tv_sec * 1000000000 + stx.stx_btime.tv_nsec;
	return 0;
}

/* With `born` also when it was made. */
static int file_stat_regular(const struct sys *sys, int fd, const char *name, size_t max, bool born,
			     struct file_id *id, struct err *err)
{
	int64_t asked_ns = sys->file_clock_ns();
	struct stat st;

	if (born ? file_identify_open(sys, fd, id) != 0 : sys->fstat(fd, &st) != 0)
		return err_set_errno(err, ERR_IO, errno, "cannot look at %s", name);
	if (!born) {
		file_id_from_stat(id, &st);
		id->asked_ns = asked_ns;
	}
	if (!S_ISREG(id->mode))
		return file_refuse_kind(name, id->mode, err);
	if ((uintmax_t)id->size > max)
		return err_set(err, ERR_TOO_LARGE, "%s has %jd bytes, at most %zu are allowed",
			       name, (intmax_t)id->size, max);
	return 0;
}

int file_pread(const struct sys *sys, int fd, off_t from, size_t least, size_t most,
	       struct str *out)
{
	str_clear(out);
	str_reserve(out, most);
	while (out->len < most) {
		ssize_t got = sys->pread(fd, out->ptr + out->len, most - out->len,
					 from + (off_t)out->len);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		out->len += (size_t)got;
		out->ptr[out->len] = '\0';
		if (got == 0 || out->len >= least)
			break;
	}
	return 0;
}

/* With a lease nobody can change the file meanwhile. */
static int file_read_settled(const struct sys *sys, int fd, const char *name, size_t max,
			     bool leased, const struct file_id *known, struct str *out,
			     struct file_id *id, struct err *err)
{
	for (int tries = 0; tries < READ_TRIES; tries++) {
		struct file_id before = {0};
		struct file_id after = {0};

		if (tries > 0)
			sys->sleep_ms(READ_PAUSE_MS);
		if (file_stat_regular(sys, fd, name, max, leased, &before, err) != 0)
			return -1;
		if (leased && known && file_id_equal(&before, known)) {
			*id = before;
			return 0;
		}
		/* One byte more, so that a file that grew is noticed: the size is looked at again.
		 */
		if (file_pread(sys, fd, 0, (size_t)before.size, mem_sum((size_t)before.size, 1),
			       out) != 0)
			return err_set_errno(err, ERR_IO, errno, "cannot read %s", name);
		if (leased)
			after = before;
		else if (file_stat_regular(sys, fd, name, max, false, &after, err) != 0)
			return -1;
		if (file_id_equal(&before, &after) && out->len == (size_t)after.size) {
			*id = after;
			/* A later write is not in what we read. */
			id->asked_ns = before.asked_ns;
			return 0;
		}
	}
	return err_set(err, ERR_BUSY, "%s keeps changing while it is read: try again", name);
}

uint64_t file_born_ns(const struct sys *sys, int dirfd, const char *name)
{
	int flags = AT_SYMLINK_NOFOLLOW | (*name ? 0 : AT_EMPTY_PATH);
	struct statx st;

	if (sys->statx(dirfd, name, flags, STATX_BTIME, &st) != 0 || !(st.stx_mask & STATX_BTIME))
		return 0;
	return (uint64_t)st.stx_btime.tv_sec * 1000000000 + st.stx_btime.tv_nsec;
}

static enum file_use file_take_lease(const struct sys *sys, int fd)
{
	if (sys->lease(fd, F_RDLCK) != 0)
		return errno == EAGAIN ? FILE_USE_WRITTEN : FILE_USE_UNKNOWN;
	return FILE_USE_IDLE;
}

enum file_use file_use(const struct sys *sys, int fd)
{
	enum file_use use = file_take_lease(sys, fd);

	if (use == FILE_USE_IDLE)
		sys->lease(fd, F_UNLCK);
	return use;
}

static int file_read_by_name(const struct sys *sys, int dirfd, const char *name, int flags,
			     size_t max, const struct file_id *known, struct str *out,
			     struct file_id *id, enum file_use *use, struct err *err)
{
	enum file_use found = FILE_USE_UNKNOWN;
	int result = 0;
	int fd;

	str_clear(out);
	if (file_open_to_read(sys, dirfd, name, flags, &fd, err) != 0)
		return -1;
	if (fd < 0) {
		*id = (struct file_id){.present = false};
	} else {
		if (use)
			found = file_take_lease(sys, fd);
		result = file_read_settled(sys, fd, name, max, found == FILE_USE_IDLE, known, out,
					   id, err);
		id->idle = found == FILE_USE_IDLE;
		file_close(sys, &fd); /* which gives the lease back */
	}
	if (result != 0)
		str_clear(out);
	else if (use)
		*use = found;
	return result;
}

int file_read(const struct sys *sys, int dirfd, const char *name, size_t max, struct str *out,
	      struct file_id *id, struct err *err)
{
	return file_read_by_name(sys, dirfd, name, 0, max, NULL, out, id, NULL, err);
}

int file_read_own(const struct sys *sys, int dirfd, const char *name, size_t max, struct str *out,
		  struct file_id *id, struct err *err)
{
	return file_read_by_name(sys, dirfd, name, O_NOFOLLOW, max, NULL, out, id, NULL, err);
}

int file_read_use(const struct sys *sys, int dirfd, const char *name, size_t max, struct str *out,
		  const struct file_id *known, struct file_id *id, enum file_use *use,
		  struct err *err)
{
	return file_read_by_name(sys, dirfd, name, O_NOFOLLOW, max, known, out, id, use, err);
}

int file_write_all(const struct sys *sys, int fd, struct slice text, struct err *err)
{
	size_t done = 0;

	while (done < text.len) {
		ssize_t put = sys->write(fd, text.ptr + done, text.len - done);

		if (put > 0)
			done += (size_t)put;
		else if (put == 0)
			return err_set(err, ERR_CANNOT_WRITE, "cannot write: no byte was accepted");
		else if (errno != EINTR)
			return err_set_errno(err, ERR_CANNOT_WRITE, errno, "cannot write");
	}
	return 0;
}

int file_pwrite_all(const struct sys *sys, int fd, struct slice text, off_t offset)
{
	size_t done = 0;

	while (done < text.len) {
		ssize_t put = sys->pwrite(fd, text.ptr + done, text.len - done,
					  offset + (off_t)done);

		if (put > 0)
			done += (size_t)put;
		else if (put == 0 || errno != EINTR)
			return -1;
	}
	return 0;
}

static int file_cannot(const char *what, const char *name, struct err *err)
{
	return err_set_errno(err, err_code_of_write(errno), errno, "cannot %s %s", what, name);
}

/* Messages name the file `shown`. */
static int file_write_as(const struct sys *sys, int dirfd, const char *name, struct slice text,
			 mode_t mode, int flags, const char *shown, struct err *err)
{
	int fd = file_create(sys, dirfd, name, mode);
	int number = errno;
	int result = -1;

	if (fd < 0) {
		file_cannot("make", shown, err);
		errno = number;
		return -1;
	}
	if (file_write_all(sys, fd, text, err) != 0)
		err_prefix(err, "%s", shown);
	else if (!(flags & FILE_UMASK) && sys->fchmod(fd, mode) != 0)
		file_cannot("set the mode of", shown, err);
	else if ((flags & FILE_SYNCED) && file_fsync(sys, fd) != 0)
		file_cannot("make durable", shown, err);
	else
		result = 0;
	file_close(sys, &fd);
	if (result != 0) {
		sys->unlinkat(dirfd, name, 0);
		errno = 0;
	}
	return result;
}

int file_write_new(const struct sys *sys, int dirfd, const char *name, struct slice text,
		   mode_t mode, int flags, struct err *err)
{
	return file_write_as(sys, dirfd, name, text, mode, flags, name, err);
}

int file_replace(const struct sys *sys, int dirfd, const char *name, struct slice text, mode_t mode,
		 int flags, bool *placed, struct err *err)
{
	STR_AUTO temp = STR_INIT;

	str_printf(&temp, "%s%s.tmp", name[0] == '.' ? "" : ".", name);
	if (sys->unlinkat(dirfd, temp.ptr, 0) != 0 && errno != ENOENT)
		return file_cannot("remove", temp.ptr, err);
	if (file_write_as(sys, dirfd, temp.ptr, text, mode, flags, name, err) != 0)
		return -1;
	if (sys->renameat2(dirfd, temp.ptr, dirfd, name, 0) != 0) {
		file_cannot("replace", name, err);
		sys->unlinkat(dirfd, temp.ptr, 0);
		return -1;
	}
	if (placed)
		*placed = true;
	if ((flags & FILE_DURABLE) == FILE_DURABLE && file_fsync(sys, dirfd) != 0)
		return file_cannot("make durable", name, err);
	return 0;
}

int file_rename_free(const struct sys *sys, int dirfd, const char *from, const char *to)
{
	struct stat st;

	if (sys->renameat2(dirfd, from, dirfd, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	if (sys->fstatat(dirfd, to, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		errno = EEXIST;
		return -1;
	}
	return errno == ENOENT ? sys->renameat2(dirfd, from, dirfd, to, 0) : -1;
}

int file_create(const struct sys *sys, int dirfd, const char *name, mode_t mode)
{
	return file_open(sys, dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			 mode);
}

int file_open(const struct sys *sys, int dirfd, const char *name, int flags, mode_t mode)
{
	int fd;

	do
		fd = sys->openat(dirfd, name, flags, mode);
	while (fd < 0 && errno == EINTR);
	return fd;
}

void file_let_go(const struct sys *sys, struct kept_file *kept)
{
	if (kept->open)
		file_close(sys, &kept->fd);
	kept->open = false;
}

int file_keep(const struct sys *sys, int dirfd, const char *name, int flags, struct kept_file *kept,
	      struct stat *st)
{
	struct stat opened;

	if (sys->fstatat(dirfd, name, st, AT_SYMLINK_NOFOLLOW) != 0)
		return -1;
	if (!S_ISREG(st->st_mode) || st->st_nlink != 1) {
		errno = S_ISREG(st->st_mode) ? EMLINK : EINVAL;
		return -1;
	}
	kept->fresh = !kept->open || kept->dev != st->st_dev || kept->ino != st->st_ino;
	if (!kept->fresh)
		return kept->fd;
	file_let_go(sys, kept);
	kept->fd = file_open(sys, dirfd, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
	if (kept->fd < 0)
		return -1;
	kept->open = true;
	if (sys->fstat(kept->fd, &opened) != 0 || opened.st_dev != st->st_dev ||
	    opened.st_ino != st->st_ino) {
		file_let_go(sys, kept);
		errno = EAGAIN;
		return -1;
	}
	kept->dev = st->st_dev;
	kept->ino = st->st_ino;
	return kept->fd;
}

int file_fsync(const struct sys *sys, int fd)
{
	int result;

	do
		result = sys->fsync(fd);
	while (result != 0 && errno == EINTR);
	return result;
}

void file_close(const struct sys *sys, int *fd)
{
	int number = errno;

	if (*fd >= 0)
		sys->close(*fd);
	*fd = -1;
	errno = number;
}

void path_join(struct str *out, const char *dir, const char *name)
{
	str_clear(out);
	if (name[0] != '/')
		str_printf(out, "%s/", dir);
	str_adds(out, name);
}

void file_make_folders(const struct sys *sys, char *path)
{
	for (char *at = path + 1; (at = strchr(at, '/')) != NULL; at++) {
		*at = '\0';
		sys->mkdirat(AT_FDCWD, path, 0700);
		*at = '/';
	}
}
