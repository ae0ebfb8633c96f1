/*
 * Rewriting the branch that HEAD is on, so that it looks as if some texts had never been recorded.
 *
 * Every commit gets what the caller makes of its files and of its message; authors, times and order
 * stay, commits before the first that differs keep their ids, and messages that name a commit by
 * all its digits go on naming it. Other branches, tags, the stash and remotes are not touched:
 * rewrite_holders() names those that still have what was to go. For src/store only. The store's
 * lock must be held.
 */
#ifndef KOTA_GIT_REWRITE_H
#define KOTA_GIT_REWRITE_H

#include "git/repo.h"

enum rewritten {
	REWRITTEN_NOT,  /* the text stays */
	REWRITTEN_TEXT, /* *out is the new one */
	REWRITTEN_OUT   /* the file stays what it was in the commit before */
};

struct rewriter {
	/* Can anything have to go from a file of this name? */
	bool (*concerns)(void *context, const char *path);
	/* The new text of a file of that name; *out is empty before. */
	enum rewritten (*text)(void *context, const char *path, struct slice text, struct str *out);
	/* The new message of a commit; *out is empty before. Never REWRITTEN_OUT. */
	enum rewritten (*message)(void *context, struct slice message, struct str *out);
	void *context;
};

struct rewrite_counts {
	size_t commits; /* that differ in what they have or say, not only in what they stand on */
	size_t texts;   /* different texts of files that were rewritten or left out */
};

/*
 * May the branch be rewritten? ERR_NO_HISTORY with the reason where not, see repo_check(); where
 * other work trees stand on the same objects is one.
 */
int rewrite_check(struct repo *repo, struct err *err);

/*
 * Rewrites commits, index and branch, in this order, under .git/index.lock, and drops the reflogs
 * of the branch and of HEAD. ERR_BUSY when somebody else is at work. What is killed in between can
 * be done again. The old objects are still there afterwards: see sweep.h.
 */
int rewrite_branch(struct repo *repo, const struct rewriter *rewriter,
		   struct rewrite_counts *counts, struct err *err);

/* Would rewrite_branch() change a file of any commit? */
int rewrite_finds(struct repo *repo, const struct rewriter *rewriter, bool *found, struct err *err);

/* Calls visit with the full name of each other reference that leads to such a text. */
typedef void (*ref_visitor)(void *context, const char *name);
int rewrite_holders(struct repo *repo, const struct rewriter *rewriter, ref_visitor visit,
		    void *context, struct err *err);

/* Calls visit with the name of each remote. */
void rewrite_remotes(struct repo *repo, ref_visitor visit, void *context);

#endif
