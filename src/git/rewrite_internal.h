/*
 * The inside of a rewriting, for the files of that name.
 */
#ifndef KOTA_GIT_REWRITE_INTERNAL_H
#define KOTA_GIT_REWRITE_INTERNAL_H

#include "base/arena.h"
#include "base/map.h"
#include "git/repo_internal.h"
#include "git/rewrite.h"

/* What has become of a file's text, or of a commit. */
struct fate {
	enum rewritten what;
	struct object_id id; /* the new one, for REWRITTEN_TEXT */
	bool other;          /* nothing goes from it, and it has what is looked for */
};

struct rewriting {
	struct repo *repo;
	const struct lib *lib;
	const struct rewriter *rewriter;
	struct rewrite_counts *counts;
	struct map texts;   /* "BLOB PATH" -> fate */
	struct map commits; /* id -> fate; those that stay are not in it */
	struct fate *fates;
	size_t count;
	size_t cap;
	size_t era; /* of the commit at hand, as the rewriter's enter() says */
	struct arena arena;
	struct err err; /* of what failed inside a walk */
};

/* Ends a walk. */
#define REWRITING_FOUND 1

/* REWRITING_FOUND when a file of the commit would be changed, or is another that has it. */
int rewriting_look(struct rewriting *rewriting, const git_oid *commit, struct err *err);

/* Calls take with each commit that can be reached from these, parents first, until it is not 0. */
int rewriting_walk(struct rewriting *rewriting, const struct object_id *from, size_t count,
		   int (*take)(struct rewriting *, const git_oid *, struct err *), struct err *err);

void rewriting_release(struct rewriting *rewriting);

#endif
