/*
 * The order of the entries in the text at the start of a session.
 *
 * Each entry belongs to a part of the text. Within a part, entries that the person called important
 * come first, then those that were looked up often and recently, then new ones. Reports of finished
 * work come after the facts of current work; what names a day is new until then. Ages are counted
 * from the last activity in the store, so that a year of absence changes nothing.
 */
#ifndef KOTA_OPS_PRIMER_ORDER_H
#define KOTA_OPS_PRIMER_ORDER_H

#include "store/view/query.h"
#include "tool/tool.h"

/* In the order of the text. */
enum primer_part {
	PRIMER_PINNED,
	PRIMER_NOTES, /* on the last conversation */
	PRIMER_FIRST, /* the most important, of any category */
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
	double use;        /* 0 to 1: how often and how lately it was asked for */
	double importance; /* its own, or that of the entry that it replaced */
	bool noted;        /* important, looked up often and recently, or a successor */
	bool successor;    /* it replaced another entry, or its own older value */
	bool superseding;  /* another entry */
	bool report;       /* a report of finished work */
	bool quiet;        /* not important, and not looked up or changed for a long time */
	bool fading;       /* a lasting entry that expires soon unless it is told */
	bool holds;        /* work of which the text says that it goes on */
	bool rule;         /* work that says what has to be done or left: nobody asks for that */
	bool ahead;        /* work that names a day to come */
	bool done;         /* work that is marked as done, or whose day is over: left out */
	size_t place;      /* in the store; decides between equals */
	struct slice text; /* for primer.c: the text of the line; absent at first */
	size_t units;      /* for primer.c: what key and value take in its part; 0 at first */
};

/*
 * The entries for the text, most important first, in the call's arena. Leaves out entries that are
 * due, and those that did not change since since_ms (unless it is TIME_NONE). The store must be
 * current.
 */
struct primer_line *primer_order(const struct call *call, int64_t since_ms, size_t *count);

#endif
