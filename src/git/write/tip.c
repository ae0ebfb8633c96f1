#include "git/write/tip.h"

#include "base/file.h"
#include "git/repo_state.h"
#include "git/write/lock.h"
#include "git/write/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdlib.h>

/* A longer reflog is not read. */
#define TIP_LOG_MAX ((size_t)64 << 20)

static int tip_io_error(const char *what, const char *path, struct err *err)
{
	return err_set_errno(err, ERR_NO_HISTORY, errno, "cannot %s %s", what, path);
}

/* ---- moving it */

/* The new text of the branch until it has its name, and the one before it from then on. */
#define SPARE_NAME "kota-branch"

/* Where the lock of the branch waits for the next time. */
#define LOCK_SPARE "kota-lock.branch"

/* A branch named a/b may have no folder yet, or none any more since all of it is packed. */
static int tip_make_folders(const struct repo *repo, const char *path, struct err *err)
{
	STR_AUTO folder = STR_INIT;

	str_adds(&folder, path);
	for (char *at = folder.ptr + 1; (at = strchr(at, '/')) != NULL; at++) {
		*at = '\0';
		if (repo->sys->mkdirat(AT_FDCWD, folder.ptr, 0777) != 0 && errno != EEXIST)
			return tip_io_error("make", folder.ptr, err);
		*at = '/';
	}
	return 0;
}

/* True if the branch is where the recording began. Its lock is held, so it stays there. */
static int tip_check_from(struct repo *repo, const struct branch_move *move, struct err *err)
{
	struct object_id now;

	if (repo_branch_tip(repo, move->name, &now, err) != 0)
		return -1;
	if (!object_id_equal(&now, &move->from))
		return err_set(err, ERR_BUSY, "%s was moved by another program meanwhile",
			       move->name);
	return 0;
}

/*
 * Writes over what the branch was before the last move: a file that nobody has by its name, so that
 * no other has to be made and freed. Only where this process made that move: after a power cut the
 * branch may have the old text in the place of the new one, and that has to be one of its own.
 * False where there is none, or it is not this repository's alone.
 */
static bool tip_fill_spare(struct repo *repo, const struct branch_move *move, const char *path,
			   struct slice text)
{
	struct kept_file *kept = &repo->kept[REPO_FILE_SPARE + repo->spare_turn];
	char before[OBJECT_ID_DIGITS + 1];
	char expected[OBJECT_ID_DIGITS + 1];
	struct stat st;

	if (strcmp(repo->spare_name.ptr, move->name) != 0 ||
	    !object_id_equal(&repo->moved_to, &move->from))
		return false;
	object_id_text(&repo->spare_tip, expected);
	int fd = file_keep(repo->sys, AT_FDCWD, path, O_RDWR, kept, &st);
	/* What is open since the move before was the branch until the last one. */
	return fd >= 0 && st.st_size == (off_t)text.len &&
	       (!kept->fresh ||
		(repo->sys->pread(fd, before, OBJECT_ID_DIGITS, 0) == OBJECT_ID_DIGITS &&
		 memcmp(before, expected, OBJECT_ID_DIGITS) == 0)) &&
	       repo->sys->pwrite(fd, text.ptr, text.len, 0) == (ssize_t)text.len;
}

/* Puts the spare in the place of the branch, which becomes the spare of the next move. */
static int tip_exchange(const struct repo *repo, const char *spare, const char *path)
{
	unsigned flags = RENAME_EXCHANGE;
	int result = repo->sys->renameat2(AT_FDCWD, spare, AT_FDCWD, path, flags);

	if (result != 0 && (errno == ENOENT || errno == EINVAL || errno == ENOSYS))
		result = repo->sys->renameat2(AT_FDCWD, spare, AT_FDCWD, path, 0);
	return result;
}

/* The branch was just moved there by us. */
static void tip_note_file(struct repo *repo, const char *name, const struct object_id *tip)
{
	STR_AUTO path = STR_INIT;
	struct err ignored;

	repo_common_path(repo, "", name, &path);
	str_clear(&repo->tip_name);
	str_adds(&repo->tip_name, "");
	if (file_identify(repo->sys, AT_FDCWD, path.ptr, &repo->tip_id, &ignored) != 0)
		return;
	str_adds(&repo->tip_name, name);
	repo->tip = *tip;
}

static int tip_replace(struct repo *repo, const struct branch_move *move, const char *path,
		       struct err *err)
{
	bool durable = !move->unflushed;
	char text[OBJECT_ID_DIGITS + 2];
	STR_AUTO spare = STR_INIT;
	STR_AUTO folder = STR_INIT;

	object_id_text(&move->to, text);
	memcpy(text + OBJECT_ID_DIGITS, "\n", 2);
	repo_path(repo, SPARE_NAME, &spare);
	str_add(&folder, slice_make(path, (size_t)(strrchr(path, '/') - path)));
	if (tip_check_from(repo, move, err) != 0)
		return -1;
	if (!tip_fill_spare(repo, move, spare.ptr, slice_of(text))) {
		if (git_file_put(repo->sys, spare.ptr, 0666, slice_of(text), durable, err) != 0)
			return -1;
	} else if (durable && git_file_sync(repo->sys, spare.ptr, err) != 0) {
		return -1;
	}
	if (tip_exchange(repo, spare.ptr, path) != 0)
		return tip_io_error("move", move->name, err);
	tip_note_file(repo, move->name, &move->to);
	/* From now on the spare is what the branch was before this move. */
	str_clear(&repo->spare_name);
	str_adds(&repo->spare_name, object_id_is_none(&move->from) ? "" : move->name);
	repo->spare_tip = move->from;
	repo->moved_to = move->to;
	repo->spare_turn ^= 1;
	return durable ? git_file_sync(repo->sys, folder.ptr, err) : 0;
}

/* True if the person wants a reflog. */
static bool tip_wants_log(struct repo *repo)
{
	STR_AUTO value = STR_INIT;

	return !repo_setting(repo, "core.logallrefupdates", &value) ||
	       strcmp(value.ptr, "false") != 0;
}

/* A log that a copy of the store shares by a hard link gets a file of its own: a copy has not been
 * where this branch goes. */
static void tip_unshare_log(const struct repo *repo, const char *path, mode_t mode)
{
	STR_AUTO temp = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct err ignored;
	struct file_id id;

	repo_path(repo, "kota-log", &temp);
	if (file_read_own(repo->sys, AT_FDCWD, path, TIP_LOG_MAX, &text, &id, &ignored) == 0 &&
	    git_file_put(repo->sys, temp.ptr, mode & 0777, str_slice(&text), false, &ignored) == 0)
		(void)!repo->sys->renameat2(AT_FDCWD, temp.ptr, AT_FDCWD, path, 0);
}

/* For who looks for what a branch was; without it nothing is missing but that. */
static void tip_append_log(struct repo *repo, const char *path, enum repo_file file,
			   struct slice line)
{
	struct kept_file *kept = &repo->kept[file];
	struct err ignored;
	struct stat st;
	int fd = file_keep(repo->sys, AT_FDCWD, path, O_WRONLY | O_APPEND, kept, &st);

	if (fd < 0 && errno == EMLINK)
		tip_unshare_log(repo, path, st.st_mode);
	else if (fd < 0 && errno == ENOENT && tip_wants_log(repo) &&
		 tip_make_folders(repo, path, &ignored) == 0)
		(void)!git_file_put(repo->sys, path, 0666, slice_make("", 0), false, &ignored);
	if (fd < 0)
		fd = file_keep(repo->sys, AT_FDCWD, path, O_WRONLY | O_APPEND, kept, &st);
	if (fd >= 0)
		file_write_all(repo->sys, fd, line, &ignored);
}

static void tip_log_move(struct repo *repo, const struct branch_move *move)
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
	repo_common_path(repo, "logs/", move->name, &path);
	tip_append_log(repo, path.ptr, REPO_FILE_BRANCH_LOG, str_slice(&line));
	repo_path(repo, "logs/HEAD", &path);
	tip_append_log(repo, path.ptr, REPO_FILE_HEAD_LOG, str_slice(&line));
}

/* The folder is nearly always there. */
static int tip_take_branch_lock(const struct repo *repo, const char *path, const char *spare,
				struct err *err)
{
	if (lock_take(repo->sys, path, spare, err) == 0)
		return 0;
	return errno == ENOENT && tip_make_folders(repo, path, err) == 0
		       ? lock_take(repo->sys, path, spare, err)
		       : -1;
}

int branch_move(struct repo *repo, const struct branch_move *move, struct err *err)
{
	STR_AUTO path = STR_INIT;
	STR_AUTO lock = STR_INIT;
	STR_AUTO spare = STR_INIT;

	repo_common_path(repo, "", move->name, &path);
	repo_path(repo, LOCK_SPARE, &spare);
	str_printf(&lock, "%s.lock", path.ptr);
	if (tip_take_branch_lock(repo, lock.ptr, spare.ptr, err) != 0)
		return -1;
	int result = tip_replace(repo, move, path.ptr, err);
	if (result == 0 && !move->unlogged)
		tip_log_move(repo, move);
	lock_drop(repo->sys, lock.ptr, spare.ptr);
	return result;
}

/* ---- is it whole? */

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

/*
 * True if the commit's files are there, and all commits before it can be read. *commits is how many
 * there are.
 */
static bool tip_commit_is_whole(struct repo *repo, const struct object_id *id, size_t *commits,
				struct err *why)
{
	struct tip_files files = {repo, true};
	const struct lib *lib = &repo->lib;
	git_revwalk *walk = NULL;
	git_oid oid = lib_oid(id);
	char digits[OBJECT_ID_DIGITS + 1];

	if (repo_blobs(repo, id, tip_check_blob, &files, why) != 0 || !files.whole) {
		object_id_text(id, digits);
		err_set(why, ERR_NO_HISTORY, "the commit %.12s in %s lacks objects", digits,
			repo->folder.ptr);
		return false;
	}
	int result = lib->revwalk_new(&walk, repo->handle);
	if (result == 0)
		result = lib->revwalk_push(walk, &oid);
	for (*commits = 0; result == 0; ++*commits)
		result = lib->revwalk_next(&oid, walk);
	lib->revwalk_free(walk);
	return result == GIT_ITEROVER || lib_error(lib, why, "read all commits before it") == 0;
}

/* The newest of the reflog of this name that is whole; none is success. */
static void tip_from_log(struct repo *repo, const char *name, struct object_id *out)
{
	ID_LIST_AUTO ids = {0};
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
}

bool tip_is_whole(struct repo *repo, struct err *why)
{
	struct object_id last = {{0}};
	struct object_id head;
	size_t commits;

	if (repo_head(repo, &head, why) != 0)
		return false;
	if (!object_id_is_none(&head))
		return tip_commit_is_whole(repo, &head, &commits, why);
	/* git takes the log of a branch away with the branch. */
	tip_from_log(repo, repo_branch(repo), &last);
	if (object_id_is_none(&last))
		return true;
	err_set(why, ERR_NO_HISTORY, "%s in %s is gone, and its log is there", repo_branch(repo),
		repo->folder.ptr);
	return false;
}

/* ---- looking for the last one that is whole */

struct tip_search {
	struct repo *repo;
	struct object_id best;
	int64_t time_s; /* of the best one */
	size_t commits; /* ... and how many it stands upon, itself included */
};

/* True if the object is a whole commit of ours, later than the best one so far. */
static int tip_look_at(const git_oid *oid, void *payload)
{
	struct tip_search *search = payload;
	const struct lib *lib = &search->repo->lib;
	struct object_id id = lib_id(oid);
	git_commit *commit;
	struct err ignored;
	size_t commits;

	if (lib->commit_lookup(&commit, search->repo->handle, oid) != 0)
		return 0;
	const git_signature *by = lib->commit_committer(commit);
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
		return err_set_errno(err, ERR_NO_HISTORY, errno, "cannot move aside %s", path);
	return 0;
}

/* Where the branch is now, by a file that may hold anything: that is put aside then. */
int tip_read(struct repo *repo, const char *branch, struct object_id *now, struct err *err)
{
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

/* The text of packed-refs without this branch; what begins with ^ belongs to the line before it. */
static void tip_leave_out(struct slice text, const char *branch, struct str *out)
{
	bool left_out = false;
	struct slice line;

	while (slice_line(&text, &line)) {
		if (line.len > 0 && line.ptr[0] != '^')
			left_out = line.len > OBJECT_ID_DIGITS + 1 &&
				   slice_is(slice_make(line.ptr + OBJECT_ID_DIGITS + 1,
						       line.len - (OBJECT_ID_DIGITS + 1)),
					    branch);
		if (!left_out) {
			str_add(out, line);
			str_addc(out, '\n');
		}
	}
}

/* git gc names branches in one file: there too this one is to be gone. */
static int tip_unpack(struct repo *repo, const char *branch, struct err *err)
{
	STR_AUTO path = STR_INIT;
	STR_AUTO lock = STR_INIT;
	STR_AUTO spare = STR_INIT;
	STR_AUTO temp = STR_INIT;
	STR_AUTO text = STR_INIT;
	STR_AUTO kept = STR_INIT;
	struct file_id id;

	repo_common_path(repo, "", "packed-refs", &path);
	repo_path(repo, LOCK_SPARE, &spare);
	repo_path(repo, "kota-refs", &temp);
	str_printf(&lock, "%s.lock", path.ptr);
	if (lock_take(repo->sys, lock.ptr, spare.ptr, err) != 0)
		return -1;
	int result = file_read_own(repo->sys, AT_FDCWD, path.ptr, TIP_LOG_MAX, &text, &id, err);
	if (result == 0)
		tip_leave_out(str_slice(&text), branch, &kept);
	if (result == 0 && kept.len != text.len) {
		result = git_file_put(repo->sys, temp.ptr, 0666, str_slice(&kept), true, err);
		if (result == 0 &&
		    repo->sys->renameat2(AT_FDCWD, temp.ptr, AT_FDCWD, path.ptr, 0) != 0)
			result = tip_io_error("replace", path.ptr, err);
	}
	lock_drop(repo->sys, lock.ptr, spare.ptr);
	return result;
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

/* True if a line of a reflog, which begins with two ids, names an object that is missing. */
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
	struct slice line;
	struct err err;

	repo_path(repo, name, &path);
	repo_path(repo, "kota-log", &temp);
	if (!S_ISREG(st->st_mode) ||
	    file_read_own(repo->sys, AT_FDCWD, path.ptr, TIP_LOG_MAX, &text, &id, &err) != 0)
		return 0;
	struct slice rest = str_slice(&text);
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

static int tip_mend_locked(struct repo *repo, struct err *err)
{
	struct object_id best = tip_find(repo);
	STR_AUTO path = STR_INIT;
	struct branch_move move = {.to = best, .time_ms = repo->sys->now_ms(), .unlogged = true};
	int result;

	move.name = repo_branch(repo);
	if (tip_read(repo, move.name, &move.from, err) != 0)
		return -1;
	if (!object_id_is_none(&best)) {
		result = branch_move(repo, &move, err);
	} else {
		repo_common_path(repo, "", repo_branch(repo), &path);
		result = tip_put_aside(repo, path.ptr, "branch.unreadable", err);
		if (result == 0)
			result = tip_unpack(repo, move.name, err);
	}
	if (result == 0)
		result = tip_mend_index(repo, err);
	if (result == 0)
		result = git_files_walk(repo, "logs", tip_mend_log, repo, err);
	return result;
}

int tip_mend(struct repo *repo, bool *mended, struct err *err)
{
	struct err why;

	*mended = false;
	if (tip_is_whole(repo, &why))
		return 0;
	if (repo_check(repo, err) != 0 || repo_lock_index(repo, err) != 0)
		return -1;
	int result = tip_mend_locked(repo, err);
	repo_unlock_index(repo);
	*mended = result == 0;
	return result;
}

/* ---- HEAD */

static bool head_is_sound(struct slice text)
{
	struct object_id id;

	return slice_starts(text, "ref: refs/") ||
	       (text.len >= OBJECT_ID_DIGITS &&
		object_id_parse(slice_make(text.ptr, OBJECT_ID_DIGITS), &id));
}

bool head_is_lost(const struct sys *sys, const char *dir, struct err *why)
{
	STR_AUTO mark = STR_INIT;
	STR_AUTO path = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct file_id id;
	struct stat st;

	path_join(&mark, dir, ".git/" NURSERY_MARK);
	path_join(&path, dir, ".git/HEAD");
	if (sys->fstatat(AT_FDCWD, mark.ptr, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
	    file_read_own(sys, AT_FDCWD, path.ptr, 4096, &text, &id, why) != 0 ||
	    (id.present && head_is_sound(str_slice(&text))))
		return false;
	err_set(why, ERR_NO_HISTORY, "%s %s", path.ptr,
		id.present ? "names no branch" : "is gone, which names the branch");
	return true;
}

/* The branch whose log was written last, after refs/heads/. */
static void head_find_branch(const struct sys *sys, const char *dir, struct str *out)
{
	STR_AUTO folder = STR_INIT;
	struct timespec last = {0};
	const struct dirent *entry;
	struct stat st;

	str_adds(out, "main");
	path_join(&folder, dir, ".git/logs/refs/heads");
	int fd = file_open(sys, AT_FDCWD, folder.ptr,
			   O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
	DIR *logs = fd < 0 ? NULL : sys->fdopendir(fd);
	if (!logs) {
		file_close(sys, &fd);
		return;
	}
	while ((entry = sys->readdir(logs)) != NULL) {
		if (sys->fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
		    !S_ISREG(st.st_mode) || st.st_mtim.tv_sec < last.tv_sec ||
		    (st.st_mtim.tv_sec == last.tv_sec && st.st_mtim.tv_nsec < last.tv_nsec))
			continue;
		last = st.st_mtim;
		str_clear(out);
		str_adds(out, entry->d_name);
	}
	sys->closedir(logs);
}

int head_mend(const struct sys *sys, const char *dir, struct err *err)
{
	STR_AUTO path = STR_INIT;
	STR_AUTO aside = STR_INIT;
	STR_AUTO text = STR_INIT;
	STR_AUTO branch = STR_INIT;

	if (!head_is_lost(sys, dir, err))
		return 0;
	path_join(&path, dir, ".git/HEAD");
	path_join(&aside, dir, ".git/HEAD.unreadable");
	if (sys->renameat2(AT_FDCWD, path.ptr, AT_FDCWD, aside.ptr, 0) != 0 && errno != ENOENT)
		return tip_io_error("move aside", path.ptr, err);
	head_find_branch(sys, dir, &branch);
	str_printf(&text, "ref: refs/heads/%s\n", branch.ptr);
	return git_file_put(sys, path.ptr, 0666, str_slice(&text), true, err);
}
