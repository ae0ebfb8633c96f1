#include "store/trust/state_folder.h"

#include "base/file.h"
#include "base/mem.h"
#include "store/location/place.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#define FOLDER_NAME "kota-memory"
#define LOCK_NAME ".lock"

#define LOCK_WAIT_MS 5000
#define LOCK_PAUSE_MS 8
#define LOCK_TRIES 100

/* Deeper than any path can be: the way up ends before, or there is none. */
#define LEVELS_MAX 4096

#define OPEN_FOLDER (O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC)

/* To go through it, which also a process that may not list it can. */
#define PASS_FOLDER (O_PATH | O_DIRECTORY | O_CLOEXEC)

/* A folder in which the state folder may be. */
static const struct {
	struct place_row place;
	bool anywhere; /* also in the work tree */
} rows[] = {
	{{"XDG_STATE_HOME", FOLDER_NAME}, false},
	/* Who keeps a home under version control has its root in the home. */
	{{"HOME", ".local/state/" FOLDER_NAME}, true},
};

#define ROW_COUNT (sizeof rows / sizeof *rows)

char *state_folder_path(environment env)
{
	char *path = NULL;

	for (size_t i = 0; !path && i < ROW_COUNT; i++)
		path = place_row_path(&rows[i].place, env);
	return path;
}

enum err_code state_error_code(int number)
{
	switch (number) {
	case EACCES:
	case EPERM:
	case EROFS:
		return ERR_CANNOT_WRITE;
	case ENOENT:
	case ENOTDIR:
	case ELOOP:
	case ENAMETOOLONG:
		return ERR_NOT_FOUND;
	default:
		return ERR_IO;
	}
}

static int state_cannot(const char *what, const char *name, struct err *err)
{
	return err_set_errno(err, state_error_code(errno), errno, "cannot %s %s", what, name);
}

/* True if nobody but the user can change what is in the folder or file. */
static int state_folder_check_own(const struct stat *st, const char *path, struct err *err)
{
	if (st->st_uid != geteuid())
		return err_set(err, ERR_BAD_DATA, "%s belongs to another user (%u)", path,
			       (unsigned)st->st_uid);
	if (st->st_mode & (S_IWGRP | S_IWOTH))
		return err_set(err, ERR_BAD_DATA,
			       "%s can be written by others: chmod go-w fixes that", path);
	return 0;
}

/* Goes up from *fd to the folder above it; *at_root when there is none. */
static int state_folder_go_up(const struct sys *sys, int *fd, struct stat *st, bool *at_root)
{
	struct stat above;
	int up = file_open(sys, *fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);

	file_close(sys, fd);
	*fd = up;
	if (up < 0 || sys->fstat(up, &above) != 0)
		return -1;
	*at_root = above.st_dev == st->st_dev && above.st_ino == st->st_ino;
	*st = above;
	return 0;
}

/*
 * True if the folder is the tree, or below it. Compares the folders themselves on the way up, so
 * that no other name of either can deceive.
 */
static int state_folder_find_inside(const struct sys *sys, int dirfd, const struct stat *tree,
				    bool *inside)
{
	int fd = file_open(sys, dirfd, ".", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	bool at_root = false;
	struct stat st;
	int result = fd < 0 ? -1 : sys->fstat(fd, &st);

	*inside = false;
	for (int level = 0; result == 0 && !at_root; level++) {
		*inside = st.st_dev == tree->st_dev && st.st_ino == tree->st_ino;
		if (*inside)
			break;
		result = level < LEVELS_MAX ? state_folder_go_up(sys, &fd, &st, &at_root) : -1;
	}
	file_close(sys, &fd);
	return result;
}

/* True if it is the user's alone, and outside the work tree. */
static int state_folder_check_folder(const struct sys *sys, int dirfd, const char *path,
				     const char *work_tree, struct err *err)
{
	struct stat tree;
	struct stat st;
	bool inside;

	if (sys->fstat(dirfd, &st) != 0)
		return state_cannot("look at", path, err);
	if (state_folder_check_own(&st, path, err) != 0)
		return -1;
	if (!work_tree)
		return 0;
	if (sys->fstatat(AT_FDCWD, work_tree, &tree, 0) != 0)
		return state_cannot("look at", work_tree, err);
	if (state_folder_find_inside(sys, dirfd, &tree, &inside) != 0)
		return err_set_errno(err, state_error_code(errno), errno,
				     "cannot resolve the path of %s", path);
	return inside ? err_set(err, ERR_BAD_DATA, "%s lies in the work tree %s", path, work_tree)
		      : 0;
}

/*
 * Opens the folder, or else the nearest one above it that exists; path is cut off there and
 * *missing is where the rest begins (NULL: nothing is missing). -1 with errno.
 */
static int state_folder_open_nearest(const struct sys *sys, char *path, char **missing)
{
	*missing = NULL;
	for (;;) {
		int fd = file_open(sys, AT_FDCWD, *path ? path : "/", PASS_FOLDER, 0);
		char *slash = strrchr(path, '/');

		if (fd >= 0 || errno != ENOENT || !slash)
			return fd;
		if (*missing)
			(*missing)[-1] = '/';
		*slash = '\0';
		*missing = slash + 1;
	}
}

/* Makes one folder below *fd, durably, and goes there. */
static int state_folder_make_below(const struct sys *sys, int *fd, const char *name,
				   struct err *err)
{
	bool made = sys->mkdirat(*fd, name, 0700) == 0;

	if (!made && errno != EEXIST)
		return state_cannot("make the folder", name, err);
	int below = file_open(sys, *fd, name, OPEN_FOLDER | O_NOFOLLOW, 0);
	if (below < 0)
		return state_cannot("open the folder", name, err);
	/* Whatever the umask is; and durable also when somebody else has just made it. */
	bool durable = !made || sys->fchmod(below, 0700) == 0;
	/* *fd may have been opened with O_PATH. */
	int above = durable ? file_open(sys, *fd, ".", OPEN_FOLDER, 0) : -1;
	durable = above >= 0 && file_fsync(sys, above) == 0;
	file_close(sys, &above);
	if (!durable) {
		err_set_errno(err, ERR_IO, errno, "cannot make the folder %s durable", name);
		file_close(sys, &below);
		return -1;
	}
	file_close(sys, fd);
	*fd = below;
	return 0;
}

static int state_folder_make_missing(const struct sys *sys, int *fd, char *missing, struct err *err)
{
	int result = 0;

	while (result == 0 && missing) {
		char *slash = strchr(missing, '/');

		if (slash)
			*slash = '\0';
		if (*missing)
			result = state_folder_make_below(sys, fd, missing, err);
		missing = slash ? slash + 1 : NULL;
	}
	return result;
}

/* Opens kota-memory in the folder *base, which is used up where it has to be made. */
static int state_folder_open_ours(const struct sys *sys, int *base, const char *path, bool make,
				  int *dirfd, struct err *err)
{
	STR_AUTO name = STR_INIT;
	int fd = file_open(sys, *base, FOLDER_NAME, OPEN_FOLDER | O_NOFOLLOW, 0);

	str_printf(&name, "%s/" FOLDER_NAME, path);
	if (fd < 0 && errno == ENOENT && !make) {
		*dirfd = -1;
		return 0;
	}
	if (fd < 0 && errno == ENOENT) {
		if (state_folder_make_below(sys, base, FOLDER_NAME, err) != 0)
			return err_prefix(err, "%s", path);
		fd = *base;
		*base = -1;
	}
	if (fd < 0 && (errno == ELOOP || errno == ENOTDIR))
		return err_set(err, ERR_BAD_DATA, "%s is not a folder: move it away", name.ptr);
	if (fd < 0)
		return state_cannot("open", name.ptr, err);
	int result = state_folder_check_folder(sys, fd, name.ptr, NULL, err);
	if (result == 0)
		*dirfd = fd;
	else
		file_close(sys, &fd);
	return result;
}

/* As state_folder_open() for the folder of one row. */
static int state_folder_open_in(const struct sys *sys, const char *path, const char *work_tree,
				bool make, int *dirfd, struct err *err)
{
	char *nearest = mem_strdup(path);
	char *missing;
	int base = state_folder_open_nearest(sys, nearest, &missing);
	int result;

	if (base < 0)
		result = state_cannot("open", path, err);
	else
		result = state_folder_check_folder(sys, base, *nearest ? nearest : "/", work_tree,
						   err);
	if (result == 0 && missing && !make) {
		*dirfd = -1;
	} else if (result == 0) {
		result = state_folder_make_missing(sys, &base, missing, err);
		if (result != 0)
			err_prefix(err, "%s", path);
		else
			result = state_folder_open_ours(sys, &base, path, make, dirfd, err);
	}
	file_close(sys, &base);
	free(nearest);
	return result;
}

int state_folder_open(const struct sys *sys, environment env, const char *work_tree, bool make,
		      int *dirfd, struct err *err)
{
	struct err reason;

	err_set(&reason, ERR_NOT_FOUND, "HOME is not set to an absolute path");
	for (size_t i = 0; i < ROW_COUNT; i++) {
		char *path = place_row_path(&rows[i].place, env);
		const char *tree = rows[i].anywhere ? NULL : work_tree;
		bool tried = path != NULL;
		int result = -1;

		if (tried) {
			path[strlen(path) - strlen("/" FOLDER_NAME)] = '\0';
			result = state_folder_open_in(sys, path, tree, make, dirfd, &reason);
		}
		free(path);
		if (result == 0)
			return 0;
		/* The next folder has another key and another list of stores. */
		if (tried && state_error_passes(&reason))
			break;
	}
	*err = reason;
	return err_prefix(err, "there is no folder for kota's state");
}

/* True if the locked file is still the one of that name. Somebody may have removed it. */
static bool state_folder_lock_is_current(const struct sys *sys, int dirfd, int fd)
{
	struct stat locked;
	struct stat named;

	return sys->fstat(fd, &locked) == 0 &&
	       sys->fstatat(dirfd, LOCK_NAME, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	       locked.st_dev == named.st_dev && locked.st_ino == named.st_ino;
}

static int state_folder_wait_for_lock(const struct sys *sys, int fd, int64_t *waited_ms,
				      struct err *err)
{
	int64_t pause_ms = 1;

	while (sys->flock(fd, LOCK_EX | LOCK_NB) != 0) {
		if (errno == EINTR)
			continue;
		if (errno != EWOULDBLOCK)
			return state_cannot("lock", "kota's state folder", err);
		if (*waited_ms >= LOCK_WAIT_MS)
			return err_set(err, ERR_BUSY,
				       "another process has kept kota's state folder locked for "
				       "%d s; try again",
				       LOCK_WAIT_MS / 1000);
		sys->sleep_ms(pause_ms);
		*waited_ms += pause_ms;
		pause_ms = pause_ms < LOCK_PAUSE_MS ? pause_ms * 2 : LOCK_PAUSE_MS;
	}
	return 0;
}

int state_folder_lock(const struct sys *sys, int dirfd, int *lock_fd, struct err *err)
{
	int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	int64_t waited_ms = 0;

	for (int tries = 0; tries < LOCK_TRIES; tries++) {
		int fd = file_open(sys, dirfd, LOCK_NAME, flags, 0600);

		if (fd < 0)
			return state_cannot("open", LOCK_NAME " in kota's state folder", err);
		if (state_folder_wait_for_lock(sys, fd, &waited_ms, err) != 0) {
			file_close(sys, &fd);
			return -1;
		}
		if (state_folder_lock_is_current(sys, dirfd, fd)) {
			*lock_fd = fd;
			return 0;
		}
		file_close(sys, &fd);
	}
	return err_set(err, ERR_IO, LOCK_NAME " in kota's state folder keeps being removed");
}

void state_folder_unlock(const struct sys *sys, int *lock_fd)
{
	file_close(sys, lock_fd);
}

int state_file_read(const struct sys *sys, int dirfd, const char *name, size_t max, struct str *out,
		    bool *found, struct err *err)
{
	struct file_id id;
	struct stat st = {0};

	if (file_read_own(sys, dirfd, name, max, out, &id, err) != 0) {
		if (errno == EACCES && err->code == ERR_IO)
			err->code = ERR_BAD_DATA;
		return -1;
	}
	st.st_uid = id.uid;
	st.st_mode = id.mode;
	if (id.present && state_folder_check_own(&st, name, err) != 0) {
		str_clear(out);
		return -1;
	}
	*found = id.present;
	return 0;
}
