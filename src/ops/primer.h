/*
 * What a model is told of a store at the beginning of a session.
 *
 * What is pinned and the last conversation come first, then what matters most, then the rest by
 * what it is about, a line an entry. A share of the budget belongs to each part, and what one does
 * not use is given to the others. What nobody asked for in a long time is told only as long as the
 * text is short. The last lines say what was left out, and what is to be stored. A mark at the
 * beginning says whose memory this is, one at the end that it is over. Values are shown as what is
 * stored, never as something to be done, and in one line, so that none of them can pass for a
 * heading, for another entry, for a tag of the client, or for the mark at the end. Of a value that
 * holds a secret only the key is told.
 */
#ifndef KOTA_OPS_PRIMER_H
#define KOTA_OPS_PRIMER_H

#include "store/open/store.h"
#include "tool/tool.h"

/* What a hook may say is cut at 10,000 characters, and then none of it reaches the model. */
#define PRIMER_BUDGET 8000

/* What a session begins for. */
enum primer_source {
	PRIMER_STARTUP, /* anew: everything that matters is told */
	PRIMER_CLEAR,   /* likewise */
	PRIMER_RESUME,  /* again: only what changed since is told */
	PRIMER_COMPACT  /* its context was cut: what is being worked on, and how to keep where it
			   stands */
};

struct primer_wish {
	enum primer_source source;
	int64_t since_ms; /* for PRIMER_RESUME; TIME_NONE: not known, so that all is told */
	size_t budget;    /* UTF-16 units, of which no text has fewer than characters */
};

/* Whose memory this is: what the mark at the beginning says. */
enum primer_origin {
	PRIMER_OWN,       /* the person's own */
	PRIMER_PROJECT,   /* this project's */
	PRIMER_REPOSITORY /* it came with a repository, and nobody here has looked at it */
};

struct primer {
	struct str text; /* lines, each ended by a newline; empty when there is nothing to tell */
	const struct item **shown; /* in the call's arena; valid as long as the store's view */
	size_t shown_count;
	size_t left_out;
};

/*
 * Fills *out, which is empty before, from a store that is current. primer_release() in any case.
 */
void primer_fill(struct primer *out, const struct call *call, enum primer_origin origin,
		 const struct primer_wish *wish);

/*
 * The same for a store that may not speak unasked: one line says that it is there, and how it is
 * looked at; nothing of a store that belongs to another user. Large files are not read for that.
 */
int primer_announce(struct primer *out, const struct call *call, enum primer_origin origin,
		    size_t budget, struct err *err);

/*
 * What a session of this store is told: all that primer_fill() finds where the store may speak
 * unasked, else what primer_announce() says. Refreshes the store.
 */
int primer_tell(struct primer *out, const struct call *call, const struct primer_wish *wish,
		struct err *err);

/*
 * Fills *out, which is empty before, with these entries alone, as far as they fit into the budget;
 * with nothing where the store may not speak unasked. The store is current.
 */
void primer_remind(struct primer *out, const struct call *call, const struct item *const *items,
		   size_t count, size_t budget);

/* To be told keeps what lasts from expiring; what is going on is kept by being worked on. */
void primer_keep(const struct call *call, const struct item *const *items, size_t count);

/* Frees the text, leaves an empty primer. */
void primer_release(struct primer *primer);

#endif
