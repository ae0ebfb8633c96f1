#include "base/sys.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

/* openat of libc is variadic and does not fit the table. */
static int real_openat(int dirfd, const char *path, int flags, mode_t mode)
{
	return openat(dirfd, path, flags, mode);
}

/* Unless told otherwise the kernel announces a breaking lease by a signal that kills. */
static int real_lease(int fd, int kind)
{
	if (kind != F_UNLCK && fcntl(fd, F_SETSIG, SIGURG) != 0)
		return -1;
	return fcntl(fd, F_SETLEASE, kind);
}

static void real_sleep_ms(int64_t ms)
{
	struct timespec wait = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};

	if (ms > 0)
		nanosleep(&wait, NULL);
}

static int64_t real_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static const struct sys real = {
	.openat = real_openat,
	.close = close,
	.read = read,
	.write = write,
	.pread = pread,
	.pwrite = pwrite,
	.fsync = fsync,
	.ftruncate = ftruncate,
	.fchmod = fchmod,
	.fstat = fstat,
	.fstatat = fstatat,
	.mkdirat = mkdirat,
	.unlinkat = unlinkat,
	.renameat2 = renameat2,
	.symlinkat = symlinkat,
	.readlinkat = readlinkat,
	.flock = flock,
	.lease = real_lease,
	.fdopendir = fdopendir,
	.readdir = readdir,
	.closedir = closedir,
	.sleep_ms = real_sleep_ms,
	.now_ms = real_now_ms,
};

const struct sys *sys_real(void)
{
	return &real;
}
