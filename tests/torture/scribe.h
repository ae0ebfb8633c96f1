/*
 * A serving process whose every change can be found in the history again: no two of its changes
 * are of the same tool and key.
 *
 *	scribe_start(&scribe, dir.path, 0, row.plant);
 *	scribe_send(&scribe, &row);
 *	scribe_take(&scribe);
 *	scribe_stop(&scribe, &row);    or scribe_kill(), and scribe_start() again
 *	scribe_judge(&scribe, &row, &log, text_of_state_json);
 *	scribe_release(&scribe);
 *
 * For the programs of tests/torture. The struct is the caller's, zeroed before the first start.
 */
#ifndef KOTA_TORTURE_SCRIBE_H
#define KOTA_TORTURE_SCRIBE_H

#include "torture/gitlog.h"
#include "torture/server.h"

struct scribe_deed {
	const char *tool;
	unsigned key; /* "w<number> k<key>" in state */
	bool acknowledged;
	bool unrecorded; /* ... and said not to be in the history yet */
	bool for_edit; /* ... and said that it may be taken for an edit: .pending cannot be written
			*/
};

struct scribe {
	struct server server;
	unsigned number;
	bool running;
	unsigned keys; /* so many were set so far */
	struct scribe_deed *deeds;
	size_t count;
	size_t cap;
	size_t answered; /* deeds before this one have an answer, or never will */
	size_t acknowledged;
	size_t for_edits;
};

/* Limits that nothing here reaches: only what is asked for happens. */
void scribe_configure(const char *dir);

/* Makes such a store in the folder, by a name of its own, in the place of the one before it. */
void scribe_new_store(const char *folder, unsigned number, char *store, size_t size);

/* Scribes are from now on the program of unsynced.c, with this fault; "" is none. */
void scribe_use_unsynced(const char *fault);

void scribe_start(struct scribe *scribe, const char *dir, unsigned number, const char *plant);

/* Sends a set of a key of its own, now and then an update or a delete of the last one. */
void scribe_send(struct scribe *scribe, struct row *row);

/*
 * Sends several that need not wait for each other: of all kinds, or, every other time, so many sets
 * that what they record goes into a pack.
 */
void scribe_send_burst(struct scribe *scribe, struct row *row);

/* As scribe_send(), always a set, which works whatever a kill has left of the last one. */
void scribe_touch(struct scribe *scribe);

/* Takes in one answer; false when there are no more to come, or the server is gone. */
bool scribe_take(struct scribe *scribe);

/* If the last answer says that a change may be taken for an edit, it may be of these before it. */
void scribe_doubt(struct scribe *scribe, size_t before);

/* SIGKILL; then takes in what it had answered. */
void scribe_kill(struct scribe *scribe);

void scribe_stop(struct scribe *scribe, struct row *row);

/*
 * What was acknowledged is in the history once, anything else at most once, and what was set last
 * is in the file, whose text is given. log is NULL where there is no history. Without `missing`
 * what is not in the history is a violation; else it is counted there, unless the answer had said
 * so: then it may be.
 */
void scribe_judge(const struct scribe *scribe, struct row *row, const struct gitlog *log,
		  const char *state, size_t *missing);

void scribe_release(struct scribe *scribe);

#endif
