/*
 * What maintenance knows of an entry when it decides about it. Texts point into the arena, or into
 * the view that the item is of.
 */
#ifndef KOTA_OPS_ENTRY_STATS_H
#define KOTA_OPS_ENTRY_STATS_H

#include "policy/decay.h"
#include "policy/salience.h"
#include "store/open/store.h"

struct facts {
	const struct item *item;
	int64_t bytes;         /* entry_size() */
	double age_days;       /* since it was made */
	double idle_days;      /* since it was last active */
	double salience;       /* policy/salience.h */
	bool report;           /* a note of something that happened, or of a day that is over */
	bool holds;            /* it says what goes on: a person, a habit, a fact of the work */
	bool rule;             /* a fact of the work that says what has to be done or left */
	int64_t due_ms;        /* when the day is over that an entry of state names; TIME_NONE */
	int64_t fades_from_ms; /* last active; or the day that it names, or its use since */
	enum protection
		kept; /* why maintenance leaves it alone unless it is named (policy/salience.h) */
};

/* Reads what is known of the item at now_ms. Cannot fail. */
void facts_read(struct facts *out, const struct item *item, int64_t now_ms);

/*
 * The facts of all entries that are not due to expire, in the order of the view and in the arena.
 * What took the place of an entry that was superseded holds, however its text tells of that.
 */
struct facts *facts_read_all(struct store *store, int64_t now_ms, struct arena *arena,
			     size_t *count);

/* policy/decay.h. */
double facts_half_life(const struct facts *facts, const struct settings *settings);

/* What is left of the entry at now_ms: policy/decay.h. */
double facts_score(const struct facts *facts, const struct settings *settings, int64_t now_ms);

/*
 * True if the entry would have expired by now, and only stays because the store is shared: hits are
 * counted on each machine for itself, so that others may use it, and a removal travels. Whoever
 * maintains such a store by hand is told.
 */
bool facts_expired_elsewhere(const struct facts *facts, const struct store *store,
			     const struct settings *settings, int64_t now_ms);

/* True if it is marked done: by a tag, by its value's status or "done", or by its text. */
bool facts_done(const struct item *item);

/* Why the entry deserves to last (policy/decay.h); what is done does not. */
unsigned int facts_merits(const struct facts *facts, double score, const struct settings *settings,
			  int64_t now_ms);

/*
 * For qsort() over facts of one view: the least recently active first, of equal ones the one that
 * stands first.
 */
int facts_compare_idle(const void *a, const void *b);

/*
 * Lets the facts outlast a commit: item becomes a copy in the arena, of which the ref, the key,
 * times and hits stay; its text and value are valid until the view changes, as before.
 */
void facts_hold(struct facts *facts, struct arena *arena);

#endif
