/*
 * Stores that grew apart from one: drawn changes by tool and by hand, on clocks that differ.
 *
 * Each text that is stored has a token that no other has ("t17."), so that what becomes of it can
 * be told. The texts are stores as stores.h has them; the caller owns the struct: worlds_release().
 */
#ifndef KOTA_TESTS_MERGE_WORLDS_H
#define KOTA_TESTS_MERGE_WORLDS_H

#include "base/str.h"

#include <stdint.h>

struct worlds {
	struct str base;
	struct str a;
	struct str b;
};

/* Draws them: the same seed gives the same texts. */
void worlds_make(struct worlds *out, uint64_t seed);

void worlds_release(struct worlds *worlds);

/* The first token of `from` at or behind *at, which moves behind it; absent when there is none. */
struct slice worlds_token(struct slice from, size_t *at);

#endif
