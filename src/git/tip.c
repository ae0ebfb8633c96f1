#include "git/tip.h"

#include "git/commit.h"
#include "git/lock.h"
#include "git/pack.h"
#include "git/repo_internal.h"

#include <errno.h>
#include <fcntl.h>

/* A longer reflog is not read. */
#define TIP_LOG_MAX ((size_t)64 << 20)

struct tip_files {
	struct repo *repo;
	bool whole;
};

static int tip_check_blob(void *context, const char *path, const struct object_id *blob)
{
	struct tip_files *files = context;

	(void)path;
	files->whole = files->whole && repo_has(files->repo, blob);
	return 0;
}

/* Has the commit its files, and can all commits before it be read? *commits is how many there are.
 */
static bool tip_commit_is_whole(struct repo *repo, const struct object_id *id, size_t *commits,
				struct err *why)
{
	struct tip_files files = {repo, true};
	const struct lib *lib = &repo->lib;
	git_revwalk *walk = NULL;
	git_oid oid = lib_oid(id);
	char digits[OBJECT_ID_DIGITS + 1];
	int result;

	if (repo_files(repo, id, tip_check_blob, &files, why) != 0 || !files.whole) {
		object_id_text(id, digits);
		err_set(why, ERR_NO_HISTORY, "the commit %.12s in %s has not all its objects",
			digits, repo->folder.ptr);
		return false;
	}
	result = lib->revwalk_new(&walk, repo->handle);
	if (result == 0)
		result = lib->revwalk_push(walk, &oid);
	for (*commits = 0; result == 0; ++*commits)
		result = lib->revwalk_next(&oid, walk);
	lib->revwalk_free(walk);
	return result == GIT_ITEROVER || lib_error(lib, why, "read all commits before it") == 0;
}

bool tip_is_whole(struct repo *repo, struct err *why)
{
	struct object_id head;
	size_t commits;

	if (repo_head(repo, &head, why) != 0)
		return false;
	return object_id_is_none(&head) || tip_commit_is_whole(repo, &head, &commits, why);
}

/* ---- looking for the last one that is whole */

/* The newest of the reflog of this name that is whole; none is success. */
static void tip_from_log(struct repo *repo, const char *name, struct object_id *out)
{
	struct id_list ids = {0};
	STR_AUTO path = STR_INIT;
	struct err ignored;
	size_t commits;

	str_printf(&path, "logs/%s", name);
	if (reflog_ids(repo, path.ptr, &ids, &ignored) == 0) {
		for (size_t i = ids.count; i > 0 && object_id_is_none(out); i--) {
			if (tip_commit_is_whole(repo, &ids.items[i - 1], &commits, &ignored))
				*out = ids.items[i - 1];
		}
	}
	id_list_release(&ids);
}

struct tip_search {
	struct repo *repo;
	struct object_id best;
	int64_t time_s; /* of the best one */
	size_t commits; /* ... and how many it stands upon, itself included */
};

/* Is the object a commit of ours that is whole, and later than the best one? */
static int tip_look_at(const git_oid *oid, void *payload)
{
	struct tip_search *search = payload;
	const struct lib *lib = &search->repo->lib;
	struct object_id id = lib_id(oid);
	const git_signature *by;
	git_commit *commit;
	struct err ignored;
	size_t commits;

	if (lib->commit_lookup(&commit, search->repo->handle, oid) != 0)
		return 0;
	by = lib->commit_committer(commit);
	if (by && strcmp(by->name, RECORD_AUTHOR) == 0 && by->when.time >= search->time_s &&
	    tip_commit_is_whole(search->repo, &id, &commits, &ignored) &&
	    (by->when.time > search->time_s || commits > search->commits)) {
		search->best = id;
		search->time_s = by->when.time;
		search->commits = commits;
	}
	lib->commit_free(commit);
	return 0;
}

static struct object_id tip_find(struct repo *repo)
{
	struct tip_search search = {.repo = repo};

	tip_from_log(repo, repo_branch(repo), &search.best);
	if (object_id_is_none(&search.best))
		tip_from_log(repo, "HEAD", &search.best);
	if (object_id_is_none(&search.best))
		(void)!repo->lib.odb_foreach(repo->odb, tip_look_at, &search);
	return search.best;
}

/* ---- setting it */

/* Renames a file of the repository out of the way; absent is fine. */
static int tip_put_aside(struct repo *repo, const char *path, const char *aside, struct err *err)
{
	STR_AUTO to = STR_INIT;

	repo_path(repo, aside, &to);
	if (repo->sys->renameat2(AT_FDCWD, path, AT_FDCWD, to.ptr, 0) != 0 && errno != ENOENT)
		return err_set_errno(err, ERR_NO_HISTORY, errno, "cannot put aside %s", path);
	return 0;
}

/* Where the branch is now, by a file that may hold anything: that is put aside then. */
static int tip_read(struct repo *repo, struct object_id *now, struct err *err)
{
	const char *branch = repo_branch(repo);
	STR_AUTO path = STR_INIT;
	git_oid oid;
	int result = repo->lib.reference_name_to_id(&oid, repo->handle, branch);

	if (result != 0 && result != GIT_ENOTFOUND) {
		repo_common_path(repo, "", branch, &path);
		if (tip_put_aside(repo, path.ptr, "branch.unreadable", err) != 0)
			return -1;
		result = repo->lib.reference_name_to_id(&oid, repo->handle, branch);
	}
	*now = (struct object_id){{0}};
	if (result == 0)
		*now = lib_id(&oid);
	return 0;
}

/* An index that names what is gone is begun anew with the next recording. */
static int tip_mend_index(struct repo *repo, struct err *err)
{
	const struct lib *lib = &repo->lib;
	STR_AUTO path = STR_INIT;
	git_index *index = NULL;
	bool whole = true;

	repo_path(repo, "index", &path);
	if (lib->index_open(&index, path.ptr) != 0)
		return 0; /* a recording sees to that, see commit.c */
	for (size_t i = 0; whole && i < lib->index_entrycount(index); i++) {
		struct object_id id = lib_id(&lib->index_get_byindex(index, i)->id);

		whole = repo_has(repo, &id);
	}
	lib->index_free(index);
	return whole ? 0 : tip_put_aside(repo, path.ptr, "index.unreadable", err);
}

/* Does a line of a reflog, which begins with two ids, name what is not there? */
static bool tip_line_is_whole(struct repo *repo, struct slice line)
{
	for (size_t at = 0; at <= OBJECT_ID_DIGITS + 1; at += OBJECT_ID_DIGITS + 1) {
		struct object_id id;

		if (line.len < at + OBJECT_ID_DIGITS ||
		    !object_id_parse(slice_make(line.ptr + at, OBJECT_ID_DIGITS), &id) ||
		    (!object_id_is_none(&id) && !repo_has(repo, &id)))
			return false;
	}
	return true;
}

static int tip_mend_log(void *context, const char *name, const struct stat *st)
{
	struct repo *repo = context;
	STR_AUTO path = STR_INIT;
	STR_AUTO temp = STR_INIT;
	STR_AUTO text = STR_INIT;
	STR_AUTO kept = STR_INIT;
	struct file_id id;
	struct slice rest;
	struct slice line;
	struct err err;

	repo_path(repo, name, &path);
	repo_path(repo, "kota-log", &temp);
	if (!S_ISREG(st->st_mode) ||
	    file_read_own(repo->sys, AT_FDCWD, path.ptr, TIP_LOG_MAX, &text, &id, &err) != 0)
		return 0;
	rest = str_slice(&text);
	while (slice_line(&rest, &line)) {
		if (tip_line_is_whole(repo, line)) {
			str_add(&kept, line);
			str_addc(&kept, '\n');
		}
	}
	if (kept.len != text.len && git_file_put(repo->sys, temp.ptr, st->st_mode & 0777,
						 str_slice(&kept), false, &err) == 0)
		(void)!repo->sys->renameat2(AT_FDCWD, temp.ptr, AT_FDCWD, path.ptr, 0);
	return 0;
}

/* No commit is left: the branch begins anew, with what the files have. */
static int tip_drop_branch(struct repo *repo, struct err *err)
{
	STR_AUTO path = STR_INIT;

	repo_common_path(repo, "", repo_branch(repo), &path);
	return tip_put_aside(repo, path.ptr, "branch.unreadable", err);
}

static int tip_mend_locked(struct repo *repo, struct err *err)
{
	struct object_id best = tip_find(repo);
	struct branch_move move = {.to = best, .time_ms = repo->sys->now_ms(), .unlogged = true};
	int result;

	if (tip_read(repo, &move.from, err) != 0)
		return -1;
	move.name = repo_branch(repo);
	if (object_id_is_none(&best))
		result = tip_drop_branch(repo, err);
	else
		result = branch_move(repo, &move, err);
	if (result == 0)
		result = tip_mend_index(repo, err);
	if (result == 0)
		result = git_files_walk(repo, "logs", tip_mend_log, repo, err);
	return result;
}

int tip_mend(struct repo *repo, bool *mended, struct err *err)
{
	struct err why;
	int result;

	*mended = false;
	if (tip_is_whole(repo, &why))
		return 0;
	if (repo_check(repo, err) != 0 || repo_lock_index(repo, err) != 0)
		return -1;
	result = tip_mend_locked(repo, err);
	repo_unlock_index(repo);
	*mended = result == 0;
	return result;
}
