#include "store/location/project.h"

#include "base/mem.h"
#include "store/location/store_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

/* What others keep from us is not ours. */
static bool project_is_absence(int number)
{
	return number == ENOENT || number == ENOTDIR || number == EACCES;
}

/*
 * Looks at a name in a folder; *there is false when there is none. Any other failure is an error,
 * because to take it for absence would be to choose another store.
 */
static int project_look(const struct sys *sys, const char *folder, const char *name, int flags,
			struct stat *st, bool *there, struct err *err)
{
	STR_AUTO path = STR_INIT;

	place_join(&path, folder, name);
	*there = sys->fstatat(AT_FDCWD, path.ptr, st, flags) == 0;
	if (*there || project_is_absence(errno) || (errno == ELOOP && flags == 0))
		return 0;
	return err_set_errno(err, ERR_IO, errno,
			     "cannot tell whether the store is at %s (--dir names the store)",
			     path.ptr);
}

/* On the way up from a folder, as far as the folders belong to one owner. */
struct walk {
	const struct sys *sys;
	struct str path; /* real */
	uid_t owner;
	bool ended;
};

static int project_look_at_owner(struct walk *walk, uid_t *owner, struct err *err)
{
	struct stat st;
	bool there;

	if (project_look(walk->sys, walk->path.ptr, ".", 0, &st, &there, err) != 0)
		return -1;
	walk->ended = !there;
	if (there)
		*owner = st.st_uid;
	return 0;
}

/* walk->path is to be released also after a failure. */
static int project_walk_begin(struct walk *walk, const struct sys *sys, const char *folder,
			      struct err *err)
{
	*walk = (struct walk){.sys = sys, .path = STR_INIT};
	str_adds(&walk->path, folder);
	return project_look_at_owner(walk, &walk->owner, err);
}

/* The length of the path of the folder above, 0 for the root folder. */
static size_t project_above(const struct str *path)
{
	size_t len = path->len;

	if (len <= 1)
		return 0;
	while (path->ptr[len - 1] != '/')
		len--;
	return len > 1 ? len - 1 : 1;
}

static int project_walk_up(struct walk *walk, struct err *err)
{
	size_t len = project_above(&walk->path);
	uid_t owner = walk->owner;

	if (len == 0) {
		walk->ended = true;
		return 0;
	}
	str_truncate(&walk->path, len);
	if (project_look_at_owner(walk, &owner, err) != 0)
		return -1;
	walk->ended = walk->ended || owner != walk->owner;
	return 0;
}

/* True if the folder looks like a store. Its name alone does not say so. */
static int project_has_marks(const struct sys *sys, const char *folder, bool *out, struct err *err)
{
	struct stat st;
	int result = project_look(sys, folder, MARK_FORMAT_NAME, AT_SYMLINK_NOFOLLOW, &st, out,
				  err);

	for (int f = 0; result == 0 && !*out && f < CATEGORY_COUNT; f++)
		result = project_look(sys, folder, store_file_name((enum store_file)f),
				      AT_SYMLINK_NOFOLLOW, &st, out, err);
	return result;
}

/* True if the walk has reached a store. Then it goes on to the folder that contains it. */
static int project_step_out(struct walk *walk, bool *found, struct err *err)
{
	*found = false;
	if (walk->path.len < sizeof "/" PROJECT_PATH ||
	    !slice_ends(str_slice(&walk->path), "/" PROJECT_PATH))
		return 0;
	if (project_has_marks(walk->sys, walk->path.ptr, found, err) != 0)
		return -1;
	for (int i = 0; *found && !walk->ended && i < 2; i++) {
		if (project_walk_up(walk, err) != 0)
			return -1;
	}
	*found = *found && !walk->ended;
	return 0;
}

/* A store has a `.git` of its own and is no project: who is in it is in the folder that has it. */
static int project_find_start(struct project *project, const struct sys *sys, struct err *err)
{
	struct walk walk;
	bool found = false;
	int result = project_walk_begin(&walk, sys, project->here, err);

	while (result == 0 && !walk.ended && !found) {
		result = project_step_out(&walk, &found, err);
		if (result == 0 && !found && !walk.ended)
			result = project_walk_up(&walk, err);
	}
	project->start = mem_strdup(found ? walk.path.ptr : project->here);
	str_release(&walk.path);
	return result;
}

static int project_find_top(struct project *project, const struct sys *sys, struct err *err)
{
	struct walk walk;
	int result = project_walk_begin(&walk, sys, project->start, err);

	while (result == 0 && !walk.ended && !project->top) {
		struct stat st;
		bool there;

		result = project_look(sys, walk.path.ptr, ".git", 0, &st, &there, err);
		if (result == 0 && there && (S_ISDIR(st.st_mode) || S_ISREG(st.st_mode)))
			project->top = mem_strdup(walk.path.ptr);
		else if (result == 0)
			result = project_walk_up(&walk, err);
	}
	str_release(&walk.path);
	return result;
}

int project_find(struct project *out, const struct sys *sys, const char *folder, bool *found,
		 struct err *err)
{
	struct project project = {.here = sys->realpath(folder)};

	*found = project.here != NULL;
	if (!project.here) {
		if (project_is_absence(errno))
			return 0;
		return err_set_errno(err, ERR_IO, errno,
				     "cannot find the project of %s (--dir names the store)",
				     folder);
	}
	if (project_find_start(&project, sys, err) != 0 ||
	    project_find_top(&project, sys, err) != 0) {
		project_release(&project);
		return -1;
	}
	*out = project;
	return 0;
}

void project_release(struct project *project)
{
	free(project->here);
	free(project->start);
	free(project->top);
	*project = (struct project){0};
}

/* What stands behind a `data` that is a link is looked at, and no more than that. */
static int project_look_behind(const struct sys *sys, const char *folder, enum project_store *out,
			       struct str *link, struct err *err)
{
	struct stat st;
	bool there;

	if (project_look(sys, folder, PROJECT_PATH, AT_SYMLINK_NOFOLLOW, &st, &there, err) != 0)
		return -1;
	if (there && (S_ISDIR(st.st_mode) || S_ISLNK(st.st_mode))) {
		*out = PROJECT_STORE_LINKED;
		place_join(link, folder, PROJECT_FOLDER);
	}
	return 0;
}

int project_store_in(const struct sys *sys, const char *folder, enum project_store *out,
		     struct str *link, struct err *err)
{
	struct stat st;
	bool there;

	*out = PROJECT_STORE_NONE;
	str_clear(link);
	if (project_look(sys, folder, PROJECT_FOLDER, AT_SYMLINK_NOFOLLOW, &st, &there, err) != 0)
		return -1;
	if (there && S_ISLNK(st.st_mode))
		return project_look_behind(sys, folder, out, link, err);
	if (!there || !S_ISDIR(st.st_mode))
		return 0;
	if (project_look(sys, folder, PROJECT_PATH, AT_SYMLINK_NOFOLLOW, &st, &there, err) != 0)
		return -1;
	if (there && S_ISDIR(st.st_mode))
		*out = PROJECT_STORE_FOLDER;
	if (there && S_ISLNK(st.st_mode)) {
		*out = PROJECT_STORE_LINKED;
		place_join(link, folder, PROJECT_PATH);
	}
	return 0;
}

int project_store(const struct project *project, const struct sys *sys, char **folder,
		  struct str *link, struct err *err)
{
	STR_AUTO path = STR_INIT;
	enum project_store kind = PROJECT_STORE_NONE;
	size_t last = strlen(project->top ? project->top : project->start);

	str_adds(&path, project->start);
	*folder = NULL;
	for (;;) {
		if (project_store_in(sys, path.ptr, &kind, link, err) != 0)
			return -1;
		if (kind != PROJECT_STORE_NONE || path.len <= last)
			break;
		str_truncate(&path, project_above(&path));
	}
	if (kind != PROJECT_STORE_NONE)
		*folder = mem_strdup(path.ptr);
	return 0;
}
