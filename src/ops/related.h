/*
 * The links between entries in replies.
 */
#ifndef KOTA_OPS_RELATED_H
#define KOTA_OPS_RELATED_H

#include "ops/common.h"
#include "store/view/relations.h"

/*
 * Writes `contradicts`, the active entries that a link says contradict this one, and `conflict`,
 * the record of a text that lost to it in a merge; nothing for none.
 */
void related_write_contradicting(struct json_writer *w, const struct call *call, struct slice ref);

/* Writes the members of a link: relation_id or id, as name says, from, to, type, strength and so
 * on. */
void related_write_link(struct json_writer *w, const struct call *call, const char *name,
			const struct link *link);

/* Writes the members of every link: type and strength. */
void related_write_kind(struct json_writer *w, const struct relation *relation);

#endif
