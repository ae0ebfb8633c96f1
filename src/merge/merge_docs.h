/*
 * The versions of one file, parsed: what a merge begins with, and what it reports.
 */
#ifndef KOTA_MERGE_DOCS_H
#define KOTA_MERGE_DOCS_H

#include "base/err.h"
#include "merge/merge_value.h"

/*
 * The texts of one file. An absent text counts as a file without entries, and so does a blank one
 * if no base has entries.
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
	enum pick favored; /* as in struct versions */
};

/* The root objects as versions of one value; the arena owns the list of bases. */
struct versions merge_docs_roots(const struct merge_docs *docs, struct arena *arena);

/* A conflict, and the text that lost it. */
struct merge_conflict {
	struct slice file;  /* name without ".json": the category, where it is one */
	struct slice key;   /* of the entry or member; absent for a whole text */
	struct slice loser; /* compact JSON text of the entry or member that lost */
	struct slice front; /* canonical text of the value that won */
	struct slice time;  /* the later of the two times; empty when there is none */
};

/* What a merge reports beside its text. */
struct merge_report {
	struct merge_conflict *conflicts;
	size_t count;
	size_t cap;
	size_t renames; /* changes that followed an entry to its new name */
	struct arena arena;
};

/* Appends a conflict, for the caller to fill. */
struct merge_conflict *merge_report_add(struct merge_report *report);

/* Frees it, leaves an empty one. */
void merge_report_release(struct merge_report *report);

#endif
