/*
 * All that a store holds, read without leaving a trace in it: what is exported, and what is taken
 * over from another store. Entries and links belong to the store and are valid until it is read
 * again; the order of records is the reader's: whole_release().
 */
#ifndef KOTA_OPS_TRANSFER_WHOLE_STORE_H
#define KOTA_OPS_TRANSFER_WHOLE_STORE_H

#include "base/map.h"
#include "ops/common.h"
#include "store/view/relations.h"

struct whole_choice {
	int category; /* CATEGORY_ANY: all */
	bool archive; /* archive records too, those of the cold archive as well */
	bool partial; /* what cannot be read is left out, instead of failing */
};

struct whole {
	struct store *store;
	struct whole_choice choice;
	const struct item *items; /* what is due to expire stands in its file, and is here */
	size_t item_count;
	struct archived *records; /* by category, time and key, wherever they are kept */
	size_t record_count;
	const struct link *links; /* all, whether their entries are here or not */
	size_t link_count;
	const char *bad_lines; /* lines of the cold archive that cannot be read; NULL: none */
	struct map ends;       /* of entries and records: category and identity of the key */
	const char **missing;  /* sentences about what could not be read; in the call's arena */
	size_t missing_count;
	size_t missing_cap;
};

/*
 * Reads a store. A file that cannot be read is ERR_BAD_DATA with file:line:column, or one of
 * `missing`. On success: whole_release().
 */
int whole_read(struct whole *out, const struct call *call, struct store *store,
	       const struct whole_choice *choice, struct err *err);

void whole_release(struct whole *whole);

/* True if it is chosen. */
bool whole_has(const struct whole *whole, enum category category);

/*
 * Writes a record without its category, which it says itself in the cold archive: where it is kept
 * makes no difference.
 */
void whole_write_record(struct json_writer *w, const struct record *record);

#endif
