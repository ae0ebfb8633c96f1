#include "git/write/lock.h"

#include "base/file.h"
#include "git/repo_state.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LOCK_TEXT "kota-memory"

/* Where these locks wait for the next time. */
#define INDEX_SPARE "kota-lock.index"
#define GC_SPARE "kota-lock.gc"

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

static int lock_make(const struct sys *sys, const char *path, const char *spare)
{
	struct err ignored;

	/* What was the lock before: a file system takes its time to make an inode and to free it.
	 */
	if (sys->renameat2(AT_FDCWD, spare, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
		return 0;
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
		       "another program is at work in the history (%s): changes are recorded when "
		       "it is done",
		       path);
}

int lock_take(const struct sys *sys, const char *path, const char *spare, struct err *err)
{
	int result = lock_make(sys, path, spare);

	if (result != 0 && errno == EEXIST) {
		if (!lock_is_our_link(sys, path) && !lock_is_our_file(sys, path))
			return lock_busy(path, err);
		sys->unlinkat(AT_FDCWD, path, 0);
		result = lock_make(sys, path, spare);
	}
	if (result != 0)
		return err_set_errno(err, errno == EEXIST ? ERR_BUSY : ERR_NO_HISTORY, errno,
				     "cannot make %s", path);
	return 0;
}

void lock_drop(const struct sys *sys, const char *path, const char *spare)
{
	if (sys->renameat2(AT_FDCWD, path, AT_FDCWD, spare, 0) != 0)
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

/*
 * True if the process that gc.pid names as "PID HOST" is running. A process of another machine
 * counts as running.
 */
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
	struct stat st;

	repo_common_path(repo, "", "gc.pid", &path);
	if (repo->sys->fstatat(AT_FDCWD, path.ptr, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return false;
	return file_read_own(repo->sys, AT_FDCWD, path.ptr, 4096, &text, &id, &ignored) == 0 &&
	       id.present &&
	       repo->sys->now_ms() / 1000 - id.mtime.tv_sec <= (int64_t)GC_HOURS_MAX * 3600 &&
	       lock_is_alive(repo->sys, text.ptr);
}

static int lock_gc_busy(const struct repo *repo, struct err *err)
{
	return err_set(err, ERR_BUSY,
		       "git gc is at work in %s: changes are recorded when it is done",
		       repo->folder.ptr);
}

/*
 * Holds git gc off as another git gc would, by the lock of its gc.pid. Objects are written before
 * anything names them, and a gc --prune=now that began before would take them away afterwards.
 */
static int lock_gc_hold_off(const struct repo *repo, struct err *err)
{
	STR_AUTO lock = STR_INIT;
	STR_AUTO spare = STR_INIT;

	repo_common_path(repo, "", "gc.pid.lock", &lock);
	repo_common_path(repo, "", GC_SPARE, &spare);
	if (lock_take(repo->sys, lock.ptr, spare.ptr, err) != 0)
		return -1;
	if (!lock_is_gc_at_work(repo))
		return 0;
	lock_drop(repo->sys, lock.ptr, spare.ptr);
	return lock_gc_busy(repo, err);
}

int repo_lock_index(const struct repo *repo, struct err *err)
{
	STR_AUTO path = STR_INIT;
	STR_AUTO spare = STR_INIT;

	repo_path(repo, "index.lock", &path);
	repo_path(repo, INDEX_SPARE, &spare);
	if (lock_take(repo->sys, path.ptr, spare.ptr, err) != 0)
		return -1;
	if (lock_gc_hold_off(repo, err) == 0)
		return 0;
	lock_drop(repo->sys, path.ptr, spare.ptr);
	return -1;
}

void repo_unlock_index(const struct repo *repo)
{
	STR_AUTO path = STR_INIT;
	STR_AUTO spare = STR_INIT;

	repo_common_path(repo, "", "gc.pid.lock", &path);
	repo_common_path(repo, "", GC_SPARE, &spare);
	lock_drop(repo->sys, path.ptr, spare.ptr);
	repo_path(repo, "index.lock", &path);
	repo_path(repo, INDEX_SPARE, &spare);
	lock_drop(repo->sys, path.ptr, spare.ptr);
}

int repo_busy(const struct repo *repo, struct err *err)
{
	STR_AUTO path = STR_INIT;

	repo_path(repo, "index.lock", &path);
	if (lock_is_locked_by_others(repo->sys, path.ptr))
		return lock_busy(path.ptr, err);
	return lock_is_gc_at_work(repo) ? lock_gc_busy(repo, err) : 0;
}

/* ---- locks that a killed git left */

/* git holds a lock for moments, or as long as the editor of a commit is open. */
#define LEFT_AFTER_S 60

/*
 * True if the link at this path leads to the place, or below it. `closed` is the answer where the
 * link cannot be read.
 */
static bool lock_leads_to(const struct sys *sys, const char *path, const char *place, bool closed)
{
	char target[4096];
	ssize_t len = sys->readlinkat(AT_FDCWD, path, target, sizeof target);
	size_t wanted = strlen(place);

	if (len < 0)
		return closed && (errno == EACCES || errno == EPERM);
	return (size_t)len >= wanted && memcmp(target, place, wanted) == 0 &&
	       ((size_t)len == wanted || target[wanted] == '/');
}

/* True if the process has the lock file open. */
static bool lock_is_open_in(const struct sys *sys, const char *process, const char *lock)
{
	STR_AUTO folder = STR_INIT;
	const struct dirent *entry;
	bool found = false;

	str_printf(&folder, "/proc/%s/fd", process);
	int fd = file_open(sys, AT_FDCWD, folder.ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	DIR *dir = fd < 0 ? NULL : sys->fdopendir(fd);
	while (dir && !found && (entry = sys->readdir(dir)) != NULL) {
		STR_AUTO link = STR_INIT;

		str_printf(&link, "%s/%s", folder.ptr, entry->d_name);
		found = entry->d_name[0] != '.' && lock_leads_to(sys, link.ptr, lock, false);
	}
	if (dir)
		sys->closedir(dir);
	else
		file_close(sys, &fd);
	return found;
}

/* True if the process is a git that works in the folder. */
static bool lock_is_git_in(const struct sys *sys, const char *process, const char *folder)
{
	STR_AUTO path = STR_INIT;
	char name[4] = "";

	str_printf(&path, "/proc/%s/comm", process);
	int fd = file_open(sys, AT_FDCWD, path.ptr, O_RDONLY | O_CLOEXEC, 0);
	if (fd >= 0 && sys->read(fd, name, 3) < 0)
		name[0] = '\0';
	file_close(sys, &fd);
	str_clear(&path);
	str_printf(&path, "/proc/%s/cwd", process);
	return strcmp(name, "git") == 0 && lock_leads_to(sys, path.ptr, folder, true);
}

/* True if any process is using the lock, or if that cannot be known. */
static bool lock_is_used(const struct sys *sys, const char *lock, const char *folder)
{
	int fd = file_open(sys, AT_FDCWD, "/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	DIR *dir = fd < 0 ? NULL : sys->fdopendir(fd);
	const struct dirent *entry;
	bool any = false;
	bool used = false;

	while (dir && !used && (entry = sys->readdir(dir)) != NULL) {
		const char *name = entry->d_name;

		if (name[0] < '1' || name[0] > '9')
			continue;
		any = true;
		used = lock_is_git_in(sys, name, folder) || lock_is_open_in(sys, name, lock);
	}
	if (dir)
		sys->closedir(dir);
	else
		file_close(sys, &fd);
	return used || !any;
}

bool lock_is_left(const struct repo *repo, const char *path)
{
	const struct sys *sys = repo->sys;
	char *lock = sys->realpath(path);
	char *folder = sys->realpath(repo->dir.ptr);
	struct stat st;
	bool left = lock && folder && sys->fstatat(AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
		    sys->now_ms() / 1000 - st.st_mtim.tv_sec > LEFT_AFTER_S &&
		    !lock_is_used(sys, lock, folder);

	free(lock);
	free(folder);
	return left;
}

void lock_each(struct repo *repo, void (*visit)(void *context, const char *path), void *context)
{
	static const char *const names[] = {"index.lock", "HEAD.lock", NULL};
	const char *branch = repo_branch(repo);
	STR_AUTO path = STR_INIT;
	struct stat st;

	for (const char *const *name = names; *name; name++) {
		repo_path(repo, *name, &path);
		if (repo->sys->fstatat(AT_FDCWD, path.ptr, &st, AT_SYMLINK_NOFOLLOW) == 0)
			visit(context, path.ptr);
	}
	repo_common_path(repo, "", "gc.pid.lock", &path);
	if (repo->sys->fstatat(AT_FDCWD, path.ptr, &st, AT_SYMLINK_NOFOLLOW) == 0)
		visit(context, path.ptr);
	repo_common_path(repo, branch, ".lock", &path);
	if (*branch && repo->sys->fstatat(AT_FDCWD, path.ptr, &st, AT_SYMLINK_NOFOLLOW) == 0)
		visit(context, path.ptr);
}
