/*
 * Rewriting the branch that HEAD is on, so that it looks as if some texts had never been recorded.
 *
 * Every commit gets what the caller makes of its files and of its message; authors, times and order
 * stay, commits before the first that differs keep their ids, and messages that name a commit by
 * all its digits go on naming it. Other branches, tags, the stash and remotes are not touched:
 * rewrite_holders() names those that still have what was to go. For src/store only. The store's
 * lock must be held.
 *
 * What goes from a text may depend on what happened in the commits before it: the caller is told of
 * each commit before its message and its files, and says by a number which texts it would treat
 * alike.
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
	/* False if nothing can have to go from a file of this name. */
	bool (*concerns)(void *context, const char *path);
	/* The new text of a file of that name; *out is empty before. */
	enum rewritten (*text)(void *context, const char *path, struct slice text, struct str *out);
	/* The new message of a commit; *out is empty before. Never REWRITTEN_OUT. */
	enum rewritten (*message)(void *context, struct slice message, struct str *out);
	void *context;
	/*
	 * Told of each commit, after those that it stands on; all ids are those from before the
	 * rewriting. Two commits for which it returns the same number get the same text for the
	 * same text. NULL: all do.
	 */
	size_t (*enter)(void *context, const struct object_id *commit,
			const struct object_id *parents, size_t count);
	/*
	 * Given, once each, other files: those from which nothing can have to go. True: the file
	 * has what is looked for; counts for rewrite_holders() alone. NULL: nobody asks.
	 */
	bool (*other)(void *context, const char *path, const struct object_id *blob);
};

struct rewrite_counts {
	size_t commits; /* that differ in what they have or say, not only in what they stand on */
	size_t texts;   /* different texts of files that were rewritten or left out */
};

/*
 * Checks that the branch may be rewritten. ERR_NO_HISTORY with the reason when it may not: those of
 * repo_check(), other work trees on the same objects, or objects that may belong to another
 * repository.
 */
int rewrite_check(struct repo *repo, struct err *err);

/*
 * Rewrites commits, index and branch, in this order, under .git/index.lock, and drops the reflogs
 * of the branch and of HEAD. ERR_BUSY when somebody else is at work. What is killed in between can
 * be done again. The old objects are still there afterwards: see gc.h.
 */
int rewrite_branch(struct repo *repo, const struct rewriter *rewriter,
		   struct rewrite_counts *counts, struct err *err);

/* Tells in *found whether rewrite_branch() would change a file of any commit. */
int rewrite_finds(struct repo *repo, const struct rewriter *rewriter, bool *found, struct err *err);

/* Calls visit with the message of each commit, those that it stands on first. */
typedef void (*message_visitor)(void *context, const struct object_id *commit, const char *message);
int rewrite_messages(struct repo *repo, message_visitor visit, void *context, struct err *err);

/*
 * Calls visit with the full name of each other reference that leads to such a text, or to another
 * file that has it; and with that of a reflog ("the reflog of refs/stash") of which only an older
 * line does.
 */
typedef void (*ref_visitor)(void *context, const char *name);
int rewrite_holders(struct repo *repo, const struct rewriter *rewriter, ref_visitor visit,
		    void *context, struct err *err);

/* Calls visit with the name of each remote. */
void rewrite_remotes(struct repo *repo, ref_visitor visit, void *context);

#endif
