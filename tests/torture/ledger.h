/*
 * What a store was asked for and what it acknowledged, and whether it still says so after a crash.
 *
 *	ledger_init(&ledger, LANES);
 *	ledger_choose(&ledger, &row, lane, &arguments)    the next call of this lane, and its tool
 *	ledger_answer(&ledger, &row, lane, reply)         its reply was read
 *	...                                               crash, then one change that recovers
 *	ledger_judge(&ledger, &row, dir)                  calls without an answer may be old or new
 *
 * For the programs of tests/torture. Each value written holds a token of its own, "t17", so that
 * where a value is can be told by looking for it: active, in the archive (archive.json or a cold
 * file), or in a line that is only there to undo. The keys of a lane are its own, calls of a lane
 * come one after the other; eviction and memory_clear_state reach into other lanes, which the rules
 * allow for: what is acknowledged is active or in the archive, and never both.
 */
#ifndef KOTA_TORTURE_LEDGER_H
#define KOTA_TORTURE_LEDGER_H

#include "base/str.h"
#include "torture/row.h"

#define LEDGER_LANES 5
#define LEDGER_KEYS                                                                                \
	12 /* of a lane; the last one is for its conversation notes, of lane 0 alone               \
	    */
#define LEDGER_TOKENS 8192

enum ledger_call { CALL_NONE, CALL_SET, CALL_UPDATE, CALL_DELETE, CALL_NOTES, CALL_CLEAR };

enum fate {
	FATE_ASKED,   /* written by a call without an answer yet */
	FATE_LIVE,    /* acknowledged, and nothing of this lane has taken it out of service */
	FATE_GONE,    /* acknowledged, and replaced, deleted or cleared since */
	FATE_REFUSED, /* never written */
};

struct token {
	unsigned key; /* lane * LEDGER_KEYS + number */
	enum fate fate;
	unsigned answered; /* when, by the count of answers */
	/* What the last look at the files found. */
	unsigned active, archived, cleared, undo;
	bool was_archived; /* by the look before that */
};

/* The call of a lane that has no answer yet. */
struct pending {
	enum ledger_call call;
	unsigned key;
	unsigned token;
	unsigned asked; /* when, by the count of answers */
};

struct ledger {
	unsigned lanes;
	unsigned used; /* lanes that were asked since the last look, as bits */
	unsigned answers;
	unsigned acknowledged;
	unsigned count;
	struct token tokens[LEDGER_TOKENS];
	struct pending pending[LEDGER_LANES];
};

/* Forgets all: for a store that is not there yet. */
void ledger_init(struct ledger *ledger, unsigned lanes);

/* Is there room for so many more calls? */
bool ledger_has_room(const struct ledger *ledger, unsigned calls);

/* Finds every token in the files of a store, which have to parse; part of ledger_judge(). */
void ledger_tally(struct ledger *ledger, struct row *row, const char *dir);

/* Chooses the next call of a lane that has none pending. Returns the tool. */
const char *ledger_choose(struct ledger *ledger, struct row *row, unsigned lane,
			  struct str *arguments);

/* The same, always a memory_set of a key that is there for looking after a crash. */
const char *ledger_probe(struct ledger *ledger, unsigned lane, struct str *arguments);

/* The reply to the pending call of this lane. A set that is refused is a violation. */
void ledger_answer(struct ledger *ledger, struct row *row, unsigned lane, struct slice reply);

/*
 * Looks at the files of the store: every one parses, every token is where it has to be, metadata
 * agrees. Then nothing is pending any more. For a store that nobody is writing to, and that has
 * made a change since the crash.
 */
void ledger_judge(struct ledger *ledger, struct row *row, const char *dir);

#endif
