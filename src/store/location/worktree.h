/*
 * The main work tree of a linked one (`git worktree add`).
 *
 * A linked work tree has a file `.git` that names a folder `MAIN/.git/worktrees/N`. Anybody can
 * write such a file, so it is believed only if that folder points back to it, and if all of it
 * belongs to one owner. For src/store.
 */
#ifndef KOTA_STORE_LOCATION_WORKTREE_H
#define KOTA_STORE_LOCATION_WORKTREE_H

#include "base/err.h"
#include "base/sys.h"

struct worktree {
	char *main;         /* real path of the main work tree's root; NULL when there is none */
	char *git;          /* of its `.git` folder */
	const char *doubts; /* why what `.git` names is not believed, a phrase; NULL: it is, or it
				names no such folder */
};

/*
 * Finds the main work tree of the work tree with this root, a real path. A work tree that is not
 * linked has none, nor has one of a bare repository or a submodule. Release with
 * worktree_release().
 */
int worktree_find(struct worktree *out, const struct sys *sys, const char *root, struct err *err);

/* Frees the paths, leaves an empty struct. */
void worktree_release(struct worktree *worktree);

#endif
