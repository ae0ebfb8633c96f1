/*
 * Merging two versions of an entry, member by member.
 *
 * Nobody is asked and nothing is lost: where both sides changed the same thing to different texts,
 * one of them wins and the other's whole entry is returned, to be kept. Who merges, in which order
 * and by which clock affects only which text wins.
 */
#ifndef KOTA_MERGE_ENTRY_H
#define KOTA_MERGE_ENTRY_H

#include "merge/merge_value.h"

/* The entry's member that holds conflicting texts while only one file can be written. */
#define ENTRY_CONFLICT "conflict"

struct entry_merge {
	enum pick pick;     /* PICK_BOTH: text has been composed */
	struct slice text;  /* compact JSON text of what was composed, in the arena */
	struct slice loser; /* compact JSON text of the entry that lost; absent without one */
	bool a_wins; /* valid when both have changed: a's spelling and whole entry go first */
};

/*
 * Merges an entry. A change wins over a removal, unless it changed nothing but bookkeeping. The
 * merged entry has at most entry_bytes bytes by entry_size() (0: no limit), else the winner's whole
 * entry is taken. Texts are in the arena.
 */
struct entry_merge entry_merge(const struct versions *v, size_t entry_bytes, struct arena *arena);

/*
 * True if a ranks before b. An edit by hand ranks before one by a tool: its value is in no base,
 * while its time is a base's or missing; then the later one, then the greater text.
 */
bool entry_ranks_before(const struct versions *v);

/*
 * When the later of two entries was last written, by their own members, as it stands there; empty
 * when neither says so. In the arena.
 */
struct slice entry_later_time(struct part a, struct part b, struct arena *arena);

/* True if the entry, which must exist, is the bare value. */
bool entry_is_bare(struct part entry);

/* The value of an entry, which is the entry itself when it is bare. */
struct part entry_value(struct part entry);

#endif
