#include "git/write/commit.h"

#include "base/arena.h"
#include "base/mem.h"
#include "git/objects.h"
#include "git/write/index_file.h"
#include "git/write/lock.h"
#include "git/write/object_log.h"
#include "git/write/pack_writer.h"
#include "git/write/tip.h"

#include <stdlib.h>

/* More that is held in memory goes into a pack of its own. */
#define HELD_BYTES_MAX ((size_t)8 << 20)

struct recording {
	struct repo *repo;
	struct object_id begun; /* the branch when the recording began */
	uint64_t made_before;   /* how many objects had been made by then */
	struct object_id head;  /* the last commit made */
	int64_t time_ms;        /* of it */
	int offset_min;
	bool doubts_index;
	bool in_pack;             /* all that is fresh is in a pack, and durable */
	struct pack_writer *pack; /* of one that stands elsewhere; else NULL */
	size_t packed;            /* so many of the held objects are in it */
	size_t packed_bytes;
	struct str left;     /* what a recording that was cut off has put into the index */
	struct id_list made; /* objects that the branch is about to name */
	struct index_change *changes;
	size_t count;
	size_t cap;
	struct arena folders; /* names */
};

/* ---- recording */

int recording_begin(struct recording **out, struct repo *repo, struct err *err)
{
	struct recording *recording;
	struct object_id head;

	/* HEAD is read further down, under the lock, when it can no longer move. */
	repo->recorded_on = true;
	int checked = repo_check(repo, err);
	repo->recorded_on = false;
	if (checked != 0 || repo_lock_index(repo, err) != 0)
		return -1;
	/* Objects may have been packed and pruned since. */
	if (repo_refresh(repo, err) != 0 || repo_check_branch(repo, err) != 0) {
		repo_unlock_index(repo);
		return -1;
	}
	repo->recorded_on = true;
	/* If the branch was lost, do not start a new one in its place. */
	if (repo_head(repo, &head, err) != 0 ||
	    (object_id_is_none(&head) && !tip_is_whole(repo, err))) {
		repo->recorded_on = false;
		repo_unlock_index(repo);
		return -1;
	}
	recording = mem_zalloc(1, sizeof *recording);
	recording->left = index_left(repo);
	recording->repo = repo;
	recording->begun = head;
	recording->made_before = repo->fresh.made;
	recording->head = head;
	*out = recording;
	return 0;
}

const struct object_id *recording_head(const struct recording *recording)
{
	return &recording->head;
}

int recording_stand_on(struct recording *recording, const struct object_id *commit, struct err *err)
{
	if (pack_writer_open(&recording->pack, recording->repo, err) != 0)
		return -1;
	objects_forget(recording->repo);
	recording->repo->fresh.held = true;
	recording->head = *commit;
	return 0;
}

/* What is held in memory goes into the pack, from the object of this number on. */
static int commit_pack_held(struct pack_writer *pack, const struct fresh *fresh, size_t from,
			    struct err *err)
{
	for (size_t i = from; i < fresh->count; i++) {
		const struct fresh_object *object = &fresh->items[i];

		if (pack_writer_add(pack, object->type, &object->id, str_slice(&object->data),
				    err) != 0)
			return -1;
	}
	return 0;
}

/* ... what is not in it yet. */
static int commit_pack_rest(struct recording *recording, struct err *err)
{
	const struct fresh *fresh = &recording->repo->fresh;
	size_t from = recording->packed;

	for (; recording->packed < fresh->count; recording->packed++)
		recording->packed_bytes += fresh->items[recording->packed].data.len;
	return commit_pack_held(recording->pack, fresh, from, err);
}

int recording_keep(struct recording *recording, struct err *err)
{
	STR_AUTO name = STR_INIT;

	if (commit_pack_rest(recording, err) != 0 ||
	    pack_writer_finish(recording->pack, &name, err) != 0)
		return -1;
	objects_forget(recording->repo);
	recording->packed = 0;
	recording->packed_bytes = 0;
	return 0;
}

/* One pack of what was held for many changes, and of what was made of it. */
static int commit_pack_group(struct recording *recording, struct err *err)
{
	struct repo *repo = recording->repo;
	struct pack_writer *pack;
	STR_AUTO name = STR_INIT;
	int result;

	if (!repo->fresh.held || recording->pack)
		return 0;
	if (pack_writer_open(&pack, repo, err) != 0)
		return -1;
	result = commit_pack_held(pack, &repo->fresh, repo->fresh.settled, err);
	if (result == 0)
		result = pack_writer_finish(pack, &name, err);
	pack_writer_free(pack);
	if (result != 0)
		return -1;
	repo_take_packs(repo);
	repo->fresh.held = false;
	recording->in_pack = true;
	return 0;
}

/* Packs what was made since; what is too much for memory becomes a pack that is done. */
static int commit_hold(struct recording *recording, struct err *err)
{
	if (!recording->pack)
		return 0;
	if (commit_pack_rest(recording, err) != 0)
		return -1;
	if (recording->packed_bytes <= HELD_BYTES_MAX)
		return 0;
	if (recording_keep(recording, err) != 0)
		return -1;
	pack_writer_free(recording->pack);
	recording->pack = NULL;
	return pack_writer_open(&recording->pack, recording->repo, err);
}

void recording_doubt_index(struct recording *recording)
{
	recording->doubts_index = true;
}

void recording_abandon(struct recording *recording)
{
	if (!recording)
		return;
	recording->repo->recorded_on = false;
	if (recording->pack) {
		recording->repo->fresh.held = false;
		objects_forget(recording->repo);
		pack_writer_free(recording->pack);
	}
	repo_unlock_index(recording->repo);
	for (size_t i = 0; i < recording->count; i++) {
		free(recording->changes[i].path);
		free(recording->changes[i].blobs);
	}
	free(recording->changes);
	id_list_release(&recording->made);
	str_release(&recording->left);
	arena_release(&recording->folders);
	free(recording);
}

static void commit_add_blob(struct index_change *change, const struct object_id *blob)
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
		recording->changes[recording->count++] = (struct index_change){
			.path = mem_strdup(file->path)};
		commit_add_blob(&recording->changes[i], before);
	}
	commit_add_blob(&recording->changes[i], &file->blob);
}

int recording_take(struct recording *recording, const struct object_id *commit,
		   const struct recorded_file *files, size_t count, struct err *err)
{
	git_commit *handle;

	for (size_t i = 0; i < count; i++) {
		struct object_id before;

		if (repo_file_at(recording->repo, &recording->begun, files[i].path, &before, err) !=
		    0)
			return -1;
		commit_note_change(recording, &files[i], &before);
	}
	if (repo_commit(recording->repo, commit, &handle, err) != 0)
		return -1;
	recording->time_ms = (int64_t)recording->repo->lib.commit_committer(handle)->when.time *
			     1000;
	recording->repo->lib.commit_free(handle);
	recording->head = *commit;
	return 0;
}

/* What stands at the path of a tree and is not of this kind is to be removed, once. */
static void commit_clear(const struct lib *lib, git_tree *tree, const char *path, git_object_t kind,
			 git_tree_update *updates, size_t *count)
{
	git_tree_entry *entry = NULL;
	bool stands = lib->tree_entry_bypath(&entry, tree, path) == 0 &&
		      lib->tree_entry_type(entry) != kind;

	lib->tree_entry_free(entry);
	for (size_t i = 0; i < *count && stands; i++)
		stands = strcmp(updates[i].path, path) != 0;
	if (stands)
		updates[(*count)++] = (git_tree_update){.action = GIT_TREE_UPDATE_REMOVE,
							.path = path};
}

/*
 * The library puts a file neither in the place of a folder, or of a commit of another repository,
 * nor below one: it goes first.
 */
static int commit_clear_way(struct recording *recording, const char *path, git_tree_update *updates,
			    size_t *count, struct err *err)
{
	const char *slash = strchr(path, '/');
	git_tree *tree;

	if (repo_tree(recording->repo, &recording->head, &tree, err) != 0)
		return -1;
	if (tree && slash)
		commit_clear(
			&recording->repo->lib, tree,
			arena_copy(&recording->folders, slice_make(path, (size_t)(slash - path)))
				.ptr,
			GIT_OBJECT_TREE, updates, count);
	if (tree)
		commit_clear(&recording->repo->lib, tree, path, GIT_OBJECT_BLOB, updates, count);
	recording->repo->lib.tree_free(tree);
	return 0;
}

/*
 * Fills updates, of which a file needs up to three, with what differs from the last commit, and
 * notes it for the index.
 */
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
		if (object_id_is_none(&before) &&
		    commit_clear_way(recording, file->path, updates, count, err) != 0)
			return -1;
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
	err_clear(&repo->fresh.why);
	/* The first commit begins with an empty tree. */
	if (!base && (lib->treebuilder_new(&empty, repo->maker, NULL) != 0 ||
		      lib->treebuilder_write(out, empty) != 0 ||
		      lib->tree_lookup(&base, repo->maker, out) != 0))
		result = -1;
	lib->treebuilder_free(empty);
	if (result == 0)
		result = lib->tree_create_updated(out, repo->maker, base, count, updates);
	lib->tree_free(base);
	return result == 0 ? 0 : objects_error(repo, "make a tree", err);
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
	if (lib->tree_lookup(&tree, recording->repo->maker, tree_oid) != 0)
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

/* The commit before, and the second parent where there is one. */
static int commit_find_parents(struct recording *recording, const struct commit_spec *spec,
			       git_commit *parents[2], size_t *count)
{
	const struct object_id *const ids[2] = {&recording->head, spec->also};

	for (size_t i = 0; i < 2 && ids[i] && !object_id_is_none(ids[i]); i++) {
		git_oid oid = lib_oid(ids[i]);

		if (recording->repo->lib.commit_lookup(&parents[i], recording->repo->maker, &oid) !=
		    0)
			return -1;
		*count = i + 1;
	}
	return 0;
}

static int commit_make_commit(struct recording *recording, const struct commit_spec *spec,
			      const git_oid *tree_oid, git_oid *out, struct err *err)
{
	struct repo *repo = recording->repo;
	const struct lib *lib = &repo->lib;
	git_signature *author = NULL;
	git_signature *committer = NULL;
	git_commit *parents[2] = {NULL, NULL};
	git_tree *tree = NULL;
	size_t count = 0;
	git_time_t seconds = spec->time_ms / 1000;
	const char *name = spec->author ? spec->author : RECORD_AUTHOR;
	const char *email = spec->author ? spec->email : OUR_EMAIL;
	int result = 0;

	if (lib->signature_new(&author, name, email, seconds, spec->offset_min) != 0 ||
	    lib->signature_new(&committer, RECORD_AUTHOR, OUR_EMAIL, seconds, spec->offset_min) !=
		    0)
		result = lib_error(lib, err, "sign a change as %s", name);
	else if ((lib->tree_lookup(&tree, repo->maker, tree_oid) != 0 ||
		  commit_find_parents(recording, spec, parents, &count) != 0 ||
		  lib->commit_create(out, repo->maker, NULL, author, committer, NULL, spec->message,
				     tree, count, (const git_commit **)parents) != 0))
		result = objects_error(repo, "make a commit", err);
	for (size_t i = 0; i < count; i++)
		lib->commit_free(parents[i]);
	lib->tree_free(tree);
	lib->signature_free(author);
	lib->signature_free(committer);
	return result;
}

int recording_add(struct recording *recording, const struct commit_spec *spec, struct object_id *id,
		  struct err *err)
{
	git_tree_update *updates = mem_zalloc(3 * spec->count, sizeof *updates);
	size_t count = 0;
	git_oid oid;
	int result = commit_hold(recording, err);

	if (result == 0)
		result = commit_choose_updates(recording, spec, updates, &count, err);
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

static int commit_update_index(struct recording *recording, bool durable, struct err *err)
{
	struct index_update update = {
		.changes = recording->changes,
		.count = recording->count,
		.begun = &recording->begun,
		.left = str_slice(&recording->left),
		.doubted = recording->doubts_index,
		.durable = durable,
	};

	return index_replace(recording->repo, &update, err);
}

/*
 * What the branch is about to name is there, and what lies there since a recording that was cut off
 * is durable. Somebody may prune at any moment, and not every prune can be held off: what was
 * written before this recording took its locks is looked at. Into *fresh what it has written
 * itself, or the change before it.
 */
static int commit_check_made(const struct recording *recording, struct id_list *fresh,
			     struct err *err)
{
	struct repo *repo = recording->repo;

	for (size_t i = 0; i < recording->made.count; i++) {
		const struct object_id *id = &recording->made.items[i];
		const struct fresh_object *object = objects_find(repo, id);
		git_oid oid = lib_oid(id);

		if (recording->in_pack && objects_is_fresh(repo, id))
			continue;
		if (object && object->file.len > 0 && object->number > recording->made_before) {
			id_list_add(fresh, id);
		} else if (objects_is_loose(repo, id)) {
			if (objects_is_fresh(repo, id))
				id_list_add(fresh, id);
			else if (objects_sync(repo, id, err) != 0)
				return -1;
		} else if (repo->lib.odb_exists(repo->odb, &oid) != 1) {
			objects_forget(repo);
			return err_set(err, ERR_BUSY,
				       "another program removes objects from %s: changes are "
				       "recorded when it is done",
				       repo->folder.ptr);
		}
	}
	return 0;
}

/* Makes what is fresh durable: by the log, where there is one. */
static int commit_make_durable(const struct recording *recording, const struct branch_move *move,
			       const struct id_list *fresh, bool *logged, struct err *err)
{
	struct repo *repo = recording->repo;
	struct logged_recording record = {
		.branch = move->name,
		.from = &move->from,
		.to = &move->to,
		.time_ms = move->time_ms,
		.offset_min = move->offset_min,
		.made = fresh,
		.changes = recording->changes,
		.count = recording->count,
	};
	struct err ignored;

	*logged = object_log_append(repo, &record, &ignored) == 0;
	for (size_t i = 0; i < fresh->count && !*logged; i++) {
		if (objects_sync(repo, &fresh->items[i], err) != 0)
			return -1;
	}
	return 0;
}

int recording_finish(struct recording *recording, struct err *err)
{
	struct repo *repo = recording->repo;
	struct id_list fresh = {0};
	int result = 0;

	if (!object_id_equal(&recording->begun, &recording->head)) {
		struct branch_move move = {
			.name = repo_branch(repo),
			.from = recording->begun,
			.to = recording->head,
			.time_ms = recording->time_ms,
			.offset_min = recording->offset_min,
		};

		result = commit_take_back_left(recording, err);
		if (result == 0)
			result = commit_pack_group(recording, err);
		if (result == 0)
			result = commit_check_made(recording, &fresh, err);
		if (result == 0)
			result = commit_make_durable(recording, &move, &fresh, &move.unflushed,
						     err);
		if (result == 0)
			result = commit_update_index(recording, !move.unflushed, err);
		if (result == 0)
			result = branch_move(repo, &move, err);
		id_list_release(&fresh);
		if (result == 0) {
			index_settle(repo);
			objects_settle(repo);
		}
	}
	recording_abandon(recording);
	if (result == 0)
		repo_note_quiet(repo);
	return result;
}
