#include "git/gc.h"

#include "base/file.h"
#include "base/mem.h"
#include "git/pack.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#define LOG_MAX ((size_t)1 << 26)

struct sweeping {
	struct repo *repo;
	const struct lib *lib;
	git_packbuilder *builder;
	git_revwalk *walk;
	struct id_list roots; /* what has to be in the pack */
	struct str folder;    /* of the reflogs that are being read */
	struct err err;       /* of what failed inside a walk */
	bool failed;
};

static int sweep_error(const struct sweeping *sweeping, struct err *err)
{
	return lib_error(sweeping->lib, err, "pack what is left in %s", sweeping->repo->folder.ptr);
}

/* An object that something refers to: a commit with all before it, or whatever it is. */
static int add_root(struct sweeping *sweeping, const struct object_id *id, struct err *err)
{
	git_oid oid = lib_oid(id);
	git_odb_object *object;
	git_object_t type;

	if (sweeping->lib->odb_read(&object, sweeping->repo->odb, &oid) != 0)
		return sweep_error(sweeping, err);
	type = sweeping->lib->odb_object_type(object);
	sweeping->lib->odb_object_free(object);
	id_list_add(&sweeping->roots, id);
	if (type == GIT_OBJECT_COMMIT
		    ? sweeping->lib->revwalk_push(sweeping->walk, &oid) != 0
		    : sweeping->lib->packbuilder_insert_recur(sweeping->builder, &oid, NULL) != 0)
		return sweep_error(sweeping, err);
	return 0;
}

/* A tag leads to what it names, too. */
static int add_reference(const char *name, void *payload)
{
	struct sweeping *sweeping = payload;
	struct object_id commit;
	struct object_id id;
	struct err ignored;
	git_oid oid;

	/* One that leads nowhere. */
	if (sweeping->lib->reference_name_to_id(&oid, sweeping->repo->handle, name) != 0)
		return 0;
	id = lib_id(&oid);
	sweeping->failed = add_root(sweeping, &id, &sweeping->err) != 0;
	if (!sweeping->failed &&
	    repo_resolve(sweeping->repo, slice_of(name), &commit, &ignored) == 0)
		sweeping->failed = add_root(sweeping, &commit, &sweeping->err) != 0;
	return sweeping->failed ? -1 : 0;
}

static int add_index(struct sweeping *sweeping, struct err *err)
{
	const struct lib *lib = sweeping->lib;
	STR_AUTO path = STR_INIT;
	git_index *index = NULL;
	int result = 0;

	str_printf(&path, "%sindex", sweeping->repo->folder.ptr);
	if (lib->index_open(&index, path.ptr) != 0)
		return sweep_error(sweeping, err);
	for (size_t i = 0; result == 0 && i < lib->index_entrycount(index); i++) {
		const git_index_entry *entry = lib->index_get_byindex(index, i);
		struct object_id id = lib_id(&entry->id);

		/* A submodule's commit is in its own repository. */
		if ((entry->mode & S_IFMT) != (GIT_FILEMODE_COMMIT & S_IFMT) &&
		    repo_has(sweeping->repo, &id))
			result = add_root(sweeping, &id, err);
	}
	lib->index_free(index);
	return result;
}

/* Both ids of a line of a reflog; what is not there any more is none of ours to miss. */
static void add_log_line(struct sweeping *sweeping, const char *line, size_t len)
{
	for (size_t at = 0; at <= OBJECT_ID_DIGITS + 1; at += OBJECT_ID_DIGITS + 1) {
		struct object_id id;

		if (len >= at + OBJECT_ID_DIGITS &&
		    object_id_parse(slice_make(line + at, OBJECT_ID_DIGITS), &id) &&
		    !object_id_is_none(&id) && repo_has(sweeping->repo, &id) && !sweeping->failed)
			sweeping->failed = add_root(sweeping, &id, &sweeping->err) != 0;
	}
}

static int add_log(struct sweeping *sweeping, const char *name)
{
	STR_AUTO path = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct file_id id;

	str_printf(&path, "%s%s", sweeping->repo->folder.ptr, name);
	if (file_read(sweeping->repo->sys, AT_FDCWD, path.ptr, LOG_MAX, &text, &id,
		      &sweeping->err) != 0) {
		sweeping->failed = true;
		return -1;
	}
	for (const char *line = text.ptr; *line;) {
		size_t len = strcspn(line, "\n");

		add_log_line(sweeping, line, len);
		line += len + (line[len] ? 1 : 0);
	}
	return sweeping->failed ? -1 : 0;
}

/* The stash, above all: but for its last one it is in its reflog alone. */
static int add_logs(void *context, const char *name)
{
	struct sweeping *sweeping = context;
	size_t len = sweeping->folder.len;
	STR_AUTO path = STR_INIT;
	struct stat st;
	int result = 0;

	if (name[0] == '.')
		return 0;
	str_printf(&sweeping->folder, "/%s", name);
	str_printf(&path, "%s%s", sweeping->repo->folder.ptr, sweeping->folder.ptr);
	if (sweeping->repo->sys->fstatat(AT_FDCWD, path.ptr, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		if (S_ISREG(st.st_mode))
			result = add_log(sweeping, sweeping->folder.ptr);
		else if (S_ISDIR(st.st_mode))
			result = git_folder_walk(sweeping->repo, sweeping->folder.ptr, add_logs,
						 sweeping, &sweeping->err);
	}
	str_truncate(&sweeping->folder, len);
	sweeping->failed = sweeping->failed || result != 0;
	return result;
}

static int add_roots(struct sweeping *sweeping, struct err *err)
{
	str_adds(&sweeping->folder, "logs");
	if (add_reference("HEAD", sweeping) != 0 ||
	    (sweeping->lib->reference_foreach_name(sweeping->repo->handle, add_reference,
						   sweeping) != 0 &&
	     !sweeping->failed) ||
	    sweeping->failed ||
	    git_folder_walk(sweeping->repo, "logs", add_logs, sweeping, &sweeping->err) != 0) {
		if (!sweeping->failed)
			return sweep_error(sweeping, err);
		*err = sweeping->err;
		return -1;
	}
	return add_index(sweeping, err);
}

static int write_pack(struct sweeping *sweeping, struct str *name, struct err *err)
{
	const struct lib *lib = sweeping->lib;
	struct id_list packed = {0};
	int result = 0;

	if (add_roots(sweeping, err) != 0)
		return -1;
	lib->packbuilder_set_threads(sweeping->builder, 1);
	pack_watch(sweeping->repo, sweeping->builder);
	if (lib->packbuilder_insert_walk(sweeping->builder, sweeping->walk) != 0 ||
	    (lib->packbuilder_object_count(sweeping->builder) > 0 &&
	     lib->packbuilder_write(sweeping->builder, NULL, 0, NULL, NULL) != 0))
		return sweep_error(sweeping, err);
	if (lib->packbuilder_object_count(sweeping->builder) == 0)
		return 0;
	str_printf(name, "pack-%s", lib->packbuilder_name(sweeping->builder));
	result = pack_ids(sweeping->repo, name->ptr, &packed, err);
	for (size_t i = 0; result == 0 && i < sweeping->roots.count; i++) {
		if (!id_list_has(&packed, &sweeping->roots.items[i]))
			result = err_set(err, ERR_NO_HISTORY, "%s%s/%s lacks objects",
					 sweeping->repo->folder.ptr, PACK_FOLDER, name->ptr);
	}
	id_list_release(&packed);
	return result;
}

static int pack_what_is_left(struct repo *repo, struct str *name, struct err *err)
{
	struct sweeping sweeping = {.repo = repo, .lib = &repo->lib, .folder = STR_INIT};
	int result = 0;

	if (repo->lib.packbuilder_new(&sweeping.builder, repo->handle) != 0 ||
	    repo->lib.revwalk_new(&sweeping.walk, repo->handle) != 0)
		result = sweep_error(&sweeping, err);
	if (result == 0)
		result = write_pack(&sweeping, name, err);
	repo->lib.revwalk_free(sweeping.walk);
	repo->lib.packbuilder_free(sweeping.builder);
	id_list_release(&sweeping.roots);
	str_release(&sweeping.folder);
	return result;
}

/* ---- removing */

/* The files of objects that were there before what is left was looked for, below .git. */
struct doomed {
	struct repo *repo;
	const char *folder; /* that is being listed */
	char **paths;
	size_t count;
	size_t cap;
};

static void doomed_release(struct doomed *doomed)
{
	for (size_t i = 0; i < doomed->count; i++)
		free(doomed->paths[i]);
	free(doomed->paths);
}

static int doom_file(void *context, const char *name)
{
	struct doomed *doomed = context;
	STR_AUTO full = STR_INIT;
	STR_AUTO path = STR_INIT;
	struct stat st;

	str_printf(&path, "%s/%s", doomed->folder, name);
	str_printf(&full, "%s%s", doomed->repo->folder.ptr, path.ptr);
	if (doomed->repo->sys->fstatat(AT_FDCWD, full.ptr, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !S_ISREG(st.st_mode))
		return 0;
	doomed->paths = mem_grow(doomed->paths, &doomed->cap, doomed->count + 1,
				 sizeof *doomed->paths);
	doomed->paths[doomed->count++] = str_detach(&path);
	return 0;
}

static int doom_folder(struct doomed *doomed, const char *folder, struct err *err)
{
	doomed->folder = folder;
	return git_folder_walk(doomed->repo, folder, doom_file, doomed, err);
}

/* Loose objects, packs, what killed processes left, and graphs, which name commits. */
static int doom_all(struct doomed *doomed, struct err *err)
{
	static const char *const folders[] = {"objects", PACK_FOLDER, "objects/info/commit-graphs"};
	int result = 0;

	for (size_t i = 0; result == 0 && i < sizeof folders / sizeof *folders; i++)
		result = doom_folder(doomed, folders[i], err);
	for (unsigned i = 0; result == 0 && i < LOOSE_FOLDERS; i++) {
		char folder[sizeof "objects/00"];

		snprintf(folder, sizeof folder, "objects/%02x", i);
		result = doom_folder(doomed, folder, err);
	}
	return result;
}

/* The name of a pack in a path, without its ending; absent for other files. */
static struct slice pack_of(const char *path)
{
	size_t len = sizeof PACK_FOLDER;

	if (strncmp(path, PACK_FOLDER "/", len) != 0)
		return slice_make(NULL, 0);
	return slice_make(path + len, strcspn(path + len, "."));
}

static bool is_marked(const struct doomed *doomed, struct slice pack)
{
	STR_AUTO keep = STR_INIT;

	str_adds(&keep, PACK_FOLDER "/");
	str_add(&keep, pack);
	str_adds(&keep, ".keep");
	for (size_t i = 0; i < doomed->count; i++) {
		if (strcmp(doomed->paths[i], keep.ptr) == 0)
			return true;
	}
	return false;
}

static int remove_doomed(const struct doomed *doomed, const struct str *new_pack, size_t *kept,
			 struct err *err)
{
	if (git_file_remove(doomed->repo, "objects/info/commit-graph", err) != 0 ||
	    git_file_remove(doomed->repo, "objects/info/packs", err) != 0)
		return -1;
	for (size_t i = 0; i < doomed->count; i++) {
		const char *path = doomed->paths[i];
		struct slice pack = pack_of(path);

		/* Nothing was too much: the new pack is an old one. */
		if (pack.ptr && slice_equal(pack, str_slice(new_pack)))
			continue;
		if (pack.ptr && is_marked(doomed, pack))
			*kept += strcmp(pack.ptr + pack.len, ".keep") == 0;
		else if (git_file_remove(doomed->repo, path, err) != 0)
			return -1;
	}
	return 0;
}

/*
 * Under git's lock, so that nobody stages what is about to go; and only what was there at the
 * beginning goes, so that nobody who writes objects without that lock loses any.
 */
int sweep(struct repo *repo, size_t *kept, struct err *err)
{
	struct doomed doomed = {.repo = repo};
	STR_AUTO pack = STR_INIT;
	int result;

	*kept = 0;
	if (object_folders_check(repo, err) != 0 || repo_lock_index(repo, err) != 0)
		return -1;
	result = doom_all(&doomed, err);
	if (result == 0)
		result = pack_what_is_left(repo, &pack, err);
	if (result == 0)
		result = remove_doomed(&doomed, &pack, kept, err);
	repo_unlock_index(repo);
	doomed_release(&doomed);
	repo->lib.odb_refresh(repo->odb);
	return result;
}
