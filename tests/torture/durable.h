/*
 * Whether a trace of calls keeps a change safe from a power cut at any moment of it.
 *
 * For tests/torture/order.c. A walk along the trace keeps account of what a power cut would take
 * away: texts that are written and not fsynced, names that are made, renamed or removed in a
 * directory that is not fsynced. The rules:
 *
 *	a text is durable before it gets its name, and is never written under that name
 *	the directories above, and the marks of a store, are durable before it holds anything
 *	the journal and its name are durable before any file that it is about is changed
 *	what is appended to the cold archive is durable before the next file is changed
 *	what the journal is about is durable before the journal goes, or is replaced by another
 *	nothing is left to lose when the operation returns
 *
 * Files that are derived or only notes (metadata.json, usage.jsonl, .NAME.last, .lock, .pending)
 * are free of them, as is the removal of a temporary file. No file system calls are made; texts are
 * static.
 */
#ifndef KOTA_TORTURE_DURABLE_H
#define KOTA_TORTURE_DURABLE_H

#include "support/fake_sys.h"

/* What was there when the trace began. */
struct durable_start {
	bool cold_file; /* this month's file of the cold archive */
	bool journal;
	const char *unsynced[4]; /* directories with names that somebody who was killed left */
};

#define DURABLE_NONE SIZE_MAX
#define DURABLE_ALL (SIZE_MAX - 1)

/*
 * Walks the trace as if the call number `without` had not been made; DURABLE_NONE for all as it
 * was, DURABLE_ALL for no fsync at all. Returns the rule that is broken, or NULL, and in *at the
 * number of the call at which that shows.
 */
const char *durable_fault(const struct fake_event *trace, size_t count,
			  const struct durable_start *start, size_t without, size_t *at);

#endif
