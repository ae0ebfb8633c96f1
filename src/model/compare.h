/*
 * What differs between two texts of one file of the store, entry by entry.
 *
 *	struct comparison c;
 *	compare_entries(&c, CATEGORY_STATE, before, after);
 *	for (size_t i = 0; i < c.count; i++) ... c.items[i] ...
 *	comparison_release(&c);
 *
 * Pure functions over texts, for the history. An entry that only looks different (spacing, the
 * order of its members, an escape) is the same; whether the looks differ is said apart. A text that
 * is blank or absent has no entries; one that does not parse has none either, and is named. Slices
 * point into the two texts or into the comparison, which owns the rest.
 */
#ifndef KOTA_MODEL_COMPARE_H
#define KOTA_MODEL_COMPARE_H

#include "base/arena.h"
#include "base/json.h"
#include "model/category.h"

struct difference {
	enum category category;
	struct slice key;    /* of an entry; of a record its own, K@TIME */
	bool record;         /* of archive.json */
	struct slice before; /* JSON text, absent when it was not there */
	struct slice after;  /* absent when it is gone */
};

struct comparison {
	struct difference *items; /* what was there, in its order, then what is new */
	size_t count;
	bool before_broken; /* that text does not parse */
	bool after_broken;
	bool looks_differ; /* the texts are not the same bytes */
	size_t cap;
	struct arena arena;
	struct json docs[2];
};

/* Compares two texts of a category file. */
void compare_entries(struct comparison *out, enum category category, struct slice before,
		     struct slice after);

/* Compares two texts of archive.json, record by record. */
void compare_records(struct comparison *out, struct slice before, struct slice after);

void comparison_release(struct comparison *comparison);

#endif
