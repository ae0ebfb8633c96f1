/*
 * What a model is told of a store at the beginning of a session.
 *
 * The entries that matter most come first, a line each, until a budget of characters is used up;
 * the last line says what was left out. A mark at the beginning says whose memory this is, one at
 * the end that it is over. Values are shown as what is stored, never as something to be done, and
 * in one line, so that none of them can pass for a heading, for another entry, for a tag of the
 * client, or for the mark at the end. Of a value that holds a secret only the key is told.
 */
#ifndef KOTA_OPS_PRIMER_H
#define KOTA_OPS_PRIMER_H

#include "store/open/store.h"
#include "tool/tool.h"

/* What a hook may say is cut at 10,000 characters, and then none of it reaches the model. */
#define PRIMER_BUDGET 9500

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
 * Fills *out, which is empty before, from a store that is current. budget counts UTF-16 units, as
 * the clients do, of which no text has fewer than characters. primer_release() in any case.
 */
void primer_fill(struct primer *out, const struct call *call, enum primer_origin origin,
		 size_t budget);

/*
 * The same for a store that may not speak unasked: one line says that it is there, and how it is
 * looked at; nothing of a store that belongs to another user. Large files are not read for that.
 */
int primer_announce(struct primer *out, const struct call *call, enum primer_origin origin,
		    size_t budget, struct err *err);

/* Frees the text, leaves an empty primer. */
void primer_release(struct primer *primer);

#endif
