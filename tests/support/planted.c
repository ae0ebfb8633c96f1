#include "support/planted.h"

#include "base/mem.h"
#include "base/str.h"
#include "json/doc.h"
#include "support/planted_random.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct sys table;

/* What plain-rename pretends to have displaced: the file as it was when the new text was begun. */
static struct str snapshot = STR_INIT;

static int do_nothing_fsync(int fd)
{
	(void)fd;
	return 0;
}

static int do_nothing_flock(int fd, int operation)
{
	(void)fd;
	(void)operation;
	return 0;
}

static int drop_journal(int from_dirfd, const char *from, int to_dirfd, const char *to,
			unsigned int flags)
{
	if (strcmp(to, ".journal") == 0)
		return sys_real()->unlinkat(from_dirfd, from, 0);
	return sys_real()->renameat2(from_dirfd, from, to_dirfd, to, flags);
}

static void read_whole(int dirfd, const char *name, struct str *out)
{
	int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC);
	ssize_t got = 1;

	str_clear(out);
	while (fd >= 0 && got > 0) {
		str_reserve(out, 1 << 16);
		got = read(fd, out->ptr + out->len, 1 << 16);
		if (got > 0)
			out->len += (size_t)got;
	}
	if (fd >= 0)
		close(fd);
}

static int overwrite(int dirfd, const char *name, const struct str *text)
{
	int fd = openat(dirfd, name, O_WRONLY | O_TRUNC | O_CLOEXEC);
	size_t half = text->len / 2;

	if (fd < 0)
		return -1;
	if (write(fd, text->ptr, half) < 0 || write(fd, text->ptr + half, text->len - half) < 0) {
		close(fd);
		return -1;
	}
	return close(fd);
}

static int overwrite_in_place(int from_dirfd, const char *from, int to_dirfd, const char *to,
			      unsigned int flags)
{
	STR_AUTO fresh = STR_INIT;
	STR_AUTO stale = STR_INIT;

	if (!(flags & RENAME_EXCHANGE))
		return sys_real()->renameat2(from_dirfd, from, to_dirfd, to, flags);
	read_whole(from_dirfd, from, &fresh);
	read_whole(to_dirfd, to, &stale);
	return overwrite(to_dirfd, to, &fresh) != 0 ? -1 : overwrite(from_dirfd, from, &stale);
}

/* A temporary file ".NAME.tmp" is begun for NAME. */
static int take_snapshot(int dirfd, const char *path, int flags, mode_t mode)
{
	size_t len = strlen(path);

	if ((flags & O_CREAT) && path[0] == '.' && len > 5 && strcmp(path + len - 4, ".tmp") == 0) {
		STR_AUTO name = STR_INIT;

		str_add(&name, slice_make(path + 1, len - 5));
		read_whole(dirfd, name.ptr, &snapshot);
	}
	return sys_real()->openat(dirfd, path, flags, mode);
}

static int rename_plainly(int from_dirfd, const char *from, int to_dirfd, const char *to,
			  unsigned int flags)
{
	int fd;

	if (!(flags & RENAME_EXCHANGE))
		return sys_real()->renameat2(from_dirfd, from, to_dirfd, to, flags);
	if (renameat(from_dirfd, from, to_dirfd, to) != 0)
		return -1;
	fd = openat(from_dirfd, from, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	close(fd);
	return overwrite(from_dirfd, from, &snapshot);
}

static int open_anything(int dirfd, const char *path, int flags, mode_t mode)
{
	return sys_real()->openat(dirfd, path, flags & ~(O_NOFOLLOW | O_NONBLOCK), mode);
}

static int open_anywhere(int dirfd, const char *path, const struct open_how *how)
{
	return open_anything(dirfd, path, (int)how->flags, (mode_t)how->mode);
}

static int stat_anything(int dirfd, const char *path, struct stat *st, int flags)
{
	return sys_real()->fstatat(dirfd, path, st, flags & ~AT_SYMLINK_NOFOLLOW);
}

/* A regular file that begins as an object and is none? */
static bool is_broken(int fd)
{
	STR_AUTO text = STR_INIT;
	struct json_fault fault;
	struct json doc;
	struct stat st;
	ssize_t got;

	if (sys_real()->fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size <= 0)
		return false;
	str_reserve(&text, (size_t)st.st_size);
	got = sys_real()->pread(fd, text.ptr, (size_t)st.st_size, 0);
	if (got <= 0 || text.ptr[0] != '{')
		return false;
	text.len = (size_t)got;
	if (json_parse(&doc, str_slice(&text), &json_file_bounds, &fault) != 0)
		return true;
	json_release(&doc);
	return false;
}

static int stat_unless_broken(int fd, struct stat *st)
{
	int result = sys_real()->fstat(fd, st);

	if (result == 0 && is_broken(fd))
		st->st_size = 0;
	return result;
}

static ssize_t read_unless_broken(int fd, void *buffer, size_t size, off_t offset)
{
	return is_broken(fd) ? 0 : sys_real()->pread(fd, buffer, size, offset);
}

/* What is pending is written nowhere. */
static int open_no_pending(int dirfd, const char *path, int flags, mode_t mode)
{
	bool writes = (flags & O_ACCMODE) != O_RDONLY && strcmp(path, ".pending") == 0;

	return sys_real()->openat(dirfd, writes ? "/dev/null" : path,
				  writes ? flags & ~O_CREAT : flags, mode);
}

/* Nobody can queue for the lock. */
static int lock_no_bytes(int fd, int command, struct flock *lock)
{
	(void)fd;
	(void)command;
	(void)lock;
	errno = ENOLCK;
	return -1;
}

/* Whatever waits in the journal is not seen. */
static int stat_no_journal(int dirfd, const char *path, struct stat *st, int flags)
{
	if (strcmp(path, ".journal") == 0) {
		errno = ENOENT;
		return -1;
	}
	return sys_real()->fstatat(dirfd, path, st, flags);
}

/* Locks of the repository are said to be taken, and are not. */
static int make_no_git_lock(const char *target, int dirfd, const char *path)
{
	(void)target;
	(void)dirfd;
	(void)path;
	return 0;
}

static int remove_no_git_lock(int dirfd, const char *path, int flags)
{
	const char *end = strrchr(path, '.');

	if (end && strcmp(end, ".lock") == 0 && strstr(path, "/.git/"))
		return 0;
	return sys_real()->unlinkat(dirfd, path, flags);
}

/* The objects of a commit are there, and nothing names them yet: the index is put in place. */
static int prune_within(int from_dirfd, const char *from, int to_dirfd, const char *to,
			unsigned int flags)
{
	static const char end[] = "/.git/index";
	size_t len = strlen(to);

	if (len > sizeof end - 1 && strcmp(to + len - (sizeof end - 1), end) == 0) {
		char *folder = mem_strndup(to, len - strlen("/index"));

		if (setenv("GIT_DIR", folder, 1) != 0 ||
		    system("git gc --quiet --prune=now >/dev/null 2>&1") < 0)
			abort();
		unsetenv("GIT_DIR");
		free(folder);
	}
	return sys_real()->renameat2(from_dirfd, from, to_dirfd, to, flags);
}

static bool is_gc_lock(const char *path)
{
	static const char end[] = "/.git/gc.pid.lock";
	size_t len = strlen(path);

	return len > sizeof end - 1 && strcmp(path + len - (sizeof end - 1), end) == 0;
}

static int make_no_gc_lock(const char *target, int dirfd, const char *path)
{
	return is_gc_lock(path) ? 0 : sys_real()->symlinkat(target, dirfd, path);
}

static int remove_no_gc_lock(int dirfd, const char *path, int flags)
{
	return is_gc_lock(path) ? 0 : sys_real()->unlinkat(dirfd, path, flags);
}

/* Nor is one taken that waits under another name. */
static int prune_within_unlocked(int from_dirfd, const char *from, int to_dirfd, const char *to,
				 unsigned int flags)
{
	if (is_gc_lock(to) || is_gc_lock(from)) {
		errno = ENOENT;
		return -1;
	}
	return prune_within(from_dirfd, from, to_dirfd, to, flags);
}

static int do_nothing_fchmod(int fd, mode_t mode)
{
	(void)fd;
	(void)mode;
	return 0;
}

static int open_for_all(int dirfd, const char *path, int flags, mode_t mode)
{
	return sys_real()->openat(dirfd, path, flags, mode ? 0666 : 0);
}

/* Memory that nobody can find again, as a leak is; touched, so that it counts. */
static ssize_t read_and_keep(int fd, void *buf, size_t count)
{
	ssize_t got = sys_real()->read(fd, buf, count);

	if (got > 0)
		mem_strndup(buf, (size_t)got);
	return got;
}

/* As a program that knows one end of a line alone. */
static ssize_t write_tidily(int fd, const void *buf, size_t count)
{
	STR_AUTO tidy = STR_INIT;
	const char *text = buf;
	ssize_t put;

	for (size_t i = 0; i < count; i++)
		if (text[i] != '\r')
			str_addc(&tidy, text[i]);
	put = sys_real()->write(fd, tidy.ptr, tidy.len);
	return put == (ssize_t)tidy.len ? (ssize_t)count : -1;
}

#define RANDOM "random:"
#define UNCHECKED "unchecked:"

const struct sys *planted_sys_of(const char *fault)
{
	if (strncmp(fault, RANDOM, sizeof RANDOM - 1) == 0)
		return planted_random((unsigned)strtoul(fault + sizeof RANDOM - 1, NULL, 10));
	if (strncmp(fault, UNCHECKED, sizeof UNCHECKED - 1) == 0)
		return planted_unchecked((unsigned)strtoul(fault + sizeof UNCHECKED - 1, NULL, 10));
	table = *sys_real();
	if (strcmp(fault, "no-fsync") == 0) {
		table.fsync = do_nothing_fsync;
	} else if (strcmp(fault, "no-lock") == 0) {
		table.flock = do_nothing_flock;
	} else if (strcmp(fault, "no-journal") == 0) {
		table.renameat2 = drop_journal;
	} else if (strcmp(fault, "plain-rename") == 0) {
		table.openat = take_snapshot;
		table.renameat2 = rename_plainly;
	} else if (strcmp(fault, "follow-links") == 0) {
		table.openat = open_anything;
		table.openat2 = open_anywhere;
		table.fstatat = stat_anything;
	} else if (strcmp(fault, "wide-open") == 0) {
		table.openat = open_for_all;
		table.fchmod = do_nothing_fchmod;
	} else if (strcmp(fault, "broken-is-empty") == 0) {
		table.fstat = stat_unless_broken;
		table.pread = read_unless_broken;
	} else if (strcmp(fault, "hoard") == 0) {
		table.read = read_and_keep;
	} else if (strcmp(fault, "tidy-lines") == 0) {
		table.write = write_tidily;
	} else if (strcmp(fault, "no-pending") == 0) {
		table.openat = open_no_pending;
	} else if (strcmp(fault, "no-queue") == 0) {
		table.lock_bytes = lock_no_bytes;
	} else if (strcmp(fault, "journal-unseen") == 0) {
		table.fstatat = stat_no_journal;
	} else if (strcmp(fault, "no-git-lock") == 0) {
		table.symlinkat = make_no_git_lock;
		table.unlinkat = remove_no_git_lock;
	} else if (strcmp(fault, "gc-within") == 0) {
		table.renameat2 = prune_within;
	} else if (strcmp(fault, "no-gc-lock") == 0) {
		table.renameat2 = prune_within_unlocked;
		table.symlinkat = make_no_gc_lock;
		table.unlinkat = remove_no_gc_lock;
	} else if (strcmp(fault, "in-place") == 0) {
		table.renameat2 = overwrite_in_place;
	} else {
		return NULL;
	}
	return &table;
}

const struct sys *planted_sys(void)
{
	const char *fault = getenv("KOTA_PLANT");
	const struct sys *sys = fault ? planted_sys_of(fault) : NULL;

	if (!sys) {
		fprintf(stderr, "KOTA_PLANT names no fault: %s\n", fault ? fault : "it is unset");
		abort();
	}
	return sys;
}
