/*
 * What a session is told at its start, and in which order.
 *
 * Each entry belongs to a part of the text. Within a part the order is: what the person called
 * important, then what was looked up often and recently, then what is new. Notes of what happened
 * come after the facts of the work. Ages are counted from the last thing that happened in the
 * store, so that a year of absence changes nothing.
 */
#ifndef KOTA_OPS_PRIMER_ORDER_H
#define KOTA_OPS_PRIMER_ORDER_H

#include "store/view/query.h"
#include "tool/tool.h"

/* In the order in which they are told. */
enum primer_part {
	PRIMER_PINNED,
	PRIMER_NOTES, /* of the last conversation */
	PRIMER_FIRST, /* what matters most, of any category */
	PRIMER_RULES,
	PRIMER_WORK,
	PRIMER_PEOPLE,
	PRIMER_SHORTHANDS,
	PRIMER_HABITS,
	PRIMER_PART_COUNT
};

struct primer_line {
	const struct item *item;
	enum primer_part part; /* PRIMER_FIRST only once it was chosen for that */
	double worth;
	double importance; /* its own, or that of what it took the place of */
	bool noted;        /* important, looked up often and lately, or a successor */
	bool successor;    /* it took the place of another entry, or of its own older value */
	bool report;       /* work that is over: it tells what happened or was done */
	bool quiet;        /* neither important nor looked up nor changed for a long time */
	bool done;         /* work that is marked so: not told */
	size_t place;      /* in the store, which decides between equals */
	struct slice text; /* absent; for primer.c: what is told */
};

/*
 * All that may be told, what matters most first; in the call's arena. What is due is left out, and
 * so is what did not change since since_ms (TIME_NONE: nothing is left out for that). The store is
 * current.
 */
struct primer_line *primer_order(const struct call *call, int64_t since_ms, size_t *count);

#endif
