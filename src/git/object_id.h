/*
 * The name of an object in a repository: 20 bytes. All zero: there is none.
 *
 * For everybody who deals with history; the rest of src/git is behind repo.h, commit.h, walk.h and
 * pack.h. A plain value.
 */
#ifndef KOTA_GIT_OBJECT_ID_H
#define KOTA_GIT_OBJECT_ID_H

#include "base/slice.h"

#include <stdbool.h>
#include <string.h>

#define OBJECT_ID_BYTES 20

/* Digits in hexadecimal, without a terminator. */
#define OBJECT_ID_DIGITS 40

struct object_id {
	unsigned char bytes[OBJECT_ID_BYTES];
};

static inline bool object_id_equal(const struct object_id *a, const struct object_id *b)
{
	return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

static inline bool object_id_is_none(const struct object_id *id)
{
	static const struct object_id none = {{0}};

	return object_id_equal(id, &none);
}

/* Writes the digits and a terminator. */
void object_id_text(const struct object_id *id, char out[OBJECT_ID_DIGITS + 1]);

/* The id of exactly OBJECT_ID_DIGITS digits; false for anything else. */
bool object_id_parse(struct slice text, struct object_id *out);

#endif
