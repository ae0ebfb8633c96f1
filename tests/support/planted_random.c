#include "support/planted_random.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static unsigned rate;
static uint64_t state;

static uint64_t draw(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15U;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
	z = (z ^ z >> 27) * 0x94d049bb133111ebU;
	return z ^ z >> 31;
}

static bool strikes(void)
{
	return draw() % 1000000 < rate;
}

/* Sets errno to one of the numbers and says that the call failed. */
static int fail_with(const int *numbers, size_t count)
{
	errno = numbers[draw() % count];
	return -1;
}

static const int on_open[] = {EIO, ENOSPC, EMFILE, EINTR, EACCES};
static const int on_read[] = {EIO, EINTR};
static const int on_write[] = {EIO, ENOSPC, EINTR};
static const int on_look[] = {EIO, EACCES};
static const int on_name[] = {EIO, ENOSPC, EACCES};
static const int on_lock[] = {EINTR, ENOLCK};
static const int on_lease[] = {EINVAL, EAGAIN};

#define FAIL(numbers) fail_with(numbers, sizeof numbers / sizeof *numbers)

static int random_openat(int dirfd, const char *path, int flags, mode_t mode)
{
	return strikes() ? FAIL(on_open) : openat(dirfd, path, flags, mode);
}

static int random_openat2(int dirfd, const char *path, const struct open_how *how)
{
	return strikes() ? FAIL(on_open) : sys_real()->openat2(dirfd, path, how);
}

/* As on Linux the descriptor is gone all the same. */
static int random_close(int fd)
{
	int result = close(fd);

	return strikes() ? FAIL(on_read) : result;
}

/* Half of it, or a failure that the descriptor can have. */
static bool cuts_short(int fd, size_t *count, const int *numbers, size_t number_count)
{
	if (*count > 1 && draw() % 2) {
		*count = 1 + draw() % (*count - 1);
		return true;
	}
	errno = fd <= STDERR_FILENO ? EINTR : numbers[draw() % number_count];
	return false;
}

#define CUTS_SHORT(fd, count, numbers)                                                             \
	cuts_short(fd, count, numbers, sizeof numbers / sizeof *numbers)

static ssize_t random_read(int fd, void *buf, size_t count)
{
	return strikes() && !CUTS_SHORT(fd, &count, on_read) ? -1 : read(fd, buf, count);
}

static ssize_t random_write(int fd, const void *buf, size_t count)
{
	return strikes() && !CUTS_SHORT(fd, &count, on_write) ? -1 : write(fd, buf, count);
}

static ssize_t random_pread(int fd, void *buf, size_t count, off_t offset)
{
	return strikes() && !CUTS_SHORT(fd, &count, on_read) ? -1 : pread(fd, buf, count, offset);
}

static ssize_t random_pwrite(int fd, const void *buf, size_t count, off_t offset)
{
	return strikes() && !CUTS_SHORT(fd, &count, on_write) ? -1 : pwrite(fd, buf, count, offset);
}

static int random_fsync(int fd)
{
	return strikes() ? FAIL(on_write) : fsync(fd);
}

static int random_ftruncate(int fd, off_t length)
{
	return strikes() ? FAIL(on_read) : ftruncate(fd, length);
}

static int random_fchmod(int fd, mode_t mode)
{
	return strikes() ? FAIL(on_look) : fchmod(fd, mode);
}

static int random_fstat(int fd, struct stat *out)
{
	return strikes() ? FAIL(on_look) : fstat(fd, out);
}

static int random_fstatat(int dirfd, const char *path, struct stat *out, int flags)
{
	return strikes() ? FAIL(on_look) : fstatat(dirfd, path, out, flags);
}

static int random_statx(int dirfd, const char *path, int flags, unsigned int mask,
			struct statx *out)
{
	return strikes() ? FAIL(on_look) : statx(dirfd, path, flags, mask, out);
}

static int random_mkdirat(int dirfd, const char *path, mode_t mode)
{
	return strikes() ? FAIL(on_name) : mkdirat(dirfd, path, mode);
}

static int random_unlinkat(int dirfd, const char *path, int flags)
{
	return strikes() ? FAIL(on_name) : unlinkat(dirfd, path, flags);
}

static int random_renameat2(int from_dirfd, const char *from, int to_dirfd, const char *to,
			    unsigned int flags)
{
	return strikes() ? FAIL(on_name)
			 : sys_real()->renameat2(from_dirfd, from, to_dirfd, to, flags);
}

static int random_symlinkat(const char *target, int dirfd, const char *path)
{
	return strikes() ? FAIL(on_name) : symlinkat(target, dirfd, path);
}

static ssize_t random_readlinkat(int dirfd, const char *path, char *buf, size_t size)
{
	return strikes() ? FAIL(on_look) : readlinkat(dirfd, path, buf, size);
}

/* Letting go of a lock does not fail. */
static char *random_realpath(const char *path)
{
	return strikes() && FAIL(on_look) != 0 ? NULL : realpath(path, NULL);
}

static int random_lock_bytes(int fd, int command, struct flock *lock)
{
	return strikes() ? FAIL(on_lock) : fcntl(fd, command, lock);
}

static int random_flock(int fd, int operation)
{
	return strikes() && operation != LOCK_UN ? FAIL(on_lock) : flock(fd, operation);
}

/* No leases here, or somebody who writes to the file. */
static int random_lease(int fd, int kind)
{
	return strikes() && kind != F_UNLCK ? FAIL(on_lease) : sys_real()->lease(fd, kind);
}

static DIR *random_fdopendir(int fd)
{
	if (!strikes())
		return fdopendir(fd);
	errno = EMFILE;
	return NULL;
}

static struct dirent *random_readdir(DIR *dir)
{
	if (!strikes())
		return readdir(dir); /* NOLINT(concurrency-mt-unsafe) */
	errno = EIO;
	return NULL;
}

static int random_closedir(DIR *dir)
{
	int result = closedir(dir);

	return strikes() ? FAIL(on_read) : result;
}

static ssize_t random_getrandom(void *buf, size_t count, unsigned int flags)
{
	return strikes() ? FAIL(on_read) : getrandom(buf, count, flags);
}

static ssize_t unchecked_write(int fd, const void *buf, size_t count)
{
	return fd > STDERR_FILENO && strikes() ? (ssize_t)count : write(fd, buf, count);
}

static int unchecked_unlinkat(int dirfd, const char *path, int flags)
{
	return strikes() ? 0 : unlinkat(dirfd, path, flags);
}

static int unchecked_renameat2(int from_dirfd, const char *from, int to_dirfd, const char *to,
			       unsigned int flags)
{
	return strikes() ? 0 : sys_real()->renameat2(from_dirfd, from, to_dirfd, to, flags);
}

static void begin(unsigned per_million)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	state = (uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 20 ^ (uint64_t)getpid() << 40;
	rate = per_million;
}

const struct sys *planted_unchecked(unsigned per_million)
{
	static struct sys table;

	begin(per_million);
	table = *sys_real();
	table.write = unchecked_write;
	table.unlinkat = unchecked_unlinkat;
	table.renameat2 = unchecked_renameat2;
	return &table;
}

const struct sys *planted_random(unsigned per_million)
{
	static struct sys table;

	begin(per_million);
	table = (struct sys){
		.openat = random_openat,
		.openat2 = random_openat2,
		.close = random_close,
		.read = random_read,
		.write = random_write,
		.pread = random_pread,
		.pwrite = random_pwrite,
		.fsync = random_fsync,
		.ftruncate = random_ftruncate,
		.fchmod = random_fchmod,
		.fstat = random_fstat,
		.fstatat = random_fstatat,
		.fstatvfs = fstatvfs,
		.statx = random_statx,
		.mkdirat = random_mkdirat,
		.unlinkat = random_unlinkat,
		.renameat2 = random_renameat2,
		.symlinkat = random_symlinkat,
		.readlinkat = random_readlinkat,
		.realpath = random_realpath,
		.flock = random_flock,
		.lock_bytes = random_lock_bytes,
		.lease = random_lease,
		.fdopendir = random_fdopendir,
		.readdir = random_readdir,
		.closedir = random_closedir,
		.getrandom = random_getrandom,
		.landlock_version = sys_real()->landlock_version,
		.landlock_create_ruleset = sys_real()->landlock_create_ruleset,
		.landlock_add_rule = sys_real()->landlock_add_rule,
		.landlock_restrict_self = sys_real()->landlock_restrict_self,
		.sleep_ms = sys_real()->sleep_ms,
		.now_ms = sys_real()->now_ms,
		.file_clock_ns = sys_real()->file_clock_ns,
	};
	return &table;
}
