/*
 * Who set the value that an entry has now, or each of its fields: the last change that gave it,
 * wherever the entry was then.
 */
#ifndef KOTA_OPS_HISTORY_BLAME_H
#define KOTA_OPS_HISTORY_BLAME_H

#include "tool/tool.h"

/*
 * Writes a member "entries" of an open object: of the entry of this key or ref, field by field
 * where its value is an object, or with an absent key of all entries. The view must be fresh.
 * Errors as follow_open(); ERR_NOT_FOUND for a key that is not in the store.
 */
int blame_write(struct json_writer *w, const struct call *call, struct slice key, struct err *err);

#endif
