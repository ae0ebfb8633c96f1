#include "git/branch.h"

#include "base/file.h"
#include "git/lock.h"
#include "git/commit.h"
#include "git/repo_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>

/* The new text of the branch, until it is renamed. */
#define TEMP_NAME "kota-branch"

static int io_error(const char *what, const char *path, struct err *err)
{
	return err_set_errno(err, ERR_NO_HISTORY, errno, "cannot %s %s", what, path);
}

/* Branches and their logs are in the repository that a worktree belongs to. */
static void common_path(struct repo *repo, const char *folder, const char *name, struct str *out)
{
	str_printf(out, "%s%s%s", repo->lib.repository_commondir(repo->handle), folder, name);
}

/* A branch named a/b may have no folder yet, or none any more since all of it is packed. */
static int make_folders(const struct repo *repo, const char *path, struct err *err)
{
	STR_AUTO folder = STR_INIT;

	str_adds(&folder, path);
	for (char *at = folder.ptr + 1; (at = strchr(at, '/')) != NULL; at++) {
		*at = '\0';
		if (repo->sys->mkdirat(AT_FDCWD, folder.ptr, 0777) != 0 && errno != EEXIST)
			return io_error("make", folder.ptr, err);
		*at = '/';
	}
	return 0;
}

static int write_temp(const struct repo *repo, const char *path, const struct object_id *id,
		      struct err *err)
{
	char text[OBJECT_ID_DIGITS + 2];
	int fd;
	int result = 0;

	object_id_text(id, text);
	memcpy(text + OBJECT_ID_DIGITS, "\n", 2);
	repo->sys->unlinkat(AT_FDCWD, path, 0);
	fd = file_open(repo->sys, AT_FDCWD, path,
		       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0)
		return io_error("make", path, err);
	if (file_write_all(repo->sys, fd, slice_of(text), err) != 0)
		result = -1;
	else if (file_fsync(repo->sys, fd) != 0)
		result = io_error("make durable", path, err);
	file_close(repo->sys, &fd);
	return result;
}

static int sync_folder(const struct repo *repo, const char *path, struct err *err)
{
	STR_AUTO folder = STR_INIT;
	int result = 0;
	int fd;

	str_add(&folder, slice_make(path, (size_t)(strrchr(path, '/') - path)));
	fd = file_open(repo->sys, AT_FDCWD, folder.ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (fd < 0 || file_fsync(repo->sys, fd) != 0)
		result = io_error("make durable", folder.ptr, err);
	file_close(repo->sys, &fd);
	return result;
}

/* Is the branch where the recording began? Its lock is held, so that it stays there. */
static int check_from(struct repo *repo, const struct branch_move *move, struct err *err)
{
	struct object_id now = {{0}};
	git_oid oid;
	int result = repo->lib.reference_name_to_id(&oid, repo->handle, move->name);

	if (result == 0)
		now = lib_id(&oid);
	else if (result != GIT_ENOTFOUND)
		return lib_error(&repo->lib, err, "read %s", move->name);
	if (!object_id_equal(&now, &move->from))
		return err_set(err, ERR_BUSY, "%s was moved by another program meanwhile",
			       move->name);
	return 0;
}

static int replace(struct repo *repo, const struct branch_move *move, const char *path,
		   struct err *err)
{
	STR_AUTO temp = STR_INIT;

	str_printf(&temp, "%s" TEMP_NAME, repo->folder.ptr);
	if (check_from(repo, move, err) != 0 || write_temp(repo, temp.ptr, &move->to, err) != 0)
		return -1;
	if (repo->sys->renameat2(AT_FDCWD, temp.ptr, AT_FDCWD, path, 0) != 0)
		return io_error("move", move->name, err);
	return sync_folder(repo, path, err);
}

/* Does the person want a log of where branches were? */
static bool wants_log(struct repo *repo)
{
	git_config *config = NULL;
	const char *value = NULL;
	bool wanted = true;

	if (repo->lib.repository_config_snapshot(&config, repo->handle) != 0)
		return false;
	if (repo->lib.config_get_string(&value, config, "core.logallrefupdates") == 0)
		wanted = strcmp(value, "false") != 0;
	repo->lib.config_free(config);
	return wanted;
}

/* For who looks for what a branch was; without it nothing is missing but that. */
static void append_log(struct repo *repo, const char *path, struct slice line)
{
	int flags = O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	int fd = file_open(repo->sys, AT_FDCWD, path, flags, 0);
	struct err ignored;

	if (fd < 0 && errno == ENOENT && wants_log(repo) && make_folders(repo, path, &ignored) == 0)
		fd = file_open(repo->sys, AT_FDCWD, path, flags | O_CREAT, 0666);
	if (fd >= 0)
		file_write_all(repo->sys, fd, line, &ignored);
	file_close(repo->sys, &fd);
}

static void log_move(struct repo *repo, const struct branch_move *move)
{
	char from[OBJECT_ID_DIGITS + 1];
	char to[OBJECT_ID_DIGITS + 1];
	int offset = abs(move->offset_min);
	STR_AUTO line = STR_INIT;
	STR_AUTO path = STR_INIT;

	object_id_text(&move->from, from);
	object_id_text(&move->to, to);
	str_printf(&line, "%s %s " RECORD_AUTHOR " <" OUR_EMAIL "> %" PRId64 " %c%02d%02d\tkota\n",
		   from, to, move->time_ms / 1000, move->offset_min < 0 ? '-' : '+', offset / 60,
		   offset % 60);
	common_path(repo, "logs/", move->name, &path);
	append_log(repo, path.ptr, str_slice(&line));
	str_clear(&path);
	str_printf(&path, "%slogs/HEAD", repo->folder.ptr);
	append_log(repo, path.ptr, str_slice(&line));
}

int branch_move(struct repo *repo, const struct branch_move *move, struct err *err)
{
	STR_AUTO path = STR_INIT;
	STR_AUTO lock = STR_INIT;
	int result;

	common_path(repo, "", move->name, &path);
	str_printf(&lock, "%s.lock", path.ptr);
	if (make_folders(repo, path.ptr, err) != 0 || lock_take(repo->sys, lock.ptr, err) != 0)
		return -1;
	result = replace(repo, move, path.ptr, err);
	if (result == 0 && !move->unlogged)
		log_move(repo, move);
	lock_drop(repo->sys, lock.ptr);
	return result;
}
