/*
 * Values that are looked for in other texts, all of them in one pass.
 *
 * A value counts by its first bytes: whoever shows only the beginning of it shows too much. Values
 * that are shorter than NEEDLE_MIN stand in too many texts to say anything, and are not taken. For
 * the files of purge.
 */
#ifndef KOTA_STORE_PURGE_NEEDLES_H
#define KOTA_STORE_PURGE_NEEDLES_H

#include "base/arena.h"
#include "base/map.h"
#include "json/doc.h"

#define NEEDLE_MIN 6
#define NEEDLE_MAX 64

struct needles {
	struct slice *items; /* in the arena */
	size_t count;
	size_t cap;
	struct map known;
	struct arena arena;
	struct slice *sorted; /* without those that begin with another; made when first needed */
	size_t sorted_count;
	unsigned char *begins; /* a bit for each hash of first bytes that any of them has */
	size_t bits;           /* a power of two */
	size_t indexed;        /* how many items these are made of */
};

#define NEEDLES_INIT                                                                               \
	{                                                                                          \
		.known = MAP_INIT, .arena = ARENA_INIT                                             \
	}

/*
 * Takes a text as it is, and as JSON and HTML write it; and each word of it by itself that nobody
 * uses by chance: one that is long, or has letters and digits.
 */
void needles_add(struct needles *needles, struct slice text);

/* Takes all strings and numbers of a value. */
void needles_add_json(struct needles *needles, const struct json *doc, uint32_t node);

/* True if any of them stands in the text. */
bool needles_in(struct needles *needles, struct slice text);

/* Frees all, leaves none. */
void needles_release(struct needles *needles);

#endif
