/*
 * Merging two versions of a value that descend from one or more common bases.
 *
 * Pure functions over values. There is usually one base, several if the histories cross, and none
 * if they have nothing in common. A side is unchanged if it equals some base; a part was removed if
 * every base has it and a side lacks it.
 */
#ifndef KOTA_MERGE_VALUE_H
#define KOTA_MERGE_VALUE_H

#include "json/write.h"
#include "merge/canon.h"

/* Which version is the result. */
enum pick { PICK_NONE, PICK_A, PICK_B, PICK_BOTH };

/* The versions of one value; sides and bases may lack it. */
struct versions {
	const struct part *bases;
	size_t count;
	struct part a;
	struct part b;
	enum pick favored; /* PICK_A or PICK_B: that side, unless it is the only one unchanged */
};

/* The part that a pick other than PICK_BOTH stands for. */
static inline struct part versions_part(const struct versions *v, enum pick pick)
{
	return pick == PICK_A ? v->a : pick == PICK_B ? v->b : part_none();
}

/* True if one of the bases is equal to this part. */
bool versions_base_has(const struct versions *v, struct part part);

/*
 * Decides the cases without a conflict: both sides are equal, or only one has changed. PICK_NONE
 * also if that change is a removal. If the sides equal different bases, a value wins over none,
 * then the greater canonical text. PICK_BOTH: both have changed, and differ. If a side is favored,
 * it is picked in these last two cases.
 */
enum pick versions_pick(const struct versions *v);

/* The versions of one member of the values, in the arena; bases that lack it stay, as none. */
struct versions versions_member(const struct versions *v, struct slice name, struct arena *arena);

/* The same versions without the bases that are none. */
struct versions versions_with_bases(const struct versions *v, struct arena *arena);

/*
 * Writes the merge of versions of which at least one side exists. Objects with a base of their type
 * are merged member by member; if both arrays begin with a base, the result has what the older side
 * appended, then what the other did; of anything else that both changed, the winner's is written.
 * Returns true if something of the other side was lost.
 */
bool value_merge(const struct versions *v, bool a_wins, struct arena *arena, struct json_writer *w);

/*
 * Writes the three-way merge of two arrays as sets: what one side removed is removed, what either
 * added is there; all by their canonical texts, or only those that the first base lacks, behind it.
 */
void value_merge_sets(const struct versions *v, bool base_first, struct arena *arena,
		      struct json_writer *w);

/* Writes a value of a document as it is. */
void part_write(struct part part, struct json_writer *w);

/* Parses compact JSON text that we have written; *out as with canon_parse(), text stays alive. */
void canon_known(struct canon *out, struct slice text);

#endif
