/*
 * Texts that gave way in a merge: in the report, in their entry, and as records of the archive.
 *
 * Where a merge may write one file only, what gave way is kept in the entry itself, in a list under
 * the name "conflict"; the next change of the store takes it out again and makes records of it.
 */
#ifndef KOTA_MERGE_CONFLICT_H
#define KOTA_MERGE_CONFLICT_H

#include "merge/merge_docs.h"

/*
 * Reports that `loser` gave way to `front`, entries of the file (a category, where it is one) under
 * this key. Texts are copied.
 */
void conflict_report(struct merge_report *report, struct slice file, struct slice key,
		     struct part front, struct part loser);

/* Can this text of a category file have entries with such a list? Cheap. */
bool conflict_may_be_in(struct slice text);

/*
 * Puts the entry without its list into *rest (cleared first), the value alone where nothing else is
 * left, and each text of the list into *report. False, and nothing is done, where it has none: a
 * person's own member of that name is no such list.
 */
bool conflict_lift(struct slice file, struct slice key, struct slice entry, struct str *rest,
		   struct merge_report *report);

/* Appends "K@TIME", by which its record is known unless another has that key. */
void conflict_record_key(struct str *out, const struct merge_conflict *conflict);

/* Appends the compact JSON text of its record, under this key. */
void conflict_record(struct str *out, const struct merge_conflict *conflict, struct slice key);

#endif
