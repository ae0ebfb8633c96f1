/*
 * Which of many notes tell of the same thing that happens again and again, and by which words that
 * is known.
 *
 * It is decided by the words that only some of the notes have, in any form. Numbers, tickets, days
 * and months, and words that most sentences have, count neither for nor against it. What words mean
 * it does not know: the same told in quite other words is not found.
 */
#ifndef KOTA_SIMILARITY_RECURRENCE_H
#define KOTA_SIMILARITY_RECURRENCE_H

#include "base/arena.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/* Fewer notes, or notes of fewer days, are no recurrence. */
#define RECURRENCE_SIZE_MIN 3

struct recurring_note {
	struct slice text;
	struct slice key; /* its words count as said */
	int64_t day;
	bool report; /* it tells of something that happened: report.h */
};

/* What a word is to the notes: it stands behind "after", or at the beginning of what was done. */
enum recurring_role { RECURRING_WORD, RECURRING_NAME, RECURRING_CAUSE, RECURRING_REMEDY };

struct recurring_word {
	struct slice word; /* as most of the notes have it, in lower case */
	size_t notes;      /* that have it, in any form */
	enum recurring_role role;
};

struct recurring {
	const size_t *notes; /* their numbers, in order */
	size_t count;
	const struct recurring_word *words; /* the most telling first */
	size_t word_count;
	double cohesion; /* mean likeness of all pairs, 0 to 1 */
	double share;    /* of the notes that have a word of these, on average */
};

/* Words of a recurrence. */
#define RECURRENCE_WORDS_MAX 8

/*
 * Groups of notes, each note in one of them at most; those with most words in common first. Of more
 * notes than RECURRENCE_NOTES_MAX the last ones are looked at. *out lives in the arena; returns how
 * many there are.
 */
#define RECURRENCE_NOTES_MAX 1000
size_t recurrence_find(const struct recurring_note *notes, size_t count, struct arena *arena,
		       struct recurring **out);

#endif
