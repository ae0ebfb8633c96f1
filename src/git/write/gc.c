#include "git/write/gc.h"

#include "base/mem.h"
#include "git/write/lock.h"
#include "git/write/pack.h"
#include "git/write/pack_feed.h"
#include "git/write/pack_merge.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

static int sweep_error(const struct pack_feed *feed)
{
	return lib_error(&feed->repo->lib, feed->err, "pack what is left in %s",
			 feed->repo->folder.ptr);
}

static int gc_add_reference(const char *name, void *payload)
{
	struct pack_feed *feed = payload;
	git_oid oid;

	/* A dangling reference. */
	if (feed->repo->lib.reference_name_to_id(&oid, feed->repo->handle, name) != 0)
		return 0;
	struct object_id id = lib_id(&oid);
	pack_feed_lead_to(feed, &id);
	return 0;
}

static int gc_add_index(struct pack_feed *feed)
{
	const struct lib *lib = &feed->repo->lib;
	STR_AUTO path = STR_INIT;
	git_index *index = NULL;

	str_printf(&path, "%sindex", feed->repo->folder.ptr);
	if (lib->index_open(&index, path.ptr) != 0)
		return sweep_error(feed);
	for (size_t i = 0; i < lib->index_entrycount(index); i++) {
		const git_index_entry *entry = lib->index_get_byindex(index, i);
		struct object_id id = lib_id(&entry->id);

		/* A submodule's commit is in its own repository. */
		if ((entry->mode & S_IFMT) != (GIT_FILEMODE_COMMIT & S_IFMT) &&
		    repo_has(feed->repo, &id))
			pack_feed_lead_to(feed, &id);
	}
	lib->index_free(index);
	return 0;
}

/* The stash, above all: but for its last one it is in its reflog alone. */
static int gc_add_log(void *context, const char *path, const struct stat *st)
{
	struct pack_feed *feed = context;
	ID_LIST_AUTO ids = {0};
	int result = 0;

	if (S_ISREG(st->st_mode))
		result = reflog_ids(feed->repo, path, &ids, feed->err);
	for (size_t i = 0; i < ids.count; i++)
		pack_feed_lead_to(feed, &ids.items[i]);
	return result;
}

/* Whatever refers to an object; of one that is missing, reading it fails, and nothing goes. */
static int gc_add_roots(struct pack_feed *feed)
{
	struct repo *repo = feed->repo;

	gc_add_reference("HEAD", feed);
	if (repo->lib.reference_foreach_name(repo->handle, gc_add_reference, feed) != 0)
		return sweep_error(feed);
	if (git_files_walk(repo, "logs", gc_add_log, feed, feed->err) != 0)
		return -1;
	return gc_add_index(feed);
}

/* *name stays empty where nothing is left. */
static int gc_pack_what_is_left(struct repo *repo, struct str *name, struct err *err)
{
	struct pack_feed feed = {.repo = repo, .err = err};
	int result = -1;

	if (pack_writer_open(&feed.writer, repo, err) == 0 && gc_add_roots(&feed) == 0 &&
	    pack_feed_take_all(&feed) == 0)
		result = pack_writer_finish(feed.writer, name, err);
	pack_writer_free(feed.writer);
	id_list_release(&feed.todo);
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

static int gc_doom_file(void *context, const char *name)
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

/* Loose objects, packs, what killed processes left, and graphs, which name commits. */
static int gc_doom_all(struct doomed *doomed, struct err *err)
{
	static const char *const folders[] = {"objects", PACK_FOLDER, "objects/info/commit-graphs"};
	const size_t named = sizeof folders / sizeof *folders;
	int result = 0;

	for (size_t i = 0; result == 0 && i < named + LOOSE_FOLDERS; i++) {
		char loose[sizeof "objects/00"];

		snprintf(loose, sizeof loose, "objects/%02x", (unsigned)(i - named) & 0xff);
		doomed->folder = i < named ? folders[i] : loose;
		result = git_folder_walk(doomed->repo, doomed->folder, gc_doom_file, doomed, err);
	}
	return result;
}

/* True if the pack has a .keep file beside it. */
static bool gc_is_marked(const struct doomed *doomed, struct slice pack)
{
	for (size_t i = 0; i < doomed->count; i++) {
		struct slice path = slice_of(doomed->paths[i]);

		if (path.len == pack.len + strlen(".keep") && slice_ends(path, ".keep") &&
		    memcmp(path.ptr, pack.ptr, pack.len) == 0)
			return true;
	}
	return false;
}

static int gc_remove_doomed(const struct doomed *doomed, const struct str *new_pack, size_t *kept,
			    struct err *err)
{
	STR_AUTO new_path = STR_INIT;

	str_printf(&new_path, PACK_FOLDER "/%s", new_pack->ptr);
	if (git_file_remove(doomed->repo, "objects/info/commit-graph", err) != 0 ||
	    git_file_remove(doomed->repo, "objects/info/packs", err) != 0)
		return -1;
	for (size_t i = 0; i < doomed->count; i++) {
		const char *path = doomed->paths[i];
		bool packed = slice_starts(slice_of(path), PACK_FOLDER "/");
		struct slice pack = slice_make(path, strcspn(path, "."));

		/* There was no garbage: the new pack is identical to an old one. */
		if (packed && slice_equal(pack, str_slice(&new_path)))
			continue;
		if (packed && gc_is_marked(doomed, pack))
			*kept += strcmp(path + pack.len, ".keep") == 0;
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

	*kept = 0;
	if (object_folders_check(repo, err) != 0 || pack_merge_abandon(repo, err) != 0 ||
	    repo_lock_index(repo, err) != 0)
		return -1;
	int result = gc_doom_all(&doomed, err);
	if (result == 0)
		result = gc_pack_what_is_left(repo, &pack, err);
	if (result == 0)
		result = gc_remove_doomed(&doomed, &pack, kept, err);
	repo_unlock_index(repo);
	for (size_t i = 0; i < doomed.count; i++)
		free(doomed.paths[i]);
	free(doomed.paths);
	repo->lib.odb_refresh(repo->odb);
	return result;
}
