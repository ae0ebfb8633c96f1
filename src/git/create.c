#include "git/create.h"

#include "base/file.h"
#include "git/libgit2.h"

#include <errno.h>
#include <fcntl.h>

/* A repository is made in here and then put in its place by one rename. */
#define NURSERY ".git.new"

static void join(struct str *out, const char *dir, const char *name)
{
	str_clear(out);
	str_printf(out, "%s/%s", dir, name);
}

static int remove_tree(const struct sys *sys, const char *path, struct err *err);

/* Empties a folder; links are not followed. */
static int remove_inside(const struct sys *sys, const char *path, struct err *err)
{
	int fd = file_open(sys, AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
	DIR *dir = fd < 0 ? NULL : sys->fdopendir(fd);
	const struct dirent *entry;
	int result = 0;

	if (!dir) {
		err_set_errno(err, ERR_NO_HISTORY, errno, "cannot read %s", path);
		file_close(sys, &fd);
		return -1;
	}
	while (result == 0 && (entry = sys->readdir(dir)) != NULL) {
		STR_AUTO inside = STR_INIT;

		join(&inside, path, entry->d_name);
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			result = remove_tree(sys, inside.ptr, err);
	}
	sys->closedir(dir);
	return result;
}

/* Nothing there is fine. As deep as a repository just begun is. */
static int remove_tree(const struct sys *sys, const char *path, struct err *err)
{
	struct stat st;

	if (sys->fstatat(AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? 0
				       : err_set_errno(err, ERR_NO_HISTORY, errno,
						       "cannot look at %s", path);
	if (S_ISDIR(st.st_mode) && remove_inside(sys, path, err) != 0)
		return -1;
	if (sys->unlinkat(AT_FDCWD, path, S_ISDIR(st.st_mode) ? AT_REMOVEDIR : 0) != 0)
		return err_set_errno(err, ERR_NO_HISTORY, errno, "cannot remove %s", path);
	return 0;
}

static int write_file(const struct sys *sys, const char *dir, const char *name, const char *text,
		      struct err *err)
{
	STR_AUTO path = STR_INIT;
	int result;
	int fd;

	join(&path, dir, name);
	fd = file_open(sys, AT_FDCWD, path.ptr, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_set_errno(err, ERR_NO_HISTORY, errno, "cannot make %s", path.ptr);
	result = file_write_all(sys, fd, slice_of(text), err);
	file_close(sys, &fd);
	return result;
}

/* Makes the repository in the nursery. */
static int make_repository(const struct lib *lib, const char *nursery, struct err *err)
{
	git_repository_init_options options;
	git_repository *handle;

	lib->repository_init_options_init(&options, GIT_REPOSITORY_INIT_OPTIONS_VERSION);
	options.flags = GIT_REPOSITORY_INIT_MKDIR | GIT_REPOSITORY_INIT_MKPATH;
	options.initial_head = "main";
	if (lib->repository_init_ext(&handle, nursery, &options) != 0)
		return lib_error(lib, err, "make a history in %s", nursery);
	lib->repository_free(handle);
	return 0;
}

/* What a repository cannot be read without, or would be taken for another. */
static const char *const durable[] = {
	"HEAD", "config", "info/attributes", NURSERY_MARK, "info", "objects", "refs/heads",
	"refs", ".",
};

static int sync_files(const struct sys *sys, const char *folder, struct err *err)
{
	for (size_t i = 0; i < sizeof durable / sizeof *durable; i++) {
		STR_AUTO path = STR_INIT;
		int failed;
		int fd;

		join(&path, folder, durable[i]);
		fd = file_open(sys, AT_FDCWD, path.ptr, O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0);
		failed = fd < 0 || file_fsync(sys, fd) != 0;
		if (failed)
			err_set_errno(err, ERR_NO_HISTORY, errno, "cannot make durable %s",
				      path.ptr);
		file_close(sys, &fd);
		if (failed)
			return -1;
	}
	return 0;
}

/* First all of it is durable, then it is there. */
static int put_in_place(const struct sys *sys, const char *dir, const char *nursery,
			struct err *err)
{
	STR_AUTO from = STR_INIT;
	STR_AUTO to = STR_INIT;
	int result = 0;
	int fd;

	join(&from, nursery, ".git");
	join(&to, dir, ".git");
	if (sync_files(sys, from.ptr, err) != 0)
		return -1;
	fd = file_open(sys, AT_FDCWD, dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (fd < 0 || sys->renameat2(AT_FDCWD, from.ptr, AT_FDCWD, to.ptr, 0) != 0 ||
	    sys->fsync(fd) != 0)
		result = err_set_errno(err, ERR_NO_HISTORY, errno, "cannot make %s", to.ptr);
	file_close(sys, &fd);
	sys->unlinkat(AT_FDCWD, nursery, AT_REMOVEDIR);
	return result;
}

int nursery_make(const struct sys *sys, const char *dir, struct err *err)
{
	struct lib lib;
	STR_AUTO nursery = STR_INIT;
	STR_AUTO folder = STR_INIT;
	int result;

	join(&nursery, dir, NURSERY);
	if (remove_tree(sys, nursery.ptr, err) != 0 || lib_open(&lib, err) != 0)
		return -1;
	lib_leave_out_closed(&lib, sys);
	result = make_repository(&lib, nursery.ptr, err);
	lib_close(&lib);
	if (result != 0)
		return -1;
	join(&folder, nursery.ptr, ".git");
	if (write_file(sys, folder.ptr, "info/attributes", "* -text !filter !ident\n", err) != 0 ||
	    write_file(sys, folder.ptr, NURSERY_MARK, "kota made this repository\n", err) != 0)
		return -1;
	return put_in_place(sys, dir, nursery.ptr, err);
}
