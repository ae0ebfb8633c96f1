/*
 * The links between entries in replies. Links to archived or deleted entries are left out.
 */
#ifndef KOTA_OPS_RELATED_H
#define KOTA_OPS_RELATED_H

#include "ops/common.h"
#include "store/view/relations.h"

struct related {
	const struct link *list; /* in the call's arena */
	size_t count;
	size_t shown; /* of them */
};

/*
 * Finds the links of the call's store; none where there is no file, or where it cannot be read,
 * which becomes the call's warning.
 */
void related_read(struct related *related, const struct call *call);

/* Writes `relations`: the links that begin or end at one of the refs. */
void related_write(const struct related *related, struct json_writer *w, const struct call *call,
		   const struct slice *refs, size_t count);

/* Writes `relations` of one entry, as an object: `outgoing` and `incoming`. */
void related_write_ends(const struct related *related, struct json_writer *w, struct slice ref);

/*
 * Writes `contradicts`, the active entries that a link says contradict this one, and `conflict`,
 * the record of a text that lost to it in a merge; nothing for none.
 */
void related_write_contradicting(struct json_writer *w, const struct call *call, struct slice ref);

/* Writes the members of a link: relation_id or id, as name says, from, to, type, strength and so
 * on. */
void related_write_link(struct json_writer *w, const struct call *call, const char *name,
			const struct link *link);

#endif
