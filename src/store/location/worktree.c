#include "store/location/worktree.h"

#include "base/file.h"
#include "base/mem.h"
#include "git/index_names.h"
#include "store/location/project.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

/* A path and a line's end. */
#define POINTER_MAX 8192

static int worktree_cannot_see(const char *path, struct err *err)
{
	return err_set_errno(err, ERR_IO, errno,
			     "cannot find the main work tree: %s "
			     "(--dir names the store)",
			     path);
}

/* What others keep from us, and what leads nowhere, is not there. */
static bool worktree_is_absence(int number)
{
	return number == ENOENT || number == ENOTDIR || number == EACCES || number == ELOOP;
}

/* The real path, or NULL where there is none; the caller frees it. */
static int worktree_real_path(const struct sys *sys, const char *path, char **out, struct err *err)
{
	*out = sys->realpath(path);
	return *out || worktree_is_absence(errno) ? 0 : worktree_cannot_see(path, err);
}

/* Cuts the last name off a path and says whether it was this one. */
static bool worktree_cut_name(char *path, const char *name)
{
	char *slash = strrchr(path, '/');
	bool same = slash && slash != path && (!name || strcmp(slash + 1, name) == 0);

	if (same)
		*slash = '\0';
	return same;
}

/* MAIN of MAIN/.git/worktrees/N, or NULL; the caller frees it. */
static char *worktree_main_of(const char *folder)
{
	char *path = mem_strdup(folder);

	if (worktree_cut_name(path, NULL) && worktree_cut_name(path, "worktrees") &&
	    worktree_cut_name(path, ".git"))
		return path;
	free(path);
	return NULL;
}

/* Appends the path that folder/gitdir names; nothing when it names none. */
static int worktree_read_pointer(const struct sys *sys, const char *folder, struct str *out,
				 struct err *err)
{
	STR_AUTO path = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct file_id id;

	place_join(&path, folder, "gitdir");
	if (file_read_own(sys, AT_FDCWD, path.ptr, POINTER_MAX, &text, &id, err) != 0)
		return err->code == ERR_IO ? -1 : 0;
	str_truncate(&text, strcspn(text.ptr, "\r\n"));
	if (text.len == 0)
		return 0;
	/* With worktree.useRelativePaths it starts at the folder. */
	if (text.ptr[0] == '/')
		str_add(out, str_slice(&text));
	else
		place_join(out, folder, text.ptr);
	return 0;
}

/* True if folder/gitdir names ROOT/.git. */
static int worktree_points_back(const struct sys *sys, const char *folder, const char *root,
				bool *same, struct err *err)
{
	STR_AUTO named = STR_INIT;
	STR_AUTO own = STR_INIT;
	char *real = NULL;

	*same = false;
	if (worktree_read_pointer(sys, folder, &named, err) != 0 ||
	    (named.len > 0 && worktree_real_path(sys, named.ptr, &real, err) != 0))
		return -1;
	place_join(&own, root, ".git");
	*same = real && strcmp(real, own.ptr) == 0;
	free(real);
	return 0;
}

static int worktree_owner_of(const struct sys *sys, const char *path, uid_t *owner, struct err *err)
{
	struct stat st;

	if (sys->fstatat(AT_FDCWD, path, &st, 0) != 0)
		return worktree_cannot_see(path, err);
	*owner = st.st_uid;
	return 0;
}

static int worktree_check(struct worktree *found, const struct sys *sys, const char *root,
			  const char *folder, struct err *err)
{
	uid_t owners[3] = {0};
	bool back;

	if (worktree_points_back(sys, folder, root, &back, err) != 0)
		return -1;
	if (!back) {
		found->doubts = "it does not know this work tree";
		return 0;
	}
	if (worktree_owner_of(sys, root, &owners[0], err) != 0 ||
	    worktree_owner_of(sys, folder, &owners[1], err) != 0 ||
	    worktree_owner_of(sys, found->main, &owners[2], err) != 0)
		return -1;
	if (owners[0] != owners[1] || owners[0] != owners[2])
		found->doubts = "it belongs to another owner";
	return 0;
}

/*
 * The real path of the folder that `.git` names; NULL when it names none. A
 * `.git` that is a folder names itself.
 */
static int worktree_git_folder_of(const struct sys *sys, const char *root, char **out,
				  struct err *err)
{
	STR_AUTO path = STR_INIT;
	bool found;

	*out = NULL;
	if (index_git_dir(sys, root, &path, &found, err) != 0)
		return err->code == ERR_IO ? -1 : 0;
	return found ? worktree_real_path(sys, path.ptr, out, err) : 0;
}

int worktree_find(struct worktree *out, const struct sys *sys, const char *root, struct err *err)
{
	struct worktree found = {0};
	char *folder;
	int result = 0;

	if (worktree_git_folder_of(sys, root, &folder, err) != 0)
		return -1;
	found.main = folder ? worktree_main_of(folder) : NULL;
	if (found.main) {
		STR_AUTO git = STR_INIT;

		place_join(&git, found.main, ".git");
		found.git = str_detach(&git);
		result = worktree_check(&found, sys, root, folder, err);
	}
	free(folder);
	if (result == 0)
		*out = found;
	else
		worktree_release(&found);
	return result;
}

void worktree_release(struct worktree *worktree)
{
	free(worktree->main);
	free(worktree->git);
	*worktree = (struct worktree){0};
}
