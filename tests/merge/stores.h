/*
 * Whole stores as one JSON value, merged: what tests and their scripts make triples of.
 *
 * {"preferences":{...}, ..., "state":{...}, "archive":{...}, "cold":["LINE", ...],
 * "relations":{...}}
 */
#ifndef KOTA_TESTS_MERGE_STORES_H
#define KOTA_TESTS_MERGE_STORES_H

#include "merge/merge_file.h"

/*
 * Appends the merge of stores (JSON texts) as such a text; base absent: there is none. What is no
 * such store ends the process with a message.
 */
void stores_merge(struct slice base, struct slice ours, struct slice theirs, struct str *out);

/* Appends the canonical text of a store: records and cold lines sorted, "front" of records out. */
void stores_canonical(struct slice store, struct str *out);

#endif
