/*
 * Merging a category file entry by entry.
 *
 * Two keys that each side added and that say the same after normalisation are one entry. An entry
 * that one side renamed, its text unchanged, takes the other side's change along.
 */
#ifndef KOTA_MERGE_CATEGORY_H
#define KOTA_MERGE_CATEGORY_H

#include "merge/merge_docs.h"
#include "merge/skeleton.h"

struct merge_options {
	size_t entry_bytes; /* longest entry that may be composed, as entry_size() counts; 0: any */
	bool in_entry; /* a text that gave way goes into its entry, as only this file is written */
};

/* Adds to *out what makes the merge of ours, and to *report what gave way. file: its name. */
void category_merge(const struct merge_docs *docs, struct slice file,
		    const struct merge_options *options, struct skeleton *out,
		    struct merge_report *report);

#endif
