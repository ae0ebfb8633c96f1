/*
 * Who wrote a folder, by the history of the repository that it is in.
 *
 *	struct authors authors;
 *	authors_find(&authors, repo, "data/kota_memory", 5000, &err);
 *	...
 *	authors_release(&authors);
 *
 * All commits that HEAD leads to are looked at, those of merged branches too: who merges somebody's
 * work did not write it. Authors are what they call themselves; nobody has checked that.
 */
#ifndef KOTA_GIT_AUTHORS_H
#define KOTA_GIT_AUTHORS_H

#include "git/repo.h"

struct author {
	char *name; /* "NAME <ADDRESS>" as the commits have it: not made visible */
	size_t commits;
	int64_t last_ms;
};

struct authors {
	struct author *list; /* who committed last comes first */
	size_t count;
	size_t cap;
	size_t looked_at; /* commits */
	bool whole;       /* these were all there are */
};

/*
 * Finds the authors of the commits that changed something at or below the path, which is relative
 * to the work tree. At most max_commits are looked at, the newest first. Fails where the history
 * cannot be read; then there is nothing to release.
 */
int authors_find(struct authors *out, struct repo *repo, const char *path, size_t max_commits,
		 struct err *err);

/* Frees the list, leaves none. */
void authors_release(struct authors *authors);

#endif
