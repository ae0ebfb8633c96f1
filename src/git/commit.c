#include "git/commit.h"

#include "base/file.h"
#include "base/mem.h"
#include "git/repo_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#define INDEX_MAX ((size_t)1 << 30)
#define FILE_MODE 0100644

/* What the index is to say of a path when the recording counts. */
struct change {
	char *path;
	struct object_id *blobs; /* what the branch had when the recording began, and all since */
	size_t count;
	size_t cap;
};

struct recording {
	struct repo *repo;
	struct object_id begun; /* the branch when the recording began */
	struct object_id head;  /* the last commit made */
	int64_t time_ms;        /* of it */
	int offset_min;
	bool doubts_index;
	struct change *changes;
	size_t count;
	size_t cap;
};

static void git_path(const struct repo *repo, const char *name, struct str *out)
{
	str_clear(out);
	str_printf(out, "%s%s", repo->folder.ptr, name);
}

static int io_error(const char *what, const char *path, struct err *err)
{
	return err_set_errno(err, ERR_NO_HISTORY, errno, "cannot %s %s", what, path);
}

/* ---- locks */

#define LOCK_TEXT "kota-memory"

static bool is_our_link(const struct sys *sys, const char *path)
{
	char text[sizeof LOCK_TEXT + 1];
	ssize_t len = sys->readlinkat(AT_FDCWD, path, text, sizeof text);

	return len == (ssize_t)sizeof LOCK_TEXT - 1 && memcmp(text, LOCK_TEXT, (size_t)len) == 0;
}

static bool is_our_file(const struct sys *sys, const char *path)
{
	STR_AUTO text = STR_INIT;
	struct file_id id;
	struct err ignored;

	return file_read_own(sys, AT_FDCWD, path, 4096, &text, &id, &ignored) == 0 && id.present &&
	       slice_is(str_slice(&text), LOCK_TEXT "\n");
}

static int make_lock(const struct sys *sys, const char *path)
{
	struct err ignored;

	if (sys->symlinkat(LOCK_TEXT, AT_FDCWD, path) == 0)
		return 0;
	if (errno == EPERM || errno == ENOSYS || errno == EOPNOTSUPP)
		return file_write_new(sys, AT_FDCWD, path, slice_of(LOCK_TEXT "\n"), 0600, 0,
				      &ignored);
	return -1;
}

int lock_take(const struct sys *sys, const char *path, struct err *err)
{
	int result = make_lock(sys, path);

	if (result != 0 && errno == EEXIST) {
		if (!is_our_link(sys, path) && !is_our_file(sys, path))
			return err_set(err, ERR_BUSY,
				       "another program is at work in the history (%s): what "
				       "changes is recorded when it is done",
				       path);
		sys->unlinkat(AT_FDCWD, path, 0);
		result = make_lock(sys, path);
	}
	if (result != 0)
		return err_set_errno(err, errno == EEXIST ? ERR_BUSY : ERR_NO_HISTORY, errno,
				     "cannot make %s", path);
	return 0;
}

static void lock_drop(const struct sys *sys, const char *path)
{
	sys->unlinkat(AT_FDCWD, path, 0);
}

int repo_lock_index(const struct repo *repo, struct err *err)
{
	STR_AUTO path = STR_INIT;

	git_path(repo, "index.lock", &path);
	return lock_take(repo->sys, path.ptr, err);
}

void repo_unlock_index(const struct repo *repo)
{
	STR_AUTO path = STR_INIT;

	git_path(repo, "index.lock", &path);
	lock_drop(repo->sys, path.ptr);
}

/* ---- recording */

int recording_begin(struct recording **out, struct repo *repo, struct err *err)
{
	struct recording *recording;
	struct object_id head;

	if (repo_check(repo, err) != 0 || repo_lock_index(repo, err) != 0)
		return -1;
	if (repo_head(repo, &head, err) != 0) {
		repo_unlock_index(repo);
		return -1;
	}
	recording = mem_zalloc(1, sizeof *recording);
	recording->repo = repo;
	recording->begun = head;
	recording->head = head;
	*out = recording;
	return 0;
}

const struct object_id *recording_head(const struct recording *recording)
{
	return &recording->head;
}

void recording_doubt_index(struct recording *recording)
{
	recording->doubts_index = true;
}

void recording_abandon(struct recording *recording)
{
	if (!recording)
		return;
	repo_unlock_index(recording->repo);
	for (size_t i = 0; i < recording->count; i++) {
		free(recording->changes[i].path);
		free(recording->changes[i].blobs);
	}
	free(recording->changes);
	free(recording);
}

static void add_blob(struct change *change, const struct object_id *blob)
{
	change->blobs = mem_grow(change->blobs, &change->cap, change->count + 1,
				 sizeof *change->blobs);
	change->blobs[change->count++] = *blob;
}

static void note_change(struct recording *recording, const struct recorded_file *file,
			const struct object_id *before)
{
	size_t i = 0;

	while (i < recording->count && strcmp(recording->changes[i].path, file->path) != 0)
		i++;
	if (i == recording->count) {
		recording->changes = mem_grow(recording->changes, &recording->cap,
					      recording->count + 1, sizeof *recording->changes);
		recording->changes[recording->count++] =
			(struct change){.path = mem_strdup(file->path)};
		add_blob(&recording->changes[i], before);
	}
	add_blob(&recording->changes[i], &file->blob);
}

/* Fills updates with what differs from the last commit, and notes it for the index. */
static int choose_updates(struct recording *recording, const struct commit_spec *spec,
			  git_tree_update *updates, size_t *count, struct err *err)
{
	*count = 0;
	for (size_t i = 0; i < spec->count; i++) {
		const struct recorded_file *file = &spec->files[i];
		struct object_id before;

		if (repo_file_at(recording->repo, &recording->head, file->path, &before, err) != 0)
			return -1;
		if (object_id_equal(&before, &file->blob))
			continue;
		updates[(*count)++] = (git_tree_update){
			.action = object_id_is_none(&file->blob) ? GIT_TREE_UPDATE_REMOVE
								 : GIT_TREE_UPDATE_UPSERT,
			.id = lib_oid(&file->blob),
			.filemode = GIT_FILEMODE_BLOB,
			.path = file->path,
		};
		note_change(recording, file, &before);
	}
	return 0;
}

static int make_tree(struct recording *recording, const git_tree_update *updates, size_t count,
		     git_oid *out, struct err *err)
{
	struct repo *repo = recording->repo;
	const struct lib *lib = &repo->lib;
	git_treebuilder *empty = NULL;
	git_tree *base;
	int result = 0;

	if (repo_tree(repo, &recording->head, &base, err) != 0)
		return -1;
	/* The first commit begins with an empty tree. */
	if (!base && (lib->treebuilder_new(&empty, repo->handle, NULL) != 0 ||
		      lib->treebuilder_write(out, empty) != 0 ||
		      lib->tree_lookup(&base, repo->handle, out) != 0))
		result = -1;
	lib->treebuilder_free(empty);
	if (result == 0)
		result = lib->tree_create_updated(out, repo->handle, base, count, updates);
	lib->tree_free(base);
	return result == 0 ? 0 : lib_error(lib, err, "make a tree");
}

static int make_commit(struct recording *recording, const struct commit_spec *spec,
		       const git_oid *tree_oid, git_oid *out, struct err *err)
{
	struct repo *repo = recording->repo;
	const struct lib *lib = &repo->lib;
	git_signature *author = NULL;
	git_signature *committer = NULL;
	git_commit *parent = NULL;
	git_tree *tree = NULL;
	git_oid head = lib_oid(&recording->head);
	bool first = object_id_is_none(&recording->head);
	git_time_t seconds = spec->time_ms / 1000;
	const char *name = spec->author ? spec->author : RECORD_AUTHOR;
	const char *email = spec->author ? spec->email : OUR_EMAIL;
	int result = 0;

	if (lib->signature_new(&author, name, email, seconds, spec->offset_min) != 0 ||
	    lib->signature_new(&committer, RECORD_AUTHOR, OUR_EMAIL, seconds, spec->offset_min) !=
		    0)
		result = lib_error(lib, err, "sign a change as %s", name);
	else if ((lib->tree_lookup(&tree, repo->handle, tree_oid) != 0 ||
		  (!first && lib->commit_lookup(&parent, repo->handle, &head) != 0) ||
		  lib->commit_create(out, repo->handle, NULL, author, committer, NULL,
				     spec->message, tree, first ? 0 : 1,
				     (const git_commit **)&parent) != 0))
		result = lib_error(lib, err, "make a commit in %s", repo->folder.ptr);
	lib->commit_free(parent);
	lib->tree_free(tree);
	lib->signature_free(author);
	lib->signature_free(committer);
	return result;
}

int recording_add(struct recording *recording, const struct commit_spec *spec, struct object_id *id,
		  struct err *err)
{
	git_tree_update *updates = mem_zalloc(spec->count, sizeof *updates);
	size_t count = 0;
	git_oid oid;
	int result = choose_updates(recording, spec, updates, &count, err);

	if (result == 0 && (count > 0 || spec->even_empty)) {
		result = make_tree(recording, updates, count, &oid, err);
		if (result == 0)
			result = make_commit(recording, spec, &oid, &oid, err);
		if (result == 0) {
			recording->head = lib_id(&oid);
			recording->time_ms = spec->time_ms;
			recording->offset_min = spec->offset_min;
		}
	}
	free(updates);
	if (result == 0)
		*id = recording->head;
	return result;
}

/* The index as it is, in a file of ours: what is staged stays staged. */
static int copy_index(const struct repo *repo, const char *to, struct err *err)
{
	STR_AUTO from = STR_INIT;
	STR_AUTO lock = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct file_id id;

	git_path(repo, "index", &from);
	if (file_read(repo->sys, AT_FDCWD, from.ptr, INDEX_MAX, &text, &id, err) != 0)
		return -1;
	/* What a killed process left; the library locks the file that it writes. */
	str_printf(&lock, "%s.lock", to);
	repo->sys->unlinkat(AT_FDCWD, lock.ptr, 0);
	if (repo->sys->unlinkat(AT_FDCWD, to, 0) != 0 && errno != ENOENT)
		return io_error("remove", to, err);
	return id.present ? git_file_put(repo->sys, to, 0600, str_slice(&text), false, err) : 0;
}

/*
 * Has somebody staged this path? Then what is staged is theirs to commit. A recording that was
 * killed before it moved the branch may have left any of the texts that are recorded now.
 */
static bool is_staged(const struct change *change, const git_index_entry *entry)
{
	struct object_id staged;

	if (!entry)
		return false;
	staged = lib_id(&entry->id);
	for (size_t i = 0; i < change->count; i++) {
		if (object_id_equal(&staged, &change->blobs[i]))
			return false;
	}
	return true;
}

static int update_entry(const struct recording *recording, git_index *index,
			const struct change *change)
{
	const struct lib *lib = &recording->repo->lib;
	const git_index_entry *now = lib->index_get_bypath(index, change->path, 0);
	/* Without the file's times, so that git looks into it and sees a hand edit. */
	const struct object_id *last = &change->blobs[change->count - 1];
	git_index_entry entry = {
		.mode = FILE_MODE, .id = lib_oid(last), .path = change->path};

	if (!recording->doubts_index && is_staged(change, now))
		return 0;
	if (object_id_is_none(last))
		return now ? lib->index_remove(index, change->path, 0) : 0;
	return lib->index_add(index, &entry);
}

/* Begins an index that says what the branch has: then nothing is staged. */
static int fill_index(const struct recording *recording, git_index *index, struct err *err)
{
	struct repo *repo = recording->repo;
	git_tree *tree;
	int result = 0;

	if (repo_tree(repo, &recording->begun, &tree, err) != 0)
		return -1;
	if (tree && repo->lib.index_read_tree(index, tree) != 0)
		result = lib_error(&repo->lib, err, "begin an index in %s", repo->folder.ptr);
	repo->lib.tree_free(tree);
	return result;
}

/*
 * The index of that name, or a new one where there is none. git cannot do anything with one that
 * is damaged either: in a repository of ours it is put aside as index.unreadable.
 */
static int open_index(const struct recording *recording, const char *path, git_index **out,
		      struct err *err)
{
	const struct repo *repo = recording->repo;
	const struct lib *lib = &repo->lib;
	STR_AUTO aside = STR_INIT;
	struct stat st;

	if (repo->sys->fstatat(AT_FDCWD, path, &st, 0) == 0) {
		if (lib->index_open(out, path) == 0)
			return 0;
		if (!repo_is_ours(repo))
			return lib_error(lib, err, "read the index in %s", repo->folder.ptr);
		git_path(repo, "index.unreadable", &aside);
		if (repo->sys->renameat2(AT_FDCWD, path, AT_FDCWD, aside.ptr, 0) != 0)
			return io_error("put aside", path, err);
	}
	if (lib->index_open(out, path) != 0)
		return lib_error(lib, err, "begin an index in %s", repo->folder.ptr);
	if (fill_index(recording, *out, err) == 0)
		return 0;
	lib->index_free(*out);
	*out = NULL;
	return -1;
}

static int update_index(struct recording *recording, const char *path, struct err *err)
{
	const struct lib *lib = &recording->repo->lib;
	git_index *index;
	int result = 0;

	if (open_index(recording, path, &index, err) != 0)
		return -1;
	for (size_t i = 0; result == 0 && i < recording->count; i++)
		result = update_entry(recording, index, &recording->changes[i]);
	if (result == 0)
		result = lib->index_write(index);
	lib->index_free(index);
	return result == 0 ? 0 : lib_error(lib, err, "write %s", path);
}

static int replace_index(struct recording *recording, struct err *err)
{
	const struct repo *repo = recording->repo;
	STR_AUTO temp = STR_INIT;
	STR_AUTO path = STR_INIT;

	git_path(repo, "kota-index", &temp);
	git_path(repo, "index", &path);
	if (copy_index(repo, temp.ptr, err) != 0 || update_index(recording, temp.ptr, err) != 0 ||
	    git_file_sync(repo->sys, temp.ptr, err) != 0)
		return -1;
	if (repo->sys->renameat2(AT_FDCWD, temp.ptr, AT_FDCWD, path.ptr, 0) != 0)
		return io_error("replace", path.ptr, err);
	return 0;
}

int recording_finish(struct recording *recording, struct err *err)
{
	int result = 0;

	if (!object_id_equal(&recording->begun, &recording->head)) {
		struct branch_move move = {
			.name = repo_branch(recording->repo),
			.from = recording->begun,
			.to = recording->head,
			.time_ms = recording->time_ms,
			.offset_min = recording->offset_min,
		};

		result = replace_index(recording, err);
		if (result == 0)
			result = branch_move(recording->repo, &move, err);
	}
	recording_abandon(recording);
	return result;
}

/* ---- moving a branch */

/* The new text of the branch, until it is renamed. */
#define TEMP_NAME "kota-branch"

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
	char text[OBJECT_ID_DIGITS + 2];
	STR_AUTO temp = STR_INIT;
	STR_AUTO folder = STR_INIT;

	object_id_text(&move->to, text);
	memcpy(text + OBJECT_ID_DIGITS, "\n", 2);
	str_printf(&temp, "%s" TEMP_NAME, repo->folder.ptr);
	str_add(&folder, slice_make(path, (size_t)(strrchr(path, '/') - path)));
	if (check_from(repo, move, err) != 0 ||
	    git_file_put(repo->sys, temp.ptr, 0666, slice_of(text), true, err) != 0)
		return -1;
	if (repo->sys->renameat2(AT_FDCWD, temp.ptr, AT_FDCWD, path, 0) != 0)
		return io_error("move", move->name, err);
	return git_file_sync(repo->sys, folder.ptr, err);
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
