/*
 * Merging texts that are made of lines.
 */
#ifndef KOTA_MERGE_MERGE_LINES_H
#define KOTA_MERGE_MERGE_LINES_H

#include "base/str.h"
#include "merge/merge_docs.h"

/*
 * A log whose lines have no order that matters, as a set: ours in their order without what either
 * side took out, then what theirs added, by text. A last line without a newline stays when it is
 * JSON, and gets one; else its writer was killed, and it goes. *out is cleared first.
 */
void lines_merge_log(const struct merge_texts *texts, struct str *out);

/*
 * A text for people, by hunks. A hunk that both changed keeps both texts, the smaller first, with
 * a blank line between: never a marker. Of several bases the first counts. *out is cleared first.
 */
void lines_merge_text(const struct merge_texts *texts, struct str *out);

#endif
