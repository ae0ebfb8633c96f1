/*
 * The losing texts of conflicts: in the report, in their entry, and as records of the archive.
 *
 * Where a merge may write one file only, the losing text is kept in the entry itself, in a list
 * named "conflict"; the next change of the store moves it into the archive.
 */
#ifndef KOTA_MERGE_CONFLICT_H
#define KOTA_MERGE_CONFLICT_H

#include "merge/merge_docs.h"

/*
 * Reports that `front` won over `loser`, two entries under this key of the file (a category, if it
 * is one). Texts are copied.
 */
void conflict_report(struct merge_report *report, struct slice file, struct slice key,
		     struct part front, struct part loser);

/*
 * Puts the entry without its list into *rest (cleared first), the value alone where nothing else is
 * left, and each text of the list into *report. Returns false and does nothing if it has none: a
 * person's own member of that name is not such a list.
 */
bool conflict_lift(struct slice file, struct slice key, struct slice entry, struct str *rest,
		   struct merge_report *report);

/*
 * True if the record of a losing text is undecided: while the entry has the value that won. Whoever
 * changes, deletes or restores the entry has decided.
 */
bool conflict_is_open(struct slice record, struct slice entry);

/* Appends "K@TIME", by which its record is known unless another has that key. */
void conflict_record_key(struct str *out, const struct merge_conflict *conflict);

/* Appends the compact JSON text of its record, under this key. */
void conflict_record(struct str *out, const struct merge_conflict *conflict, struct slice key);

#endif
