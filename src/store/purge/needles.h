/*
 * Searches a text for many values in one pass.
 *
 * A value is found by its first NEEDLE_MAX bytes, since its beginning alone reveals too much.
 * Values shorter than NEEDLE_MIN are ignored: they are found in too many texts. For src/store/purge
 * only.
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
 * Adds a text, also as escaped in JSON and HTML, and each of its words that is distinctive: long,
 * or of letters and digits.
 */
void needles_add(struct needles *needles, struct slice text);

/* Adds all strings and numbers in a value. */
void needles_add_json(struct needles *needles, const struct json *doc, uint32_t node);

/* True if the text has any of them. */
bool needles_in(struct needles *needles, struct slice text);

/* Frees all and leaves none. */
void needles_release(struct needles *needles);

#endif
