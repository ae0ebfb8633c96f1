#include "git/walk.h"

#include "base/mem.h"
#include "git/repo_internal.h"

#include <stdlib.h>

struct walk {
	struct repo *repo;
	struct object_id next; /* none: the end */
	git_commit *commit;    /* the last one given */
	git_diff *diff;        /* of it, when asked for */
	struct file_change *changes;
	size_t cap;
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

static void forget(struct walk *walk)
{
	walk->repo->lib.diff_free(walk->diff);
	walk->repo->lib.commit_free(walk->commit);
	walk->diff = NULL;
	walk->commit = NULL;
}

void walk_close(struct walk *walk)
{
	if (!walk)
		return;
	forget(walk);
	free(walk->changes);
	free(walk);
}

int walk_next(struct walk *walk, struct commit *out, struct err *err)
{
	const struct lib *lib = &walk->repo->lib;
	const git_signature *author;

	forget(walk);
	if (object_id_is_none(&walk->next))
		return 0;
	if (repo_commit(walk->repo, &walk->next, &walk->commit, err) != 0)
		return -1;
	author = lib->commit_author(walk->commit);
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

/* Compares the trees of the commit and its parent, which is the next one. */
static int compare(struct walk *walk, struct err *err)
{
	const struct lib *lib = &walk->repo->lib;
	git_tree *before = NULL;
	git_tree *after = NULL;
	int result = repo_tree(walk->repo, &walk->next, &before, err);

	if (result == 0 &&
	    (lib->commit_tree(&after, walk->commit) != 0 ||
	     lib->diff_tree_to_tree(&walk->diff, walk->repo->handle, before, after, NULL) != 0))
		result = lib_error(lib, err, "compare two commits in %s", walk->repo->folder.ptr);
	lib->tree_free(before);
	lib->tree_free(after);
	return result;
}

int walk_changes(struct walk *walk, const struct file_change **out, size_t *count, struct err *err)
{
	const struct lib *lib = &walk->repo->lib;
	size_t deltas;

	if (!walk->diff && compare(walk, err) != 0)
		return -1;
	deltas = lib->diff_num_deltas(walk->diff);
	walk->changes = mem_grow(walk->changes, &walk->cap, deltas, sizeof *walk->changes);
	for (size_t i = 0; i < deltas; i++) {
		const git_diff_delta *delta = lib->diff_get_delta(walk->diff, i);

		walk->changes[i] = (struct file_change){
			.path = delta->new_file.path ? delta->new_file.path : delta->old_file.path,
			.before = lib_id(&delta->old_file.id),
			.after = lib_id(&delta->new_file.id),
		};
	}
	*out = walk->changes;
	*count = deltas;
	return 0;
}
