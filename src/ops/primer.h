/*
 * The text about a store that a model gets at the beginning of a session.
 *
 * Pinned entries and the last conversation come first, then the most important entries, then the
 * rest by topic, one line an entry. Each part has a share of the budget; what it does not use goes
 * to the others. Entries that nobody has asked for in a long time are included only while the text
 * is short. The last lines say what was left out, and what to store. A mark at the beginning says
 * whose memory this is, and a mark at the end closes it. Values are shown as stored notes, never as
 * instructions, and in one line, so that none can pass for a heading, another entry, a tag of the
 * client, or the closing mark. If a value holds a secret, only its key is shown.
 */
#ifndef KOTA_OPS_PRIMER_H
#define KOTA_OPS_PRIMER_H

#include "store/open/store.h"
#include "tool/tool.h"

/*
 * Claude Code keeps a hook's text of more than 10,000 characters from the model, Codex one of more
 * than 10,000 bytes (2,500 tokens of four bytes).
 */
#define PRIMER_BUDGET 8000
#define PRIMER_BYTES 10000

/* Why a session begins. */
enum primer_source {
	PRIMER_STARTUP, /* a new one: everything important */
	PRIMER_CLEAR,   /* likewise */
	PRIMER_RESUME,  /* continued: only what changed since then */
	PRIMER_COMPACT  /* its context was cut: current work, and how to save its state */
};

struct primer_wish {
	enum primer_source source;
	int64_t since_ms; /* for PRIMER_RESUME; TIME_NONE: unknown, as for a new one */
	size_t budget;    /* UTF-16 units; a text never has fewer of them than characters */
	size_t bytes;     /* and no more bytes than these; 0: as many as the budget comes to */
};

/* Whose memory this is, for the mark at the beginning. */
enum primer_origin {
	PRIMER_OWN,       /* the person's own */
	PRIMER_PROJECT,   /* this project's */
	PRIMER_REPOSITORY /* it came with a repository, and nobody here has looked at it */
};

struct primer {
	struct str text;           /* lines, each ended by a newline; may be empty */
	const struct item **shown; /* in the call's arena; valid as long as the store's view */
	size_t shown_count;
	size_t left_out;
};

/* Fills *out from a store that is current. Call primer_release() in any case. */
void primer_fill(struct primer *out, const struct call *call, enum primer_origin origin,
		 const struct primer_wish *wish);

/*
 * The same for a store that is not trusted: one line says that it exists, and how to read it; empty
 * if it belongs to another user. Does not read large files.
 */
int primer_announce(struct primer *out, const struct call *call, enum primer_origin origin,
		    size_t budget, struct err *err);

/*
 * Refreshes the store, and writes the text for a session: by primer_fill() if the store is trusted,
 * else by primer_announce().
 */
int primer_tell(struct primer *out, const struct call *call, const struct primer_wish *wish,
		struct err *err);

/*
 * Fills *out with these entries only, as far as they fit into the budget; with nothing if the store
 * is not trusted. The store must be current.
 */
void primer_remind(struct primer *out, const struct call *call, const struct item *const *items,
		   size_t count, size_t budget);

/* Postpones the expiry of lasting entries that were shown. Current work is kept by being used. */
void primer_keep(const struct call *call, const struct item *const *items, size_t count);

/* Frees the text and leaves an empty primer. */
void primer_release(struct primer *primer);

#endif
