/*
 * Which value stands in each key, by the answers of the one client of a store: the exact form of
 * the judgement, for a store with one writer.
 *
 *	standing_answer(&standing, mark, reply);    for each answer, in order
 *	standing_judge(&standing, asked, &files, &row);
 *
 * For the programs of tests/torture. After a kill the files have to say what the answers say, or
 * that and the whole of the operation that was under way: the value with all that had to make room
 * for it, or everything that was cleared.
 */
#ifndef KOTA_TORTURE_STANDING_H
#define KOTA_TORTURE_STANDING_H

#include "torture/books.h"

/* What stands for operations that carry no mark. */
#define ASKED_NOTHING 0U
#define ASKED_CLEAR UINT32_MAX

struct standing {
	const struct books *books;
	size_t limit;    /* of entries in a category */
	bool narrow;     /* bytes are short, so that anything may have to make room */
	uint32_t *marks; /* by position of the key in the books; 0: nothing */
	size_t cap;
};

void standing_init(struct standing *standing, const struct books *books, size_t limit, bool narrow);
void standing_release(struct standing *standing);

/* Takes in the answer to what was asked; an answer that reports an error changes nothing. */
void standing_answer(struct standing *standing, uint32_t asked, struct slice reply);

/*
 * Judges and takes over what the files say. `asked` was under way, `touched` is the answer to the
 * change that was made since, of which only who had to make room counts.
 */
void standing_judge(struct standing *standing, uint32_t asked, struct slice touched,
		    const struct files *files, struct row *row);

#endif
