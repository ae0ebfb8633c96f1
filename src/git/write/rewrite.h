/*
 * Rewrites the branch of HEAD as if some texts had never been recorded.
 *
 * The caller's functions return the new files and the new message of each commit. Authors, times
 * and order stay. Commits before the first one that differs keep their ids. A message that names a
 * commit by its full id names the new one. Other branches, tags, the stash and remotes are not
 * touched; rewrite_holders() names those that still have the text. For src/store only. The store's
 * lock must be held.
 *
 * What is removed from a text may depend on earlier commits. The caller is told of each commit
 * before its message and its files, and returns a number: commits of one number treat texts alike.
 */
#ifndef KOTA_GIT_WRITE_REWRITE_H
#define KOTA_GIT_WRITE_REWRITE_H

#include "git/repo.h"

enum rewritten {
	REWRITTEN_NOT,  /* the text stays */
	REWRITTEN_TEXT, /* *out is the new one */
	REWRITTEN_OUT   /* the file stays what it was in the commit before */
};

struct rewriter {
	/* False if nothing has to be removed from a file of this name. */
	bool (*concerns)(void *context, const char *path);
	/* Writes the new text of a file of that name to *out, which is empty. */
	enum rewritten (*text)(void *context, const char *path, struct slice text, struct str *out);
	/* Writes the new message of a commit to *out, which is empty. Never REWRITTEN_OUT. */
	enum rewritten (*message)(void *context, struct slice message, struct str *out);
	void *context;
	/*
	 * Called for each commit, parents first, with the old ids. In commits for which it returns
	 * the same number, equal texts become equal texts. NULL: in all commits.
	 */
	size_t (*enter)(void *context, const struct object_id *commit,
			const struct object_id *parents, size_t count);
	/*
	 * Called once for each other file, from which nothing is removed. Returns true if the file
	 * has the text; that only counts for rewrite_holders(). May be NULL.
	 */
	bool (*other)(void *context, const char *path, const struct object_id *blob);
};

struct rewrite_counts {
	size_t commits; /* whose files or message differ, not only their parents */
	size_t texts;   /* different texts of files that were rewritten or left out */
};

/*
 * Checks that the branch may be rewritten. ERR_NO_HISTORY with the reason if not: those of
 * repo_check(), other work trees that share the objects, or objects that may belong to another
 * repository.
 */
int rewrite_check(struct repo *repo, struct err *err);

/*
 * Rewrites commits, index and branch, in this order, under .git/index.lock, and drops the reflogs
 * of the branch and of HEAD. ERR_BUSY if another program is at work. May be repeated after a kill.
 * The old objects stay: see gc.h.
 */
int rewrite_branch(struct repo *repo, const struct rewriter *rewriter,
		   struct rewrite_counts *counts, struct err *err);

/* *found is set to whether rewrite_branch() would change a file of any commit. */
int rewrite_finds(struct repo *repo, const struct rewriter *rewriter, bool *found, struct err *err);

/* Calls visit with the message of each commit, parents first. */
typedef void (*message_visitor)(void *context, const struct object_id *commit, const char *message);
int rewrite_messages(struct repo *repo, message_visitor visit, void *context, struct err *err);

/*
 * Calls visit with the full name of each other reference from which such a text is reachable, also
 * in another file. If only an older line of a reflog leads to it, the name is that of the reflog:
 * "the reflog of refs/stash".
 */
typedef void (*ref_visitor)(void *context, const char *name);
int rewrite_holders(struct repo *repo, const struct rewriter *rewriter, ref_visitor visit,
		    void *context, struct err *err);

/* Calls visit with the name of each remote. */
void rewrite_remotes(struct repo *repo, ref_visitor visit, void *context);

#endif
