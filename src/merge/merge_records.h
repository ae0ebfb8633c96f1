/*
 * Merging archive.json record by record.
 *
 * Records never change once they are written: the result has what either side added and lacks what
 * either removed. If both sides archived the same entry for the same reason, the earlier record is
 * kept.
 */
#ifndef KOTA_MERGE_RECORDS_H
#define KOTA_MERGE_RECORDS_H

#include "merge/merge_docs.h"
#include "merge/skeleton.h"

/*
 * Adds to *out the edits that turn ours into the merge, and a record for each conflict of the
 * report (NULL: none), which is the same on every machine. -1 and *err where a category of a side
 * is no list.
 */
int records_merge(const struct merge_docs *docs, const struct merge_report *conflicts,
		  struct skeleton *out, struct err *err);

#endif
