#include "git/lock.h"

#include "base/file.h"
#include "git/repo_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LOCK_TEXT "kota-memory"

static bool lock_is_our_link(const struct sys *sys, const char *path)
{
	char text[sizeof LOCK_TEXT + 1];
	ssize_t len = sys->readlinkat(AT_FDCWD, path, text, sizeof text);

	return len == (ssize_t)sizeof LOCK_TEXT - 1 && memcmp(text, LOCK_TEXT, (size_t)len) == 0;
}

static bool lock_is_our_file(const struct sys *sys, const char *path)
{
	STR_AUTO text = STR_INIT;
	struct file_id id;
	struct err ignored;

	return file_read_own(sys, AT_FDCWD, path, 4096, &text, &id, &ignored) == 0 && id.present &&
	       slice_is(str_slice(&text), LOCK_TEXT "\n");
}

static int lock_make(const struct sys *sys, const char *path)
{
	struct err ignored;

	if (sys->symlinkat(LOCK_TEXT, AT_FDCWD, path) == 0)
		return 0;
	if (errno == EPERM || errno == ENOSYS || errno == EOPNOTSUPP)
		return file_write_new(sys, AT_FDCWD, path, slice_of(LOCK_TEXT "\n"), 0600, 0,
				      &ignored);
	return -1;
}

static int lock_busy(const char *path, struct err *err)
{
	return err_set(err, ERR_BUSY,
		       "another program is at work in the history (%s): what changes is recorded "
		       "when it is done",
		       path);
}

int lock_take(const struct sys *sys, const char *path, struct err *err)
{
	int result = lock_make(sys, path);

	if (result != 0 && errno == EEXIST) {
		if (!lock_is_our_link(sys, path) && !lock_is_our_file(sys, path))
			return lock_busy(path, err);
		sys->unlinkat(AT_FDCWD, path, 0);
		result = lock_make(sys, path);
	}
	if (result != 0)
		return err_set_errno(err, errno == EEXIST ? ERR_BUSY : ERR_NO_HISTORY, errno,
				     "cannot make %s", path);
	return 0;
}

void lock_drop(const struct sys *sys, const char *path)
{
	sys->unlinkat(AT_FDCWD, path, 0);
}

/* A lock that a process of ours left counts as none: the next one takes it over. */
static bool lock_is_locked_by_others(const struct sys *sys, const char *path)
{
	struct stat st;

	return sys->fstatat(AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       !lock_is_our_link(sys, path) && !lock_is_our_file(sys, path);
}

/* ---- git gc, which removes objects that nothing names yet */

/* git itself takes a gc.pid that is older for one that was left. */
#define GC_HOURS_MAX 12

/* Is the process that gc.pid names, "PID HOST", at work? One of another machine is. */
static bool lock_is_alive(const struct sys *sys, const char *text)
{
	char host[256] = "";
	char path[sizeof "/proc/" + 20];
	struct stat st;
	char *rest;
	unsigned long pid = strtoul(text, &rest, 10);

	if (rest == text || *rest != ' ')
		return false;
	rest++;
	rest[strcspn(rest, "\n")] = '\0';
	if (gethostname(host, sizeof host - 1) == 0 && strcmp(rest, host) != 0)
		return true;
	snprintf(path, sizeof path, "/proc/%lu", pid);
	return sys->fstatat(AT_FDCWD, path, &st, 0) == 0 || errno != ENOENT;
}

static bool lock_is_gc_at_work(const struct repo *repo)
{
	STR_AUTO path = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct file_id id;
	struct err ignored;

	repo_common_path(repo, "", "gc.pid", &path);
	return file_read_own(repo->sys, AT_FDCWD, path.ptr, 4096, &text, &id, &ignored) == 0 &&
	       id.present &&
	       repo->sys->now_ms() / 1000 - id.mtime.tv_sec <= (int64_t)GC_HOURS_MAX * 3600 &&
	       lock_is_alive(repo->sys, text.ptr);
}

static int lock_gc_busy(const struct repo *repo, struct err *err)
{
	return err_set(err, ERR_BUSY,
		       "git gc is at work in %s: what changes is recorded when it is done",
		       repo->folder.ptr);
}

/*
 * Holds git gc off as another git gc would, by the lock of its gc.pid. Objects are written before
 * anything names them, and a gc --prune=now that began before would take them away afterwards.
 */
static int lock_gc_hold_off(const struct repo *repo, struct err *err)
{
	STR_AUTO lock = STR_INIT;

	repo_common_path(repo, "", "gc.pid.lock", &lock);
	if (lock_take(repo->sys, lock.ptr, err) != 0)
		return -1;
	if (!lock_is_gc_at_work(repo))
		return 0;
	lock_drop(repo->sys, lock.ptr);
	return lock_gc_busy(repo, err);
}

int repo_lock_index(const struct repo *repo, struct err *err)
{
	STR_AUTO path = STR_INIT;

	repo_path(repo, "index.lock", &path);
	if (lock_take(repo->sys, path.ptr, err) != 0)
		return -1;
	if (lock_gc_hold_off(repo, err) == 0)
		return 0;
	lock_drop(repo->sys, path.ptr);
	return -1;
}

void repo_unlock_index(const struct repo *repo)
{
	STR_AUTO path = STR_INIT;

	repo_common_path(repo, "", "gc.pid.lock", &path);
	lock_drop(repo->sys, path.ptr);
	repo_path(repo, "index.lock", &path);
	lock_drop(repo->sys, path.ptr);
}

int repo_busy(const struct repo *repo, struct err *err)
{
	STR_AUTO path = STR_INIT;

	repo_path(repo, "index.lock", &path);
	if (lock_is_locked_by_others(repo->sys, path.ptr))
		return lock_busy(path.ptr, err);
	return lock_is_gc_at_work(repo) ? lock_gc_busy(repo, err) : 0;
}
