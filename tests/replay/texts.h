/*
 * Lists of texts in cases.
 */
#ifndef KOTA_TESTS_TEXTS_H
#define KOTA_TESTS_TEXTS_H

#include "base/arena.h"
#include "replay/golden.h"

/*
 * The texts of a list, in the arena; false, with *why, when the node is no list of texts.
 */
bool texts_read(const struct json *doc, uint32_t node, struct arena *arena, struct slice **texts,
		size_t *count, struct str *why);

#endif
