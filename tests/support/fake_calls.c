/* The calls of the table: each does the real thing unless a rule of fake_sys.c says otherwise. */
#include "support/fake_internal.h"

#include <errno.h>
#include <fcntl.h>

static int fake_openat(int dirfd, const char *path, int flags, mode_t mode)
{
	struct fake_event event = fake_about_at(FAKE_OPENAT, dirfd, path, flags);

	if (fake_refused(&event, NULL))
		return -1;
	return (int)fake_done(&event, sys_real()->openat(dirfd, path, flags, mode));
}

static int fake_openat2(int dirfd, const char *path, const struct open_how *how)
{
	struct fake_event event = fake_about_at(FAKE_OPENAT2, dirfd, path, (int64_t)how->flags);

	if (fake_refused(&event, NULL))
		return -1;
	return (int)fake_done(&event, sys_real()->openat2(dirfd, path, how));
}

static int fake_close(int fd)
{
	struct fake_event event = fake_about_fd(FAKE_CLOSE, fd, 0);
	bool fails = fake_refused(&event, NULL);
	int number = errno;
	int result = sys_real()->close(fd);

	if (!fails)
		return (int)fake_done(&event, result);
	errno = number;
	return -1;
}

static ssize_t fake_read(int fd, void *buf, size_t count)
{
	struct fake_event event = fake_about_fd(FAKE_READ, fd, 0);

	return fake_refused(&event, &count) ? -1
					    : fake_done(&event, sys_real()->read(fd, buf, count));
}

static ssize_t fake_write(int fd, const void *buf, size_t count)
{
	struct fake_event event = fake_about_fd(FAKE_WRITE, fd, 0);

	return fake_refused(&event, &count) ? -1
					    : fake_done(&event, sys_real()->write(fd, buf, count));
}

static ssize_t fake_pread(int fd, void *buf, size_t count, off_t offset)
{
	struct fake_event event = fake_about_fd(FAKE_PREAD, fd, 0);

	return fake_refused(&event, &count)
		       ? -1
		       : fake_done(&event, sys_real()->pread(fd, buf, count, offset));
}

static ssize_t fake_pwrite(int fd, const void *buf, size_t count, off_t offset)
{
	struct fake_event event = fake_about_fd(FAKE_PWRITE, fd, 0);

	return fake_refused(&event, &count)
		       ? -1
		       : fake_done(&event, sys_real()->pwrite(fd, buf, count, offset));
}

static int fake_fsync(int fd)
{
	struct fake_event event = fake_about_fd(FAKE_FSYNC, fd, 0);

	return (int)(fake_refused(&event, NULL) ? -1 : fake_done(&event, sys_real()->fsync(fd)));
}

static int fake_ftruncate(int fd, off_t length)
{
	struct fake_event event = fake_about_fd(FAKE_FTRUNCATE, fd, length);

	return (int)(fake_refused(&event, NULL)
			     ? -1
			     : fake_done(&event, sys_real()->ftruncate(fd, length)));
}

static int fake_fchmod(int fd, mode_t mode)
{
	struct fake_event event = fake_about_fd(FAKE_FCHMOD, fd, mode);

	return (int)(fake_refused(&event, NULL) ? -1
						: fake_done(&event, sys_real()->fchmod(fd, mode)));
}

static int fake_fstat(int fd, struct stat *out)
{
	struct fake_event event = fake_about_fd(FAKE_FSTAT, fd, 0);

	return (int)(fake_refused(&event, NULL) ? -1
						: fake_done(&event, sys_real()->fstat(fd, out)));
}

static int fake_fstatat(int dirfd, const char *path, struct stat *out, int flags)
{
	struct fake_event event = fake_about_at(FAKE_FSTATAT, dirfd, path, flags);

	if (fake_refused(&event, NULL))
		return -1;
	return (int)fake_done(&event, sys_real()->fstatat(dirfd, path, out, flags));
}

static int fake_fstatvfs(int fd, struct statvfs *out)
{
	struct fake_event event = fake_about_fd(FAKE_FSTATVFS, fd, 0);
	int result;

	if (fake_refused(&event, NULL))
		return -1;
	result = (int)fake_done(&event, sys_real()->fstatvfs(fd, out));
	if (result == 0 && fake_has_no_inodes()) {
		out->f_files = 4096;
		out->f_favail = 0;
	}
	return result;
}

static int fake_statx(int dirfd, const char *path, int flags, unsigned int mask, struct statx *out)
{
	struct fake_event event = fake_about_at(FAKE_STATX, dirfd, path, flags);

	if (fake_refused(&event, NULL))
		return -1;
	return (int)fake_done(&event, sys_real()->statx(dirfd, path, flags, mask, out));
}

static int fake_mkdirat(int dirfd, const char *path, mode_t mode)
{
	struct fake_event event = fake_about_at(FAKE_MKDIRAT, dirfd, path, mode);

	if (fake_refused(&event, NULL))
		return -1;
	return (int)fake_done(&event, sys_real()->mkdirat(dirfd, path, mode));
}

static int fake_unlinkat(int dirfd, const char *path, int flags)
{
	struct fake_event event = fake_about_at(FAKE_UNLINKAT, dirfd, path, flags);

	if (fake_refused(&event, NULL))
		return -1;
	return (int)fake_done(&event, sys_real()->unlinkat(dirfd, path, flags));
}

static int fake_renameat2(int from_dirfd, const char *from, int to_dirfd, const char *to,
			  unsigned int flags)
{
	struct fake_event event = fake_about_at(FAKE_RENAMEAT2, from_dirfd, from, flags);

	fake_describe_at(event.to, to_dirfd, to);
	if (fake_refused(&event, NULL))
		return -1;
	return (int)fake_done(&event, sys_real()->renameat2(from_dirfd, from, to_dirfd, to, flags));
}

static int fake_symlinkat(const char *target, int dirfd, const char *path)
{
	struct fake_event event = fake_about_at(FAKE_SYMLINKAT, dirfd, path, 0);

	if (fake_refused(&event, NULL))
		return -1;
	return (int)fake_done(&event, sys_real()->symlinkat(target, dirfd, path));
}

static ssize_t fake_readlinkat(int dirfd, const char *path, char *buf, size_t size)
{
	struct fake_event event = fake_about_at(FAKE_READLINKAT, dirfd, path, 0);

	return fake_refused(&event, NULL)
		       ? -1
		       : fake_done(&event, sys_real()->readlinkat(dirfd, path, buf, size));
}

static char *fake_realpath(const char *path)
{
	struct fake_event event = fake_about_at(FAKE_REALPATH, AT_FDCWD, path, 0);
	char *real;

	if (fake_refused(&event, NULL))
		return NULL;
	real = sys_real()->realpath(path);
	fake_done(&event, real ? 1 : -1);
	return real;
}

static int fake_flock(int fd, int operation)
{
	struct fake_event event = fake_about_fd(FAKE_FLOCK, fd, operation);

	return (int)(fake_refused(&event, NULL)
			     ? -1
			     : fake_done(&event, sys_real()->flock(fd, operation)));
}

static int fake_lock_bytes(int fd, int command, struct flock *lock)
{
	struct fake_event event = fake_about_fd(FAKE_LOCK_BYTES, fd, command);

	return (int)(fake_refused(&event, NULL)
			     ? -1
			     : fake_done(&event, sys_real()->lock_bytes(fd, command, lock)));
}

static int fake_lease(int fd, int kind)
{
	struct fake_event event = fake_about_fd(FAKE_LEASE, fd, kind);

	return (int)(fake_refused(&event, NULL) ? -1
						: fake_done(&event, sys_real()->lease(fd, kind)));
}

static DIR *fake_fdopendir(int fd)
{
	struct fake_event event = fake_about_fd(FAKE_FDOPENDIR, fd, 0);
	DIR *dir;

	if (fake_refused(&event, NULL))
		return NULL;
	dir = sys_real()->fdopendir(fd);
	fake_done(&event, dir ? 1 : -1);
	return dir;
}

/* NULL is the end of the directory unless errno says otherwise. */
static struct dirent *fake_readdir(DIR *dir)
{
	struct fake_event event = fake_about_fd(FAKE_READDIR, dirfd(dir), 0);
	int number = errno;
	struct dirent *found;

	if (fake_refused(&event, NULL))
		return NULL;
	errno = 0;
	found = sys_real()->readdir(dir);
	fake_done(&event, found ? 1 : errno ? -1 : 0);
	errno = errno ? errno : number;
	return found;
}

static int fake_closedir(DIR *dir)
{
	struct fake_event event = fake_about_fd(FAKE_CLOSEDIR, dirfd(dir), 0);
	bool fails = fake_refused(&event, NULL);
	int number = errno;
	int result = sys_real()->closedir(dir);

	if (!fails)
		return (int)fake_done(&event, result);
	errno = number;
	return -1;
}

static ssize_t fake_getrandom(void *buf, size_t count, unsigned int flags)
{
	struct fake_event event = {.call = FAKE_GETRANDOM, .flags = flags};

	return fake_refused(&event, &count)
		       ? -1
		       : fake_done(&event, sys_real()->getrandom(buf, count, flags));
}

/* A test process must not give anything up: the version is all that is told. */
static int fake_landlock_version(void)
{
	struct fake_event event = {.call = FAKE_LANDLOCK};

	return fake_refused(&event, NULL) ? -1 : (int)fake_done(&event, FAKE_LANDLOCK_ABI);
}

static int fake_landlock_never(const void *attr, size_t size)
{
	(void)attr;
	(void)size;
	errno = ENOSYS;
	return -1;
}

static int fake_landlock_no_rule(int ruleset_fd, int type, const void *attr)
{
	(void)ruleset_fd;
	(void)type;
	return fake_landlock_never(attr, 0);
}

static int fake_landlock_no_end(int ruleset_fd)
{
	(void)ruleset_fd;
	return fake_landlock_never(NULL, 0);
}

static void fake_sleep_ms(int64_t ms)
{
	struct fake_event event = {.call = FAKE_SLEEP_MS, .flags = ms};

	fake_before(FAKE_SLEEP_MS, NULL);
	if (ms > 0)
		fake_sys_set_now(fake_sys_now() + ms);
	fake_done(&event, 0);
}

/* By the clock of the test, which decides when a stat is believed: steps of twenty milliseconds. */
static int64_t fake_file_clock_ns(void)
{
	return (fake_sys_now() - 20) * 1000000;
}

static const struct sys table = {
	.openat = fake_openat,
	.openat2 = fake_openat2,
	.close = fake_close,
	.read = fake_read,
	.write = fake_write,
	.pread = fake_pread,
	.pwrite = fake_pwrite,
	.fsync = fake_fsync,
	.ftruncate = fake_ftruncate,
	.fchmod = fake_fchmod,
	.fstat = fake_fstat,
	.fstatat = fake_fstatat,
	.fstatvfs = fake_fstatvfs,
	.statx = fake_statx,
	.mkdirat = fake_mkdirat,
	.unlinkat = fake_unlinkat,
	.renameat2 = fake_renameat2,
	.symlinkat = fake_symlinkat,
	.readlinkat = fake_readlinkat,
	.realpath = fake_realpath,
	.flock = fake_flock,
	.lock_bytes = fake_lock_bytes,
	.lease = fake_lease,
	.fdopendir = fake_fdopendir,
	.readdir = fake_readdir,
	.closedir = fake_closedir,
	.getrandom = fake_getrandom,
	.landlock_version = fake_landlock_version,
	.landlock_create_ruleset = fake_landlock_never,
	.landlock_add_rule = fake_landlock_no_rule,
	.landlock_restrict_self = fake_landlock_no_end,
	.sleep_ms = fake_sleep_ms,
	.now_ms = fake_sys_now,
	.file_clock_ns = fake_file_clock_ns,
};

const struct sys *fake_sys(void)
{
	return &table;
}
