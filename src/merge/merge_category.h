/*
 * Merging a category file entry by entry.
 *
 * If each side added a key and both are equal after normalisation, they are one entry. If one side
 * renamed an entry without changing its text, the other side's change is applied under the new
 * name, unless that side renamed it, too: then what it has under the old name is another entry.
 */
#ifndef KOTA_MERGE_CATEGORY_H
#define KOTA_MERGE_CATEGORY_H

#include "merge/merge_docs.h"
#include "merge/skeleton.h"

struct merge_options {
	size_t entry_bytes; /* longest merged entry, by entry_size(); 0: no limit */
	bool in_entry;      /* a losing text goes into its entry, since only this file is written */
	enum pick favored;  /* PICK_A or PICK_B: ours or theirs stands where both have changed */
};

/*
 * Adds to *out the edits that turn ours into the merge, and the conflicts to *report. file: its
 * name.
 */
void category_merge(const struct merge_docs *docs, struct slice file,
		    const struct merge_options *options, struct skeleton *out,
		    struct merge_report *report);

#endif
