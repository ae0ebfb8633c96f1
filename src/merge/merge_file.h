/*
 * Merging the files of a store: what each is, and the whole of it.
 *
 * Pure functions from texts to texts: no file is opened, no clock is read. A merge never asks, and
 * never fails because of what somebody wrote; it fails only where a text is not what the file is
 * made of. It is symmetric but for layout: whose side is called ours decides whose bytes stay, not
 * what is stored.
 */
#ifndef KOTA_MERGE_MERGE_FILE_H
#define KOTA_MERGE_MERGE_FILE_H

#include "merge/merge_category.h"
#include "merge/merge_docs.h"
#include "model/category.h"

enum merge_kind {
	MERGE_NOT_OURS, /* a file that no store has */
	MERGE_CATEGORY,
	MERGE_ARCHIVE,
	MERGE_RELATIONS,
	MERGE_ACTIVITY,
	MERGE_CONFIG,
	MERGE_SYNONYMS,
	MERGE_LOG,
	MERGE_NOTE, /* and other texts made of lines */
	MERGE_FORMAT
};

/* What the file at this path is, by its name and that of its folder. */
enum merge_kind merge_kind_of(struct slice path);

/*
 * Merges one file, alone: texts that gave way stay in their entries. Puts the result, which parses,
 * into *out (cleared first) and what gave way into *report, which the caller releases in either
 * case. ERR_BAD_DATA, "WHOSE:LINE:COLUMN: " first, where a text is none of this kind.
 */
int merge_file(struct slice path, const struct merge_texts *texts, size_t entry_bytes,
	       struct str *out, struct merge_report *report, struct err *err);

/*
 * The same for who keeps elsewhere what gives way: it is in no entry and not reported. For making a
 * change again on top of others.
 */
int merge_step(struct slice path, const struct merge_texts *texts, struct str *out,
	       struct err *err);

/* The files of a store that are merged together: those of the categories, then the archive. */
#define MERGE_STORE_FILES (CATEGORY_COUNT + 1)

/*
 * Merges them; texts that gave way become records of the archive. out are initialised strings, the
 * rest is as with merge_file(). A failure leaves in out what there was.
 */
int merge_store(const struct merge_texts texts[MERGE_STORE_FILES], size_t entry_bytes,
		struct str out[MERGE_STORE_FILES], struct merge_report *report, struct err *err);

#endif
