#include "git/commit.h"

#include "base/file.h"
#include "base/mem.h"
#include "git/lock.h"
#include "git/pack.h"
#include "git/repo_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>

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
	struct str left;     /* what a recording that was cut off has put into the index */
	struct id_list made; /* objects that the branch is about to name */
	struct change *changes;
	size_t count;
	size_t cap;
};

static int commit_io_error(const char *what, const char *path, struct err *err)
{
	return err_set_errno(err, ERR_NO_HISTORY, errno, "cannot %s %s", what, path);
}

/* ---- what the index is about to get */

/*
 * A recording that is killed between the new index and the branch leaves texts in the index that
 * look as if somebody had staged them. So they are noted before: "BLOB PATH", one a line.
 */
#define STAGED_NAME "kota-staged"

static struct str commit_staged_read(const struct repo *repo)
{
	STR_AUTO path = STR_INIT;
	struct str out = STR_INIT;
	struct file_id id;
	struct err ignored;

	repo_path(repo, STAGED_NAME, &path);
	(void)!file_read_own(repo->sys, AT_FDCWD, path.ptr, INDEX_MAX, &out, &id, &ignored);
	return out;
}

static void commit_staged_add(struct str *out, const struct object_id *blob, const char *path)
{
	char text[OBJECT_ID_DIGITS + 1];

	object_id_text(blob, text);
	str_printf(out, "%s %s\n", text, path);
}

static bool commit_staged_has(struct slice left, const struct object_id *blob, const char *path)
{
	STR_AUTO wanted = STR_INIT;
	struct slice line;

	commit_staged_add(&wanted, blob, path);
	while (slice_line(&left, &line)) {
		if (line.len + 1 == wanted.len && memcmp(line.ptr, wanted.ptr, line.len) == 0)
			return true;
	}
	return false;
}

/* ---- recording */

int recording_begin(struct recording **out, struct repo *repo, struct err *err)
{
	struct recording *recording;
	struct object_id head;

	if (repo_check(repo, err) != 0 || repo_lock_index(repo, err) != 0)
		return -1;
	/* Objects may have been packed and pruned since. */
	if (repo_refresh(repo, err) != 0 || repo_head(repo, &head, err) != 0) {
		repo_unlock_index(repo);
		return -1;
	}
	recording = mem_zalloc(1, sizeof *recording);
	recording->left = commit_staged_read(repo);
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
	id_list_release(&recording->made);
	str_release(&recording->left);
	free(recording);
}

static void commit_add_blob(struct change *change, const struct object_id *blob)
{
	change->blobs = mem_grow(change->blobs, &change->cap, change->count + 1,
				 sizeof *change->blobs);
	change->blobs[change->count++] = *blob;
}

static void commit_note_change(struct recording *recording, const struct recorded_file *file,
			       const struct object_id *before)
{
	size_t i = 0;

	while (i < recording->count && strcmp(recording->changes[i].path, file->path) != 0)
		i++;
	if (i == recording->count) {
		recording->changes = mem_grow(recording->changes, &recording->cap,
					      recording->count + 1, sizeof *recording->changes);
		recording->changes[recording->count++] = (struct change){
			.path = mem_strdup(file->path)};
		commit_add_blob(&recording->changes[i], before);
	}
	commit_add_blob(&recording->changes[i], &file->blob);
}

/* Fills updates with what differs from the last commit, and notes it for the index. */
static int commit_choose_updates(struct recording *recording, const struct commit_spec *spec,
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
		commit_note_change(recording, file, &before);
	}
	return 0;
}

static int commit_make_tree(struct recording *recording, const git_tree_update *updates,
			    size_t count, git_oid *out, struct err *err)
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

static void commit_note_made(struct recording *recording, const git_oid *oid)
{
	struct object_id id = lib_id(oid);

	id_list_add(&recording->made, &id);
}

/* The blobs that a commit brings, and the trees on the way to them. */
static void commit_note_files(struct recording *recording, const git_oid *tree_oid,
			      const git_tree_update *updates, size_t count)
{
	const struct lib *lib = &recording->repo->lib;
	git_tree *tree;

	commit_note_made(recording, tree_oid);
	if (lib->tree_lookup(&tree, recording->repo->handle, tree_oid) != 0)
		return;
	for (size_t i = 0; i < count; i++) {
		const char *slash = strrchr(updates[i].path, '/');
		git_tree_entry *entry = NULL;
		STR_AUTO folder = STR_INIT;

		if (updates[i].action == GIT_TREE_UPDATE_UPSERT)
			commit_note_made(recording, &updates[i].id);
		if (slash)
			str_add(&folder,
				slice_make(updates[i].path, (size_t)(slash - updates[i].path)));
		if (slash && lib->tree_entry_bypath(&entry, tree, folder.ptr) == 0)
			commit_note_made(recording, lib->tree_entry_id(entry));
		lib->tree_entry_free(entry);
	}
	lib->tree_free(tree);
}

static int commit_make_commit(struct recording *recording, const struct commit_spec *spec,
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
	int result = commit_choose_updates(recording, spec, updates, &count, err);

	if (result == 0 && (count > 0 || spec->even_empty)) {
		result = commit_make_tree(recording, updates, count, &oid, err);
		if (result == 0) {
			commit_note_files(recording, &oid, updates, count);
			result = commit_make_commit(recording, spec, &oid, &oid, err);
		}
		if (result == 0) {
			commit_note_made(recording, &oid);
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
static int commit_copy_index(const struct repo *repo, const char *to, struct err *err)
{
	STR_AUTO from = STR_INIT;
	STR_AUTO lock = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct file_id id;

	repo_path(repo, "index", &from);
	if (file_read(repo->sys, AT_FDCWD, from.ptr, INDEX_MAX, &text, &id, err) != 0)
		return -1;
	/* What a killed process left; the library locks the file that it writes. */
	str_printf(&lock, "%s.lock", to);
	repo->sys->unlinkat(AT_FDCWD, lock.ptr, 0);
	if (repo->sys->unlinkat(AT_FDCWD, to, 0) != 0 && errno != ENOENT)
		return commit_io_error("remove", to, err);
	return id.present ? git_file_put(repo->sys, to, 0600, str_slice(&text), false, err) : 0;
}

/*
 * Has somebody staged this path? Then what is staged is theirs to commit. A recording that was
 * killed before it moved the branch may have left any of the texts that are recorded now.
 */
static bool commit_is_staged(const struct recording *recording, const struct change *change,
			     const git_index_entry *entry)
{
	struct object_id staged;

	if (!entry)
		return false;
	staged = lib_id(&entry->id);
	for (size_t i = 0; i < change->count; i++) {
		if (object_id_equal(&staged, &change->blobs[i]))
			return false;
	}
	return !commit_staged_has(str_slice(&recording->left), &staged, change->path);
}

static int commit_update_entry(const struct recording *recording, git_index *index,
			       const struct change *change)
{
	const struct lib *lib = &recording->repo->lib;
	const git_index_entry *now = lib->index_get_bypath(index, change->path, 0);
	/* Without the file's times, so that git looks into it and sees a hand edit. */
	const struct object_id *last = &change->blobs[change->count - 1];
	git_index_entry entry = {.mode = FILE_MODE, .id = lib_oid(last), .path = change->path};

	if (!recording->doubts_index && commit_is_staged(recording, change, now))
		return 0;
	if (object_id_is_none(last))
		return now ? lib->index_remove(index, change->path, 0) : 0;
	return lib->index_add(index, &entry);
}

/* Begins an index that says what the branch has: then nothing is staged. */
static int commit_fill_index(const struct recording *recording, git_index *index, struct err *err)
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
static int commit_open_index(const struct recording *recording, const char *path, git_index **out,
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
		repo_path(repo, "index.unreadable", &aside);
		if (repo->sys->renameat2(AT_FDCWD, path, AT_FDCWD, aside.ptr, 0) != 0)
			return commit_io_error("put aside", path, err);
	}
	if (lib->index_open(out, path) != 0)
		return lib_error(lib, err, "begin an index in %s", repo->folder.ptr);
	if (commit_fill_index(recording, *out, err) == 0)
		return 0;
	lib->index_free(*out);
	*out = NULL;
	return -1;
}

static int commit_update_index(struct recording *recording, const char *path, struct err *err)
{
	const struct lib *lib = &recording->repo->lib;
	git_index *index;
	int result = 0;

	if (commit_open_index(recording, path, &index, err) != 0)
		return -1;
	for (size_t i = 0; result == 0 && i < recording->count; i++)
		result = commit_update_entry(recording, index, &recording->changes[i]);
	if (result == 0)
		result = lib->index_write(index);
	lib->index_free(index);
	return result == 0 ? 0 : lib_error(lib, err, "write %s", path);
}

/* What was left in the index of files that this recording does not change goes back. */
static int commit_take_back_left(struct recording *recording, struct err *err)
{
	struct slice left = str_slice(&recording->left);
	struct slice line;

	while (slice_line(&left, &line)) {
		struct recorded_file file;
		STR_AUTO path = STR_INIT;

		if (line.len <= OBJECT_ID_DIGITS + 1)
			continue;
		str_add(&path, slice_make(line.ptr + OBJECT_ID_DIGITS + 1,
					  line.len - OBJECT_ID_DIGITS - 1));
		file.path = path.ptr;
		if (repo_file_at(recording->repo, &recording->head, file.path, &file.blob, err) !=
		    0)
			return -1;
		commit_note_change(recording, &file, &file.blob);
	}
	return 0;
}

/* Notes what the index is about to have; what was left in it stays noted until it is right. */
static int commit_note_staged(const struct recording *recording, struct err *err)
{
	STR_AUTO path = STR_INIT;
	STR_AUTO text = STR_INIT;

	str_add(&text, str_slice(&recording->left));
	for (size_t i = 0; i < recording->count; i++) {
		const struct change *change = &recording->changes[i];

		commit_staged_add(&text, &change->blobs[change->count - 1], change->path);
	}
	repo_path(recording->repo, STAGED_NAME, &path);
	return git_file_put(recording->repo->sys, path.ptr, 0600, str_slice(&text), false, err);
}

static int commit_replace_index(struct recording *recording, struct err *err)
{
	const struct repo *repo = recording->repo;
	STR_AUTO temp = STR_INIT;
	STR_AUTO path = STR_INIT;

	repo_path(repo, "kota-index", &temp);
	repo_path(repo, "index", &path);
	if (commit_take_back_left(recording, err) != 0 ||
	    commit_copy_index(repo, temp.ptr, err) != 0 ||
	    commit_update_index(recording, temp.ptr, err) != 0 ||
	    git_file_sync(repo->sys, temp.ptr, err) != 0 ||
	    commit_note_staged(recording, err) != 0) {
		repo->sys->unlinkat(AT_FDCWD, temp.ptr, 0);
		return -1;
	}
	if (repo->sys->renameat2(AT_FDCWD, temp.ptr, AT_FDCWD, path.ptr, 0) != 0)
		return commit_io_error("replace", path.ptr, err);
	return 0;
}

/* Are they still there? Somebody may prune at any moment, and not every prune can be held off. */
static int commit_check_made(const struct recording *recording, struct err *err)
{
	for (size_t i = 0; i < recording->made.count; i++) {
		if (!repo_has(recording->repo, &recording->made.items[i]))
			return err_set(err, ERR_BUSY,
				       "another program removes objects from %s: what changes is "
				       "recorded when it is done",
				       recording->repo->folder.ptr);
	}
	return 0;
}

int recording_finish(struct recording *recording, struct err *err)
{
	STR_AUTO staged = STR_INIT;
	int result = 0;

	if (!object_id_equal(&recording->begun, &recording->head)) {
		struct branch_move move = {
			.name = repo_branch(recording->repo),
			.from = recording->begun,
			.to = recording->head,
			.time_ms = recording->time_ms,
			.offset_min = recording->offset_min,
		};

		result = commit_check_made(recording, err);
		if (result == 0)
			result = commit_replace_index(recording, err);
		if (result == 0)
			result = branch_move(recording->repo, &move, err);
		repo_path(recording->repo, STAGED_NAME, &staged);
		if (result == 0)
			recording->repo->sys->unlinkat(AT_FDCWD, staged.ptr, 0);
	}
	recording_abandon(recording);
	return result;
}

/* ---- moving a branch */

/* The new text of the branch, until it is renamed. */
#define TEMP_NAME "kota-branch"

/* A branch named a/b may have no folder yet, or none any more since all of it is packed. */
static int commit_make_folders(const struct repo *repo, const char *path, struct err *err)
{
	STR_AUTO folder = STR_INIT;

	str_adds(&folder, path);
	for (char *at = folder.ptr + 1; (at = strchr(at, '/')) != NULL; at++) {
		*at = '\0';
		if (repo->sys->mkdirat(AT_FDCWD, folder.ptr, 0777) != 0 && errno != EEXIST)
			return commit_io_error("make", folder.ptr, err);
		*at = '/';
	}
	return 0;
}

/* Is the branch where the recording began? Its lock is held, so that it stays there. */
static int commit_check_from(struct repo *repo, const struct branch_move *move, struct err *err)
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

static int commit_replace(struct repo *repo, const struct branch_move *move, const char *path,
			  struct err *err)
{
	char text[OBJECT_ID_DIGITS + 2];
	STR_AUTO temp = STR_INIT;
	STR_AUTO folder = STR_INIT;

	object_id_text(&move->to, text);
	memcpy(text + OBJECT_ID_DIGITS, "\n", 2);
	str_printf(&temp, "%s" TEMP_NAME, repo->folder.ptr);
	str_add(&folder, slice_make(path, (size_t)(strrchr(path, '/') - path)));
	if (commit_check_from(repo, move, err) != 0 ||
	    git_file_put(repo->sys, temp.ptr, 0666, slice_of(text), true, err) != 0)
		return -1;
	if (repo->sys->renameat2(AT_FDCWD, temp.ptr, AT_FDCWD, path, 0) != 0)
		return commit_io_error("move", move->name, err);
	return git_file_sync(repo->sys, folder.ptr, err);
}

/* Does the person want a log of where branches were? */
static bool commit_wants_log(struct repo *repo)
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

/* A log that a copy of the store shares by a hard link gets a file of its own: a copy has not been
 * where this branch goes. */
static void commit_unshare_log(const struct repo *repo, const char *path)
{
	STR_AUTO temp = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct err ignored;
	struct file_id id;
	struct stat st;

	if (repo->sys->fstatat(AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !S_ISREG(st.st_mode) || st.st_nlink < 2)
		return;
	repo_path(repo, "kota-log", &temp);
	if (file_read_own(repo->sys, AT_FDCWD, path, INDEX_MAX, &text, &id, &ignored) == 0 &&
	    git_file_put(repo->sys, temp.ptr, st.st_mode & 0777, str_slice(&text), false,
			 &ignored) == 0)
		(void)!repo->sys->renameat2(AT_FDCWD, temp.ptr, AT_FDCWD, path, 0);
}

/* For who looks for what a branch was; without it nothing is missing but that. */
static void commit_append_log(struct repo *repo, const char *path, struct slice line)
{
	int flags = O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	struct err ignored;
	int fd;

	commit_unshare_log(repo, path);
	fd = file_open(repo->sys, AT_FDCWD, path, flags, 0);
	if (fd < 0 && errno == ENOENT && commit_wants_log(repo) &&
	    commit_make_folders(repo, path, &ignored) == 0)
		fd = file_open(repo->sys, AT_FDCWD, path, flags | O_CREAT, 0666);
	if (fd >= 0)
		file_write_all(repo->sys, fd, line, &ignored);
	file_close(repo->sys, &fd);
}

static void commit_log_move(struct repo *repo, const struct branch_move *move)
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
	commit_append_log(repo, path.ptr, str_slice(&line));
	repo_path(repo, "logs/HEAD", &path);
	commit_append_log(repo, path.ptr, str_slice(&line));
}

int branch_move(struct repo *repo, const struct branch_move *move, struct err *err)
{
	STR_AUTO path = STR_INIT;
	STR_AUTO lock = STR_INIT;
	int result;

	repo_common_path(repo, "", move->name, &path);
	str_printf(&lock, "%s.lock", path.ptr);
	if (commit_make_folders(repo, path.ptr, err) != 0 ||
	    lock_take(repo->sys, lock.ptr, err) != 0)
		return -1;
	result = commit_replace(repo, move, path.ptr, err);
	if (result == 0 && !move->unlogged)
		commit_log_move(repo, move);
	lock_drop(repo->sys, lock.ptr);
	return result;
}
