/*
 * The table of system calls and the clock.
 *
 * All file system calls and every look at the clock go through one table, so that a test can
 * make the n-th call fail, record their order, pretend that a file system lacks a call, or
 * freeze time. Each function behaves as the call of its name (result, errno). Nobody but
 * base/sys.c calls these functions of libc directly; reading and writing stdin, stdout and
 * stderr is the one exception.
 *
 * The table is constant, the caller of store_open() and of mcp_serve() chooses it and keeps it
 * alive. The clock is read once per request and then handed on as now_ms.
 */
#ifndef KOTA_BASE_SYS_H
#define KOTA_BASE_SYS_H

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/types.h>

struct sys {
	int (*openat)(int dirfd, const char *path, int flags, mode_t mode);
	/* Refuses with EXDEV or ELOOP where how->resolve forbids the way; ENOSYS before Linux 5.6.
	 */
	int (*openat2)(int dirfd, const char *path, const struct open_how *how);
	int (*close)(int fd);
	ssize_t (*read)(int fd, void *buf, size_t count);
	ssize_t (*write)(int fd, const void *buf, size_t count);
	ssize_t (*pread)(int fd, void *buf, size_t count, off_t offset);
	ssize_t (*pwrite)(int fd, const void *buf, size_t count, off_t offset);
	int (*fsync)(int fd);
	int (*ftruncate)(int fd, off_t length);
	int (*fchmod)(int fd, mode_t mode);
	int (*fstat)(int fd, struct stat *out);
	int (*fstatat)(int dirfd, const char *path, struct stat *out, int flags);
	/* Of the whole file system: f_files is 0 where it has no number of inodes. */
	int (*fstatvfs)(int fd, struct statvfs *out);
	/* stx_mask says what is known: not every file system has a birth time (STATX_BTIME). */
	int (*statx)(int dirfd, const char *path, int flags, unsigned int mask, struct statx *out);
	int (*mkdirat)(int dirfd, const char *path, mode_t mode);
	int (*unlinkat)(int dirfd, const char *path, int flags);
	int (*renameat2)(int from_dirfd, const char *from, int to_dirfd, const char *to,
			 unsigned int flags);
	int (*symlinkat)(const char *target, int dirfd, const char *path);
	ssize_t (*readlinkat)(int dirfd, const char *path, char *buf, size_t size);
	/* As realpath(path, NULL): the caller frees the answer. */
	char *(*realpath)(const char *path);
	int (*flock)(int fd, int operation);
	/* fcntl() with F_OFD_SETLK or F_OFD_GETLK: locks of bytes that belong to the open file. */
	int (*lock_bytes)(int fd, int command, struct flock *lock);
	/* F_RDLCK or F_UNLCK: as fcntl(F_SETLEASE); a lease that breaks must not end the process.
	 */
	int (*lease)(int fd, int kind);
	/* Names in a directory, one call per name: as readdir. */
	DIR *(*fdopendir)(int fd);
	struct dirent *(*readdir)(DIR *dir);
	int (*closedir)(DIR *dir);
	ssize_t (*getrandom)(void *buf, size_t count, unsigned int flags);
	/* landlock_create_ruleset() with the flag that asks for the version. */
	int (*landlock_version)(void);
	int (*landlock_create_ruleset)(const void *attr, size_t size);
	int (*landlock_add_rule)(int ruleset_fd, int type, const void *attr);
	/* After prctl(PR_SET_NO_NEW_PRIVS), without which it is refused. */
	int (*landlock_restrict_self)(int ruleset_fd);
	/* Waits, less when a signal comes; for a lock, and between tries at a changing file. */
	void (*sleep_ms)(int64_t ms);
	/* Milliseconds since 1970. */
	int64_t (*now_ms)(void);
	/* What the kernel would note now as the time of a write, in nanoseconds since 1970: it goes
	 * on in steps of some milliseconds. */
	int64_t (*file_clock_ns)(void);
};

/* The real calls; static storage. */
const struct sys *sys_real(void);

#endif
