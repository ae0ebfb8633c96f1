/*
 * The entries of one category file and the records of archive.json, read out of their parsed
 * texts. For src/store only.
 *
 * Each shelf is rebuilt only when its own file was read again; items and records point into that
 * file's text and into the shelf's arena.
 */
#ifndef KOTA_STORE_ITEMS_CATEGORY_TABLE_H
#define KOTA_STORE_ITEMS_CATEGORY_TABLE_H

#include "base/arena.h"
#include "base/map.h"
#include "json/doc.h"
#include "store/items/item.h"

struct shelf {
	struct arena arena;
	struct item *items; /* in the order of the file */
	size_t count;
	struct map by_key;      /* key as spelt -> position */
	struct map by_identity; /* identity -> position of the first that has it */
};

/* Empties the shelf and fills it from the parsed file; doc NULL leaves it empty. */
void shelf_fill(struct shelf *shelf, enum category category, const struct json *doc);

/* Frees the items and their texts, leaves an empty shelf. */
void shelf_release(struct shelf *shelf);

/* Position of the item spelt like this; false when there is none. */
bool shelf_find_spelt(const struct shelf *shelf, struct slice key, size_t *position);

/* Position of the first item of this identity; false when there is none. */
bool shelf_find_equal(const struct shelf *shelf, struct slice identity, size_t *position);

struct record_shelf {
	struct arena arena;
	struct archived *records; /* by category, then in the order of the file */
	size_t count;
	size_t left_out; /* members that are no record, or no list of records */
};

/* As shelf_fill, for archive.json. */
void record_shelf_fill(struct record_shelf *shelf, const struct json *doc);

/* Frees the records and their texts, leaves an empty shelf. */
void record_shelf_release(struct record_shelf *shelf);

#endif
