/*
 * The versions of one file, parsed: what a merge begins with, and what it reports.
 */
#ifndef KOTA_MERGE_DOCS_H
#define KOTA_MERGE_DOCS_H

#include "base/err.h"
#include "merge/merge_value.h"

/*
 * The texts of one file; one that is absent is that of a file without entries, and so is a blank
 * one where no base has any.
 */
struct merge_texts {
	const struct slice *bases;
	size_t base_count;
	struct slice ours; /* whose bytes stay where they can */
	struct slice theirs;
};

struct merge_docs {
	struct canon *bases;
	size_t count;
	struct canon a;
	struct canon b;
};

/*
 * Parses them. Returns 0 and *out owns memory: merge_docs_release(). ERR_BAD_DATA with "ours",
 * "theirs" or "the base", line and column where one is no JSON object, or a side is blank.
 */
int merge_docs_open(struct merge_docs *out, const struct merge_texts *texts, struct err *err);

/* Frees them. */
void merge_docs_release(struct merge_docs *docs);

/* The root objects as versions of one value; the arena owns the list of bases. */
struct versions merge_docs_roots(const struct merge_docs *docs, struct arena *arena);

/* A text that gave way. */
struct merge_conflict {
	struct slice file;  /* name without ".json": the category, where it is one */
	struct slice key;   /* of the entry or member; absent where a whole text is meant */
	struct slice loser; /* compact JSON text of the entry that gave way, or of the member */
	struct slice front; /* canonical text of the value that stands in front now */
	struct slice time;  /* the later of the two times; empty when there is none */
};

/* What a merge did beside its text. */
struct merge_report {
	struct merge_conflict *conflicts;
	size_t count;
	size_t cap;
	size_t renames; /* changes that followed an entry to its new name */
	struct arena arena;
};

/* A new last conflict, to be filled. */
struct merge_conflict *merge_report_add(struct merge_report *report);

/* Frees it, leaves an empty one. */
void merge_report_release(struct merge_report *report);

#endif
