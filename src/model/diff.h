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
 * point into the two texts or into the editions, which belong to the comparison unless the caller
 * has made them: a text that is compared several times is best taken apart once.
 */
#ifndef KOTA_MODEL_DIFF_H
#define KOTA_MODEL_DIFF_H

#include "base/arena.h"
#include "base/map.h"
#include "json/doc.h"
#include "model/category.h"

struct difference {
	enum category category;
	struct slice key;    /* of an entry; of a record its own, K@TIME */
	bool record;         /* of archive.json */
	struct slice before; /* JSON text, absent when it was not there */
	struct slice after;  /* absent when it is gone */
};

/* An entry or a record of a text. */
struct edition_part {
	enum category category;
	struct slice key;
	uint32_t node;
};

/* A text taken apart. */
struct edition {
	struct slice text; /* the caller's, who keeps it */
	bool records;      /* it is archive.json's */
	bool broken;       /* it does not parse */
	struct json doc;
	struct edition_part *parts; /* in the order of the text */
	size_t count;
	size_t cap;
	struct map by_key[CATEGORY_COUNT]; /* positions in parts */
	struct arena arena;
};

struct comparison {
	struct difference *items; /* what was there, in its order, then what is new */
	size_t count;
	bool before_broken; /* that text does not parse */
	bool after_broken;
	bool looks_differ; /* the texts are not the same bytes */
	size_t cap;
	struct edition own[2]; /* empty where the caller has made them */
};

/* Takes a text of a category file apart, or one of archive.json. */
void edition_of_entries(struct edition *out, enum category category, struct slice text);
void edition_of_records(struct edition *out, struct slice text);

/* The JSON text of an entry by its exact key; absent when there is none. */
struct slice edition_entry(const struct edition *edition, enum category category, struct slice key);

void edition_release(struct edition *edition);

/* Compares two of the same file, which must outlive the comparison. */
void compare_editions(struct comparison *out, const struct edition *before,
		      const struct edition *after);

/* Compares two texts of a category file. */
void compare_entries(struct comparison *out, enum category category, struct slice before,
		     struct slice after);

/* Compares two texts of archive.json, record by record. */
void compare_records(struct comparison *out, struct slice before, struct slice after);

void comparison_release(struct comparison *comparison);

#endif
