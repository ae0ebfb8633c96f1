#include "cli/edit/draft.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/time.h"
#include "store/location/location.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>

/* So many edits may have been left behind on one day. */
#define FOLDERS_MAX 1000

/* "2026-11-21" */
#define DATE_LEN 10

static int cannot(const char *path, struct err *err)
{
	return err_set_errno(err, ERR_CANNOT_WRITE, errno, "cannot make %s, a copy to edit", path);
}

/* Opens a folder and locks it; -1 when it is not there, or is being edited. */
static int lock_folder(const struct sys *sys, const char *path)
{
	int fd = file_open(sys, AT_FDCWD, path,
			   O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);

	if (fd >= 0 && sys->flock(fd, LOCK_EX | LOCK_NB) != 0)
		file_close(sys, &fd);
	return fd;
}

/* The first folder of today that is free. */
static int make_folder(struct draft *draft, const char *above, int64_t now_ms, struct err *err)
{
	char date[TIMESTAMP_SIZE];
	STR_AUTO path = STR_INIT;

	timestamp_format(now_ms, date);
	for (int n = 1; n <= FOLDERS_MAX; n++) {
		str_clear(&path);
		str_printf(&path, "%s/%.*s.%d", above, DATE_LEN, date, n);
		if (n == 1)
			file_make_folders(draft->sys, path.ptr);
		if (draft->sys->mkdirat(AT_FDCWD, path.ptr, 0700) == 0)
			break;
		if (errno != EEXIST)
			return cannot(path.ptr, err);
	}
	draft->fd = lock_folder(draft->sys, path.ptr);
	if (draft->fd < 0)
		return cannot(path.ptr, err);
	draft->folder = str_detach(&path);
	return 0;
}

static int make_file(struct draft *draft, const char *name, struct slice text, struct err *err)
{
	int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	STR_AUTO path = STR_INIT;
	int result = 0;
	int fd;

	str_printf(&path, "%s/%s", draft->folder, name);
	draft->path = str_detach(&path);
	fd = file_open(draft->sys, AT_FDCWD, draft->path, flags, 0600);
	if (fd < 0)
		return cannot(draft->path, err);
	if (draft->sys->fchmod(fd, 0600) != 0)
		result = cannot(draft->path, err);
	else if (file_write_all(draft->sys, fd, text, err) != 0)
		result = err_prefix(err, "%s", draft->path);
	file_close(draft->sys, &fd);
	return result;
}

int draft_open(struct draft *draft, const struct cli *cli, const char *name, struct slice text,
	       struct err *err)
{
	char *above = place_edits(cli->env);
	int result;

	*draft = (struct draft){.sys = cli->sys, .fd = -1};
	if (!above)
		return err_set(err, ERR_CANNOT_WRITE,
			       "there is no place for a copy to edit; set HOME or XDG_STATE_HOME");
	result = make_folder(draft, above, cli->sys->now_ms(), err);
	if (result == 0)
		result = make_file(draft, name, text, err);
	if (result != 0) {
		draft_remove(draft);
		draft_close(draft);
	}
	free(above);
	return result;
}

int draft_read(const struct draft *draft, struct str *text, struct err *err)
{
	struct file_id id;

	if (file_read_own(draft->sys, AT_FDCWD, draft->path, DRAFT_BYTES_MAX, text, &id, err) != 0)
		return -1;
	if (!id.present)
		return err_set(err, ERR_BAD_DATA, "%s is gone: nothing is changed", draft->path);
	return 0;
}

bool draft_stays(const struct draft *draft)
{
	struct stat st;

	if (draft->sys->fstatat(AT_FDCWD, draft->path, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return true;
	/* Only when it is empty: what the editor has left beside it may be of use. */
	draft->sys->unlinkat(AT_FDCWD, draft->folder, AT_REMOVEDIR);
	return false;
}

void draft_remove(struct draft *draft)
{
	STR_AUTO backup = STR_INIT;

	if (draft->path) {
		draft->sys->unlinkat(AT_FDCWD, draft->path, 0);
		str_printf(&backup, "%s~", draft->path);
		draft->sys->unlinkat(AT_FDCWD, backup.ptr, 0);
	}
	if (draft->folder)
		draft->sys->unlinkat(AT_FDCWD, draft->folder, AT_REMOVEDIR);
}

void draft_close(struct draft *draft)
{
	file_close(draft->sys, &draft->fd);
	free(draft->folder);
	free(draft->path);
	*draft = (struct draft){.sys = draft->sys, .fd = -1};
}

/* Names in a folder, without those that begin with a dot; the folder stays open. */
static void each_name(const struct sys *sys, const char *path,
		      void (*take)(void *context, const char *name), void *context)
{
	int fd = file_open(sys, AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	DIR *dir = fd < 0 ? NULL : sys->fdopendir(fd);
	struct dirent *entry;

	if (!dir) {
		file_close(sys, &fd);
		return;
	}
	while ((entry = sys->readdir(dir)) != NULL) {
		if (entry->d_name[0] != '.')
			take(context, entry->d_name);
	}
	sys->closedir(dir);
}

/* A walk through the folders of edits. */
struct leftovers {
	const struct sys *sys;
	const char *folder;
	void (*tell)(void *context, const char *path);
	void *context;
};

static void take_file(void *context, const char *name)
{
	const struct leftovers *left = context;
	STR_AUTO path = STR_INIT;

	str_printf(&path, "%s/%s", left->folder, name);
	if (path.ptr[path.len - 1] != '~')
		left->tell(left->context, path.ptr);
}

static void take_folder(void *context, const char *name)
{
	struct leftovers inner = *(const struct leftovers *)context;
	STR_AUTO path = STR_INIT;
	int fd;

	str_printf(&path, "%s/%s", inner.folder, name);
	fd = lock_folder(inner.sys, path.ptr);
	if (fd < 0)
		return;
	inner.folder = path.ptr;
	each_name(inner.sys, path.ptr, take_file, &inner);
	file_close(inner.sys, &fd);
}

void draft_each_left(const struct cli *cli, void (*tell)(void *context, const char *path),
		     void *context)
{
	char *above = place_edits(cli->env);
	struct leftovers left = {cli->sys, above, tell, context};

	if (above)
		each_name(cli->sys, above, take_folder, &left);
	free(above);
}
