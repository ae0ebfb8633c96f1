#include "git/authors.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/mem.h"
#include "git/repo_state.h"

#include <stdlib.h>

/* What the path is in a commit; none where it has no such file or folder. False: no such commit. */
static bool authors_find_entry(struct repo *repo, const git_oid *commit_id, const char *path,
			       struct object_id *out)
{
	const struct lib *lib = &repo->lib;
	git_commit *commit = NULL;
	git_tree_entry *entry = NULL;
	git_tree *tree = NULL;
	bool found = lib->commit_lookup(&commit, repo->handle, commit_id) == 0 &&
		     lib->commit_tree(&tree, commit) == 0;

	*out = (struct object_id){{0}};
	if (found && lib->tree_entry_bypath(&entry, tree, path) == 0)
		*out = lib_id(lib->tree_entry_id(entry));
	lib->tree_entry_free(entry);
	lib->tree_free(tree);
	lib->commit_free(commit);
	return found;
}

/*
 * True if the commit leaves something at the path that none of its parents had. A parent that is
 * not here had nothing, and *whole becomes false.
 */
static bool authors_touches(struct repo *repo, git_commit *commit, const char *path, bool *whole)
{
	const struct lib *lib = &repo->lib;
	unsigned parents = lib->commit_parentcount(commit);
	struct object_id after;
	struct object_id before;

	if (!authors_find_entry(repo, lib->commit_id(commit), path, &after)) {
		*whole = false;
		return false;
	}
	for (unsigned i = 0; i < parents; i++) {
		if (!authors_find_entry(repo, lib->commit_parent_id(commit, i), path, &before))
			*whole = false;
		if (object_id_equal(&before, &after))
			return false;
	}
	return parents > 0 || !object_id_is_none(&after);
}

static void authors_count(struct authors *authors, const git_signature *who)
{
	int64_t at_ms = (int64_t)who->when.time * 1000;
	STR_AUTO name = STR_INIT;

	str_printf(&name, "%s <%s>", who->name, who->email);
	for (size_t i = 0; i < authors->count; i++) {
		struct author *author = &authors->list[i];

		if (strcmp(author->name, name.ptr) != 0)
			continue;
		author->commits++;
		author->last_ms = at_ms > author->last_ms ? at_ms : author->last_ms;
		return;
	}
	authors->list = mem_grow(authors->list, &authors->cap, authors->count + 1,
				 sizeof *authors->list);
	authors->list[authors->count++] = (struct author){str_detach(&name), 1, at_ms};
}

static int authors_compare_last(const void *left, const void *right)
{
	const struct author *a = left;
	const struct author *b = right;

	return (a->last_ms < b->last_ms) - (a->last_ms > b->last_ms);
}

/* ---- the commits, from new to old */

struct waiting {
	git_commit *commit;
	int64_t time;
};

/* Commits that are reached and not looked at yet, and the ids of all that were ever reached. */
struct queue {
	struct repo *repo;
	struct waiting *list;
	size_t count;
	size_t cap;
	struct map seen;
	struct arena arena; /* owns the keys of seen */
};

/* Puts a commit in once; false when it is not here, as in a shallow clone. */
static bool authors_enqueue(struct queue *queue, const git_oid *id)
{
	const struct lib *lib = &queue->repo->lib;
	const struct slice key = slice_make((const char *)id->id, sizeof id->id);
	struct waiting next = {0};

	if (map_get(&queue->seen, key, NULL))
		return true;
	map_put(&queue->seen, arena_copy(&queue->arena, key), 0);
	if (lib->commit_lookup(&next.commit, queue->repo->handle, id) != 0)
		return false;
	next.time = lib->commit_committer(next.commit)->when.time;
	queue->list = mem_grow(queue->list, &queue->cap, queue->count + 1, sizeof *queue->list);
	queue->list[queue->count++] = next;
	return true;
}

/* Takes the newest out, which is the caller's to free; NULL when none is left. */
static git_commit *authors_dequeue(struct queue *queue)
{
	git_commit *commit;
	size_t newest = 0;

	if (queue->count == 0)
		return NULL;
	for (size_t i = 1; i < queue->count; i++) {
		if (queue->list[i].time > queue->list[newest].time)
			newest = i;
	}
	commit = queue->list[newest].commit;
	queue->list[newest] = queue->list[--queue->count];
	return commit;
}

static void authors_queue_release(struct queue *queue)
{
	git_commit *commit;

	while ((commit = authors_dequeue(queue)))
		queue->repo->lib.commit_free(commit);
	free(queue->list);
	map_release(&queue->seen);
	arena_release(&queue->arena);
}

static void authors_walk(struct authors *out, struct queue *queue, const char *path,
			 size_t max_commits)
{
	const struct lib *lib = &queue->repo->lib;
	git_commit *commit;

	while (out->looked_at < max_commits && (commit = authors_dequeue(queue))) {
		out->looked_at++;
		if (authors_touches(queue->repo, commit, path, &out->whole))
			authors_count(out, lib->commit_author(commit));
		for (unsigned i = 0; i < lib->commit_parentcount(commit); i++) {
			if (!authors_enqueue(queue, lib->commit_parent_id(commit, i)))
				out->whole = false;
		}
		lib->commit_free(commit);
	}
	out->whole = out->whole && queue->count == 0;
}

int authors_find(struct authors *out, struct repo *repo, const char *path, size_t max_commits,
		 struct err *err)
{
	struct queue queue = {.repo = repo, .arena = ARENA_INIT};
	struct authors authors = {.whole = true};
	struct object_id head;

	if (repo_head(repo, &head, err) != 0)
		return -1;
	git_oid from = lib_oid(&head);
	if (!object_id_is_none(&head) && !authors_enqueue(&queue, &from)) {
		authors_queue_release(&queue);
		return lib_error(&repo->lib, err, "read the history in %s", repo->folder.ptr);
	}
	authors_walk(&authors, &queue, path, max_commits);
	authors_queue_release(&queue);
	if (authors.count > 0)
		qsort(authors.list, authors.count, sizeof *authors.list, authors_compare_last);
	*out = authors;
	return 0;
}

void authors_release(struct authors *authors)
{
	for (size_t i = 0; i < authors->count; i++)
		free(authors->list[i].name);
	free(authors->list);
	*authors = (struct authors){0};
}
