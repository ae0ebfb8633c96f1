/*
 * Links between entries: what one takes the place of, and how replies tell of them.
 */
#ifndef KOTA_OPS_RELATED_H
#define KOTA_OPS_RELATED_H

#include "ops/common.h"
#include "store/view/relations.h"

/* Most entries that one takes the place of at a time. */
#define SUPERSEDES_MAX 32

/*
 * Archives the entries of these refs, which the one of ref `by` takes the place of, and links it to
 * them. What it has superseded already is passed over. The refs of those that went are put into
 * gone, in the call's arena. ERR_NOT_FOUND names near ones; ERR_BAD_VALUE where there are more than
 * SUPERSEDES_MAX, or `by` is among them.
 */
int related_supersede(struct change *change, const struct call *call, const struct arg_texts *old,
		      struct slice by, struct slice gone[SUPERSEDES_MAX], size_t *gone_count,
		      struct err *err);

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
