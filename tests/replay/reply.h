/*
 * Comparing the reply of an operation with the fields that a sequence expects of it.
 */
#ifndef KOTA_TESTS_GOLDEN_REPLY_H
#define KOTA_TESTS_GOLDEN_REPLY_H

#include "json/doc.h"

/*
 * Has the reply (JSON text) every field of the object at expect? It may have more. Times agree as
 * instants, `ref` with the reply's category and key, a list of keys under `archived` as a set.
 * When not, *why says which field.
 */
bool reply_agrees(const struct json *doc, uint32_t expect, struct slice reply, struct str *why);

#endif
