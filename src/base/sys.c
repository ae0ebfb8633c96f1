#include "base/sys.h"

#include "base/time.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* openat of libc is variadic and does not fit the table. */
static int sys_real_openat(int dirfd, const char *path, int flags, mode_t mode)
{
	return openat(dirfd, path, flags, mode);
}

/* libc has no function for it before glibc 2.43; the kernel takes the struct as it was then. */
static int sys_real_openat2(int dirfd, const char *path, const struct open_how *how)
{
	return (int)syscall(SYS_openat2, dirfd, path, how, sizeof *how);
}

static char *sys_real_realpath(const char *path)
{
	return realpath(path, NULL);
}

static int sys_real_lock_bytes(int fd, int command, struct flock *lock)
{
	return fcntl(fd, command, lock);
}

/* Unless told otherwise the kernel announces a breaking lease by a signal that kills. */
static int sys_real_lease(int fd, int kind)
{
	if (kind != F_UNLCK && fcntl(fd, F_SETSIG, SIGURG) != 0)
		return -1;
	return fcntl(fd, F_SETLEASE, kind);
}

/* The same on all machines of Linux; headers from before 5.13 lack them. */
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif
#ifndef LANDLOCK_CREATE_RULESET_VERSION
#define LANDLOCK_CREATE_RULESET_VERSION (1U << 0)
#endif

static int sys_real_landlock_version(void)
{
	return (int)syscall(SYS_landlock_create_ruleset, NULL, (size_t)0,
			    LANDLOCK_CREATE_RULESET_VERSION);
}

static int sys_real_landlock_create_ruleset(const void *attr, size_t size)
{
	return (int)syscall(SYS_landlock_create_ruleset, attr, size, 0U);
}

static int sys_real_landlock_add_rule(int ruleset_fd, int type, const void *attr)
{
	return (int)syscall(SYS_landlock_add_rule, ruleset_fd, type, attr, 0U);
}

static int sys_real_landlock_restrict_self(int ruleset_fd)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) != 0)
		return -1;
	return (int)syscall(SYS_landlock_restrict_self, ruleset_fd, 0U);
}

static void sys_real_sleep_ms(int64_t ms)
{
	struct timespec wait = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};

	if (ms > 0)
		nanosleep(&wait, NULL);
}

static int64_t sys_real_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return time_of_timespec(now);
}

static int64_t sys_real_file_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static const struct sys real = {
	.openat = sys_real_openat,
	.openat2 = sys_real_openat2,
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
	.fstatvfs = fstatvfs,
	.statx = statx,
	.mkdirat = mkdirat,
	.unlinkat = unlinkat,
	.renameat2 = renameat2,
	.symlinkat = symlinkat,
	.readlinkat = readlinkat,
	.realpath = sys_real_realpath,
	.flock = flock,
	.lock_bytes = sys_real_lock_bytes,
	.lease = sys_real_lease,
	.fdopendir = fdopendir,
	.readdir = readdir,
	.closedir = closedir,
	.getrandom = getrandom,
	.landlock_version = sys_real_landlock_version,
	.landlock_create_ruleset = sys_real_landlock_create_ruleset,
	.landlock_add_rule = sys_real_landlock_add_rule,
	.landlock_restrict_self = sys_real_landlock_restrict_self,
	.sleep_ms = sys_real_sleep_ms,
	.now_ms = sys_real_now_ms,
	.file_clock_ns = sys_real_file_clock_ns,
};

const struct sys *sys_real(void)
{
	return &real;
}
