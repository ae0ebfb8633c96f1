/*
 * Merging the files of a store: what each is, and the whole of it.
 *
 * Pure functions from texts to texts: no file is opened, no clock is read. A merge never asks, and
 * never fails because of what somebody wrote; it fails only if a text is not of the file's kind. It
 * is symmetric but for layout: which side is ours decides whose bytes are kept, not what is stored.
 */
#ifndef KOTA_MERGE_MERGE_FILE_H
#define KOTA_MERGE_MERGE_FILE_H

#include "merge/merge_category.h"
#include "merge/merge_docs.h"
#include "model/category.h"

enum merge_kind {
	MERGE_NOT_OURS, /* not a file of a store */
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
 * Merges one file, alone: losing texts are kept in their entries. A base may be what merge_bases()
 * has made of several. Puts the result, which parses,
 * into *out (cleared first) and the conflicts into *report, which the caller releases in either
 * case. ERR_BAD_DATA, beginning with "WHOSE:LINE:COLUMN: ", if a text is not of this kind.
 */
int merge_file(struct slice path, const struct merge_texts *texts, size_t entry_bytes,
	       struct str *out, struct merge_report *report, struct err *err);

/*
 * Makes one base of two, ours and theirs, for a merge_file() to come: their merge, and where both
 * have changed the same one with each of both texts. *out and errors are as for merge_file().
 */
int merge_bases(struct slice path, const struct merge_texts *texts, struct str *out,
		struct err *err);

/*
 * Like merge_file(), for callers that keep losing texts elsewhere: they are neither put into
 * entries nor reported. For replaying a change on top of others.
 */
int merge_step(struct slice path, const struct merge_texts *texts, struct str *out,
	       struct err *err);

/* The files of a store that are merged together: those of the categories, then the archive. */
#define MERGE_STORE_FILES (CATEGORY_COUNT + 1)

/*
 * Merges them; losing texts become records of the archive. out are initialised strings, which a
 * failure leaves alone; the rest is as for merge_file().
 */
int merge_store(const struct merge_texts texts[MERGE_STORE_FILES], size_t entry_bytes,
		struct str out[MERGE_STORE_FILES], struct merge_report *report, struct err *err);

#endif
