#include "git/walk.h"

#include "base/arena.h"
#include "base/mem.h"
#include "git/repo_state.h"
#include "git/tree_text.h"

#include <stdlib.h>

/* Folders in folders: more than a store has, so few that no tree exhausts the stack. */
#define WALK_DEPTH_MAX 32

/*
 * Of a long history most of the time goes into reading objects, so each is read once, as it stands:
 * a tree is compared entry by entry with the one before, and kept for the next step.
 */
struct walk {
	struct repo *repo;
	struct object_id next; /* none: the end */
	git_commit *commit;    /* the last one given */
	git_odb_object *tree;  /* of the commit that comes next, where it was read already */
	struct object_id tree_id;
	struct file_change *changes;
	size_t count;
	size_t cap;
	bool compared;      /* the last commit was */
	struct arena arena; /* paths of the changes */
};

int walk_open(struct walk **out, struct repo *repo, const struct object_id *from, struct err *err)
{
	struct walk *walk;
	struct object_id first = {{0}};

	if (from)
		first = *from;
	else if (repo_head(repo, &first, err) != 0)
		return -1;
	walk = mem_zalloc(1, sizeof *walk);
	walk->repo = repo;
	walk->next = first;
	*out = walk;
	return 0;
}

static void walk_forget(struct walk *walk)
{
	walk->repo->lib.commit_free(walk->commit);
	walk->commit = NULL;
	walk->compared = false;
	walk->count = 0;
	arena_release(&walk->arena);
}

void walk_close(struct walk *walk)
{
	if (!walk)
		return;
	walk_forget(walk);
	walk->repo->lib.odb_object_free(walk->tree);
	free(walk->changes);
	free(walk);
}

int walk_next(struct walk *walk, struct commit *out, struct err *err)
{
	const struct lib *lib = &walk->repo->lib;

	walk_forget(walk);
	if (object_id_is_none(&walk->next))
		return 0;
	repo_hash_objects(walk->repo, false);
	int result = repo_commit(walk->repo, &walk->next, &walk->commit, err);
	repo_hash_objects(walk->repo, true);
	if (result != 0)
		return -1;
	const git_signature *author = lib->commit_author(walk->commit);
	*out = (struct commit){
		.id = walk->next,
		.author = author->name,
		.email = author->email,
		.message = lib->commit_message(walk->commit),
		.time_ms = (int64_t)author->when.time * 1000,
		.offset_min = author->when.offset,
	};
	if (lib->commit_parentcount(walk->commit) > 0)
		out->parent = lib_id(lib->commit_parent_id(walk->commit, 0));
	walk->next = out->parent;
	return 1;
}

struct object_id walk_position(const struct walk *walk)
{
	return walk->next;
}

void walk_seek(struct walk *walk, const struct object_id *next)
{
	walk_forget(walk);
	walk->next = *next;
}

/* ---- trees */

static int walk_read_tree(const struct walk *walk, const struct object_id *id, git_odb_object **out,
			  struct err *err)
{
	const struct repo *repo = walk->repo;
	git_oid oid = lib_oid(id);

	*out = NULL;
	if (object_id_is_none(id))
		return 0;
	if (repo->lib.odb_read(out, repo->odb, &oid) != 0)
		return lib_error(&repo->lib, err, "read a tree in %s", repo->folder.ptr);
	if (repo->lib.odb_object_type(*out) == GIT_OBJECT_TREE)
		return 0;
	repo->lib.odb_object_free(*out);
	*out = NULL;
	return err_set(err, ERR_NO_HISTORY, "cannot read a tree in %s: it is not a tree",
		       repo->folder.ptr);
}

/* As trees are sorted: the name of a folder ends in a slash. */
static int walk_compare_names(const struct tree_entry *a, const struct tree_entry *b)
{
	size_t len = a->name.len < b->name.len ? a->name.len : b->name.len;
	int order = memcmp(a->name.ptr, b->name.ptr, len);

	if (order != 0)
		return order;
	unsigned char x = (unsigned char)(a->name.len > len         ? a->name.ptr[len]
					  : tree_entry_is_folder(a) ? '/'
								    : 0);
	unsigned char y = (unsigned char)(b->name.len > len         ? b->name.ptr[len]
					  : tree_entry_is_folder(b) ? '/'
								    : 0);
	return x - y;
}

static int walk_compare(struct walk *walk, const char *folder, unsigned int depth,
			git_odb_object *before, git_odb_object *after, struct err *err);

static int walk_compare_folders(struct walk *walk, const char *path, unsigned int depth,
				const struct object_id *before, const struct object_id *after,
				struct err *err)
{
	const struct lib *lib = &walk->repo->lib;
	git_odb_object *old = NULL;
	git_odb_object *new = NULL;
	int result = -1;

	if (walk_read_tree(walk, before, &old, err) == 0 &&
	    walk_read_tree(walk, after, &new, err) == 0)
		result = walk_compare(walk, path, depth, old, new, err);
	lib->odb_object_free(old);
	lib->odb_object_free(new);
	return result;
}

/* Either of the two may be missing, as its mode 0 says; both have the same name. */
static int walk_take_change(struct walk *walk, const char *folder, unsigned int depth,
			    const struct tree_entry *before, const struct tree_entry *after,
			    struct err *err)
{
	const struct tree_entry *there = after->mode ? after : before;
	const struct object_id none = {{0}};
	STR_AUTO path = STR_INIT;

	if (before->mode == after->mode && object_id_equal(&before->id, &after->id))
		return 0;
	if (!tree_entry_is_folder(there) && !tree_entry_is_file(before) &&
	    !tree_entry_is_file(after))
		return 0;
	str_adds(&path, folder);
	str_add(&path, there->name);
	if (tree_entry_is_folder(there)) {
		str_addc(&path, '/');
		return walk_compare_folders(walk, path.ptr, depth + 1, &before->id, &after->id,
					    err);
	}
	*MEM_ADD(walk->changes, walk->count, walk->cap) = (struct file_change){
		.path = arena_copy(&walk->arena, str_slice(&path)).ptr,
		.before = tree_entry_is_file(before) ? before->id : none,
		.after = tree_entry_is_file(after) ? after->id : none,
	};
	return 0;
}

/* One of two sorted trees: what is left of it, and the entry at hand. */
struct walk_side {
	struct slice rest;
	struct tree_entry entry;
	int has; /* 1; 0 at the end, -1 where the tree is damaged or too deep */
};

static struct walk_side walk_begin_side(const struct walk *walk, git_odb_object *tree,
					unsigned int depth)
{
	const struct lib *lib = &walk->repo->lib;
	struct walk_side side = {.rest = slice_of(""), .has = -1};

	if (tree)
		side.rest = slice_make(lib->odb_object_data(tree), lib->odb_object_size(tree));
	if (depth <= WALK_DEPTH_MAX)
		side.has = tree_text_take(&side.rest, &side.entry);
	return side;
}

/* Goes through two sorted trees side by side; NULL is an empty one. */
static int walk_compare(struct walk *walk, const char *folder, unsigned int depth,
			git_odb_object *before, git_odb_object *after, struct err *err)
{
	static const struct tree_entry none = {.mode = 0};
	struct walk_side old = walk_begin_side(walk, before, depth);
	struct walk_side new = walk_begin_side(walk, after, depth);

	while (old.has >= 0 && new.has >= 0 && old.has + new.has > 0) {
		int order = -1; /* the next entry is of the old side */

		if (old.has == 0)
			order = 1;
		else if (new.has)
			order = walk_compare_names(&old.entry, &new.entry);
		if (walk_take_change(walk, folder, depth, order > 0 ? &none : &old.entry,
				     order < 0 ? &none : &new.entry, err) != 0)
			return -1;
		if (order <= 0)
			old.has = tree_text_take(&old.rest, &old.entry);
		if (order >= 0)
			new.has = tree_text_take(&new.rest, &new.entry);
	}
	if (old.has < 0 || new.has < 0)
		return err_set(err, ERR_NO_HISTORY, "a tree in %s is damaged",
			       walk->repo->folder.ptr);
	return 0;
}

/* The tree of the commit before, which is the next one. */
static int walk_tree_before(struct walk *walk, struct object_id *out, struct err *err)
{
	const struct lib *lib = &walk->repo->lib;
	git_commit *parent;

	*out = (struct object_id){{0}};
	if (object_id_is_none(&walk->next))
		return 0;
	if (repo_commit(walk->repo, &walk->next, &parent, err) != 0)
		return -1;
	*out = lib_id(lib->commit_tree_id(parent));
	lib->commit_free(parent);
	return 0;
}

static int walk_compare_commits(struct walk *walk, struct err *err)
{
	const struct lib *lib = &walk->repo->lib;
	struct object_id after_id = lib_id(lib->commit_tree_id(walk->commit));
	struct object_id before_id;
	git_odb_object *before;

	if (walk_tree_before(walk, &before_id, err) != 0)
		return -1;
	if (object_id_equal(&before_id, &after_id))
		return 0;
	if (!walk->tree || !object_id_equal(&walk->tree_id, &after_id)) {
		lib->odb_object_free(walk->tree);
		walk->tree_id = after_id;
		if (walk_read_tree(walk, &after_id, &walk->tree, err) != 0)
			return -1;
	}
	if (walk_read_tree(walk, &before_id, &before, err) != 0)
		return -1;
	int result = walk_compare(walk, "", 0, before, walk->tree, err);
	lib->odb_object_free(walk->tree);
	walk->tree = before;
	walk->tree_id = before_id;
	return result;
}

int walk_changes(struct walk *walk, const struct file_change **out, size_t *count, struct err *err)
{
	if (!walk->compared) {
		walk->count = 0;
		repo_hash_objects(walk->repo, false);
		int result = walk_compare_commits(walk, err);
		repo_hash_objects(walk->repo, true);
		if (result != 0)
			return -1;
		walk->compared = true;
	}
	*out = walk->changes;
	*count = walk->count;
	return 0;
}

int walk_blob_read(struct walk *walk, const struct object_id *blob, struct str *out,
		   struct err *err)
{
	repo_hash_objects(walk->repo, false);
	int result = repo_blob_read(walk->repo, blob, out, err);
	repo_hash_objects(walk->repo, true);
	return result;
}
