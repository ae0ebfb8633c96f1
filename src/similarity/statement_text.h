/*
 * The text of a statement, taken apart before it is compared with many others: its words, those of
 * each of its clauses, and what they report.
 */
#ifndef KOTA_SIMILARITY_STATEMENT_TEXT_H
#define KOTA_SIMILARITY_STATEMENT_TEXT_H

#include "base/arena.h"
#include "similarity/report.h"

/* Longer texts are more than one statement, and never related. */
#define STATEMENT_BYTES 600

struct word; /* similarity/phrase.h */

/* Words that follow each other in a text. */
struct statement_part {
	const struct word *words;
	size_t count;
	enum report tells; /* what the part is by itself */
};

struct statement {
	struct slice text;
	struct slice key;         /* of the entry; its words count as said */
	int category;             /* entries of one category rather speak of one thing */
	bool listed;              /* no sentence: words of an object, a key and its value */
	const struct word *words; /* from statement_read(); NULL: read for each comparison */
	size_t word_count;
	const struct statement_part *clauses; /* from statement_read_clauses(); NULL as well */
	size_t clause_count;
	enum report tells; /* then: what the whole text is */
};

/* Takes the text apart, where it is to be compared with many. The words live in the arena. */
void statement_read(struct statement *statement, struct arena *arena);

/* The same for its clauses: only statement_compare() asks for them. After statement_read(). */
void statement_read_clauses(struct statement *statement, struct arena *arena);

#endif
