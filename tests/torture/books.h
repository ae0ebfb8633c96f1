/*
 * What was asked of a store and what was answered, for judging the files afterwards.
 *
 *	uint32_t mark = books_note(&books, DEED_SET, CATEGORY_STATE, "k");
 *	... memory_set with a value that carries the mark ...
 *	books_acknowledge(&books, mark);
 *	books_judge(&books, &files, &row);
 *
 * For the programs of tests/torture. Each key is written by one client, which waits for nobody: its
 * deeds are in order. Whoever else takes entries out of service (eviction, expiry, clear_state) may
 * do so at any time. What was acknowledged has to be somewhere, what stood in a key has to be in
 * one place only, and what was not acknowledged has happened whole or not at all, which is settled
 * by the first judgement after it.
 */
#ifndef KOTA_TORTURE_BOOKS_H
#define KOTA_TORTURE_BOOKS_H

#include "base/map.h"
#include "torture/files.h"

enum deed_kind {
	DEED_SET,
	DEED_UPDATE,
	DEED_NOTES,
	DEED_DELETE,
	DEED_HAND /* written into the file so that it is due */
};

enum outcome { OUTCOME_OPEN, OUTCOME_DONE, OUTCOME_VOID };

struct deed {
	enum deed_kind kind;
	enum outcome outcome;
	uint32_t key;
	uint32_t before; /* the deed on the same key before this one, 0 for none */
};

struct tracked {
	enum category category;
	struct slice name;
	uint32_t last; /* the last deed */
};

struct books {
	struct arena arena;
	struct map index;   /* from ref to position in keys */
	struct deed *deeds; /* by mark; 0 is none */
	size_t count;       /* of deeds, with the one that is none */
	size_t deed_cap;
	struct tracked *keys;
	size_t key_count;
	size_t key_cap;
	size_t acknowledged; /* deeds that were, in all */
	bool cleared;        /* clear_state was called */
};

void books_init(struct books *books);
void books_release(struct books *books);

/* Notes a deed before it is asked for; returns the mark that its value has to carry. */
uint32_t books_note(struct books *books, enum deed_kind kind, enum category category,
		    const char *key);

/* The deed was acknowledged. Without this call it may have happened or not. */
void books_acknowledge(struct books *books, uint32_t mark);

/* Holds the files against all deeds; reports what differs, and settles what was open. */
void books_judge(struct books *books, const struct files *files, struct row *row);

#endif
