/*
 * Merging texts that are made of lines.
 */
#ifndef KOTA_MERGE_MERGE_LINES_H
#define KOTA_MERGE_MERGE_LINES_H

#include "base/str.h"
#include "merge/merge_docs.h"

/*
 * Merges a log as a set of lines, whose order does not matter: our lines in their order, without
 * those that either side removed, then those that theirs added, sorted. A last line without a
 * newline gets one if it is JSON; if not, its writer was killed, and the line is dropped. *out is
 * cleared first.
 */
void lines_merge_log(const struct merge_texts *texts, struct str *out);

/*
 * Merges a text for people by hunks. A hunk that both sides changed keeps both texts, the smaller
 * first, with a blank line between and without conflict markers. Of several bases the first counts.
 * *out is cleared first.
 */
void lines_merge_text(const struct merge_texts *texts, struct str *out);

#endif
