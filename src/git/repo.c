#include "git/repo.h"

#include "base/file.h"
#include "base/mem.h"
#include "git/create.h"
#include "git/guard.h"
#include "git/reads.h"
#include "git/repo_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

static void join(struct str *out, const char *dir, const char *name)
{
	str_clear(out);
	str_printf(out, "%s/%s", dir, name);
}

int repo_open(struct repo **out, const struct sys *sys, const char *dir, struct err *err)
{
	struct repo *repo;
	STR_AUTO path = STR_INIT;
	struct stat st;

	join(&path, dir, ".git");
	if (sys->fstatat(AT_FDCWD, path.ptr, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return err_set_errno(err, errno == ENOENT ? ERR_NOT_FOUND : ERR_NO_HISTORY, errno,
				     "cannot look at %s", path.ptr);
	if (guard_own(sys, dir, err) != 0)
		return -1;
	repo = mem_zalloc(1, sizeof *repo);
	repo->sys = sys;
	str_init(&repo->folder);
	str_init(&repo->place);
	str_init(&repo->branch);
	if (lib_open(&repo->lib, err) != 0) {
		free(repo);
		return -1;
	}
	lib_leave_out_closed(&repo->lib, sys);
	if (repo->lib.repository_open_ext(&repo->handle, dir, GIT_REPOSITORY_OPEN_NO_SEARCH,
					  NULL) != 0 ||
	    repo->lib.repository_odb(&repo->odb, repo->handle) != 0) {
		lib_error(&repo->lib, err, "open the history in %s", path.ptr);
		repo_close(repo);
		return -1;
	}
	str_adds(&repo->folder, repo->lib.repository_path(repo->handle));
	str_add(&repo->place, str_slice(&path));
	*out = repo;
	return 0;
}

void repo_watch(struct repo *repo, const struct progress *progress)
{
	repo->progress = progress;
}

void repo_close(struct repo *repo)
{
	if (!repo)
		return;
	repo->lib.odb_free(repo->odb);
	repo->lib.repository_free(repo->handle);
	str_release(&repo->folder);
	str_release(&repo->place);
	str_release(&repo->branch);
	lib_close(&repo->lib);
	free(repo);
}

int repo_create(struct repo **out, const struct sys *sys, const char *dir, struct err *err)
{
	if (nursery_make(sys, dir, err) != 0)
		return -1;
	return repo_open(out, sys, dir, err);
}

const char *repo_folder(const struct repo *repo)
{
	return repo->folder.ptr;
}

bool repo_is_ours(const struct repo *repo)
{
	STR_AUTO path = STR_INIT;
	struct stat st;

	str_printf(&path, "%s" NURSERY_MARK, repo->folder.ptr);
	return repo->sys->fstatat(AT_FDCWD, path.ptr, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

const char *repo_branch(struct repo *repo)
{
	git_reference *head = NULL;
	const char *target = NULL;

	str_clear(&repo->branch);
	str_adds(&repo->branch, "");
	if (repo->lib.reference_lookup(&head, repo->handle, "HEAD") == 0)
		target = repo->lib.reference_symbolic_target(head);
	if (target && strncmp(target, "refs/heads/", 11) == 0)
		str_adds(&repo->branch, target);
	repo->lib.reference_free(head);
	return repo->branch.ptr;
}

static const char *state_name(int state)
{
	switch (state) {
	case GIT_REPOSITORY_STATE_MERGE:
		return "a merge";
	case GIT_REPOSITORY_STATE_REVERT:
	case GIT_REPOSITORY_STATE_REVERT_SEQUENCE:
		return "a revert";
	case GIT_REPOSITORY_STATE_CHERRYPICK:
	case GIT_REPOSITORY_STATE_CHERRYPICK_SEQUENCE:
		return "a cherry-pick";
	case GIT_REPOSITORY_STATE_BISECT:
		return "a bisect";
	case GIT_REPOSITORY_STATE_APPLY_MAILBOX:
		return "an am";
	default:
		return "a rebase";
	}
}

int repo_check(struct repo *repo, struct err *err)
{
	int state = repo->lib.repository_state(repo->handle);

	if (repo->lib.repository_is_bare(repo->handle))
		return err_set(err, ERR_NO_HISTORY, "%s has no work tree", repo->folder.ptr);
	if (state != GIT_REPOSITORY_STATE_NONE)
		return err_set(err, ERR_NO_HISTORY,
			       "%s is under way in %s: what changes is recorded when it is over",
			       state_name(state), repo->folder.ptr);
	if (!*repo_branch(repo))
		return err_set(err, ERR_NO_HISTORY,
			       "HEAD in %s is not on a branch: what changes is recorded when it is",
			       repo->folder.ptr);
	return 0;
}

int repo_head(struct repo *repo, struct object_id *out, struct err *err)
{
	git_oid oid;
	int result = repo->lib.reference_name_to_id(&oid, repo->handle, "HEAD");

	if (result != 0 && result != GIT_ENOTFOUND && result != GIT_EUNBORNBRANCH)
		return lib_error(&repo->lib, err, "read HEAD in %s", repo->folder.ptr);
	*out = (struct object_id){{0}};
	if (result == 0)
		*out = lib_id(&oid);
	return 0;
}

bool repo_person(struct repo *repo, struct str *name, struct str *email)
{
	git_config *config = NULL;
	const char *value;
	bool found = false;

	if (repo->lib.repository_config_snapshot(&config, repo->handle) != 0)
		return false;
	str_clear(name);
	str_clear(email);
	if (repo->lib.config_get_string(&value, config, "user.name") == 0 && *value)
		str_adds(name, value);
	if (repo->lib.config_get_string(&value, config, "user.email") == 0 && *value)
		str_adds(email, value);
	found = name->len > 0 && email->len > 0;
	repo->lib.config_free(config);
	return found;
}

bool repo_ignores(struct repo *repo, const char *path)
{
	int ignored = 0;

	return repo->lib.ignore_path_is_ignored(&ignored, repo->handle, path) == 0 && ignored;
}

int repo_resolve(struct repo *repo, struct slice text, struct object_id *out, struct err *err)
{
	git_object *object = NULL;
	git_object *commit = NULL;
	char *spec = mem_strndup(text.ptr, text.len);
	int result = repo->lib.revparse_single(&object, repo->handle, spec);

	if (result == 0)
		result = repo->lib.object_peel(&commit, object, GIT_OBJECT_COMMIT);
	if (result == 0)
		*out = lib_id(repo->lib.object_id(commit));
	else
		err_set(err, ERR_NOT_FOUND,
			result == GIT_EAMBIGUOUS
				? "several changes begin with \"%s\": give more digits"
				: "there is no change \"%s\"",
			spec);
	repo->lib.object_free(commit);
	repo->lib.object_free(object);
	free(spec);
	return result == 0 ? 0 : -1;
}

/* Opens the nearest repository above the parent of dir. NULL when there is none. */
static git_repository *open_above(const struct lib *lib, const char *dir)
{
	git_repository *handle = NULL;
	STR_AUTO parent = STR_INIT;

	str_printf(&parent, "%s/..", dir);
	if (lib->repository_open_ext(&handle, parent.ptr, 0, NULL) != 0)
		return NULL;
	return handle;
}

/* Looks first at what it will open above the folder; real is NULL where that is unknown. */
static int open_lib_for(struct lib *lib, const struct sys *sys, const char *real, struct err *err)
{
	if (real && reads_closed_around(sys, real)) {
		reads_refuse_around(real, err);
		return -1;
	}
	if ((real && guard_around(sys, real, err) != 0) || lib_open(lib, err) != 0)
		return -1;
	lib_leave_out_closed(lib, sys);
	return 0;
}

int repo_around(const struct sys *sys, const char *dir, struct str *workdir, bool *ignored,
		struct err *err)
{
	struct lib lib;
	git_repository *handle;
	const char *above;
	char *real = sys->realpath(dir);
	int answer = 0;

	str_clear(workdir);
	*ignored = false;
	if (open_lib_for(&lib, sys, real, err) != 0) {
		free(real);
		return -1;
	}
	handle = real ? open_above(&lib, real) : NULL;
	above = handle ? lib.repository_workdir(handle) : NULL;
	if (above && strncmp(real, above, strlen(above)) == 0) {
		STR_AUTO path = STR_INIT;

		/* The slash says that it is a directory, which `folder/` in a .gitignore asks for.
		 */
		str_printf(&path, "%s/", real + strlen(above));
		str_adds(workdir, above);
		*ignored = lib.ignore_path_is_ignored(&answer, handle, path.ptr) == 0 && answer;
	}
	lib.repository_free(handle);
	lib_close(&lib);
	free(real);
	return 0;
}

int repo_library(struct str *out, struct err *err)
{
	struct lib lib;
	int major = 0;
	int minor = 0;
	int revision = 0;

	if (lib_open(&lib, err) != 0)
		return -1;
	lib.libgit2_version(&major, &minor, &revision);
	str_printf(out, "%d.%d.%d", major, minor, revision);
	lib_close(&lib);
	return 0;
}

/* What is in a repository: blobs, and the files of a commit. */

int repo_blob_id(struct repo *repo, struct slice text, struct object_id *out, struct err *err)
{
	git_oid oid;

	if (repo->lib.odb_hash(&oid, text.ptr ? text.ptr : "", text.len, GIT_OBJECT_BLOB) != 0)
		return lib_error(&repo->lib, err, "name a text");
	*out = lib_id(&oid);
	return 0;
}

int repo_blob_write(struct repo *repo, struct slice text, struct object_id *out, struct err *err)
{
	git_oid oid;

	if (repo->lib.odb_write(&oid, repo->odb, text.ptr ? text.ptr : "", text.len,
				GIT_OBJECT_BLOB) != 0)
		return lib_error(&repo->lib, err, "write to %sobjects", repo->folder.ptr);
	*out = lib_id(&oid);
	return 0;
}

bool repo_has(struct repo *repo, const struct object_id *id)
{
	git_oid oid = lib_oid(id);

	return repo->lib.odb_exists(repo->odb, &oid) == 1;
}

int repo_blob_read(struct repo *repo, const struct object_id *blob, struct str *out,
		   struct err *err)
{
	git_oid oid = lib_oid(blob);
	git_odb_object *object;

	str_clear(out);
	if (repo->lib.odb_read(&object, repo->odb, &oid) != 0)
		return lib_error(&repo->lib, err, "read from %sobjects", repo->folder.ptr);
	str_add(out,
		slice_make(repo->lib.odb_object_data(object), repo->lib.odb_object_size(object)));
	repo->lib.odb_object_free(object);
	return 0;
}

int repo_tree(struct repo *repo, const struct object_id *commit, git_tree **out, struct err *err)
{
	git_oid oid = lib_oid(commit);
	git_commit *object;
	int result;

	if (object_id_is_none(commit)) {
		*out = NULL;
		return 0;
	}
	if (repo->lib.commit_lookup(&object, repo->handle, &oid) != 0)
		return lib_error(&repo->lib, err, "read a commit in %s", repo->folder.ptr);
	result = repo->lib.commit_tree(out, object);
	repo->lib.commit_free(object);
	return result == 0 ? 0 : lib_error(&repo->lib, err, "read a tree in %s", repo->folder.ptr);
}

int repo_file_at(struct repo *repo, const struct object_id *commit, const char *path,
		 struct object_id *blob, struct err *err)
{
	git_tree *tree = NULL;
	git_tree_entry *entry = NULL;
	int result;

	if (repo_tree(repo, commit, &tree, err) != 0)
		return -1;
	result = tree ? repo->lib.tree_entry_bypath(&entry, tree, path) : GIT_ENOTFOUND;
	if (result != 0 && result != GIT_ENOTFOUND) {
		lib_error(&repo->lib, err, "find %s in %s", path, repo->folder.ptr);
	} else {
		*blob = (struct object_id){{0}};
		if (entry && repo->lib.tree_entry_type(entry) == GIT_OBJECT_BLOB)
			*blob = lib_id(repo->lib.tree_entry_id(entry));
		result = 0;
	}
	repo->lib.tree_entry_free(entry);
	repo->lib.tree_free(tree);
	return result == 0 ? 0 : -1;
}

struct visit {
	const struct lib *lib;
	repo_visitor visitor;
	void *context;
	struct str path;
	int result;
};

static int visit_entry(const char *root, const git_tree_entry *entry, void *payload)
{
	struct visit *visit = payload;
	struct object_id blob = lib_id(visit->lib->tree_entry_id(entry));

	if (visit->lib->tree_entry_type(entry) != GIT_OBJECT_BLOB)
		return 0;
	str_clear(&visit->path);
	str_printf(&visit->path, "%s%s", root, visit->lib->tree_entry_name(entry));
	visit->result = visit->visitor(visit->context, visit->path.ptr, &blob);
	return visit->result != 0 ? -1 : 0;
}

int repo_files(struct repo *repo, const struct object_id *commit, repo_visitor visitor,
	       void *context, struct err *err)
{
	struct visit visit = {&repo->lib, visitor, context, STR_INIT, 0};
	git_tree *tree = NULL;
	int result = 0;

	if (repo_tree(repo, commit, &tree, err) != 0)
		return -1;
	if (tree && repo->lib.tree_walk(tree, GIT_TREEWALK_PRE, visit_entry, &visit) != 0 &&
	    visit.result == 0)
		result = lib_error(&repo->lib, err, "read a tree in %s", repo->folder.ptr);
	repo->lib.tree_free(tree);
	str_release(&visit.path);
	return result;
}
