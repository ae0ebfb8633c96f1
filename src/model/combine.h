/*
 * Making one entry of several: what becomes of their values and of the facts about them.
 *
 * Pure functions over values. Nothing of any text is lost: values that cannot be put together
 * without leaving something out are refused with the reason. Whoever merges archives what the
 * result takes the place of.
 */
#ifndef KOTA_MODEL_COMBINE_H
#define KOTA_MODEL_COMBINE_H

#include "base/str.h"
#include "model/entry.h"

/* Most that strength can be, and most that a merge adds to it. */
#define STRENGTH_MAX 2.0
#define STRENGTH_BONUS_MAX 0.5

/*
 * Appends what texts say together: the longest where it contains all others, whatever their case;
 * else each of them trimmed, longest first, without blank ones and repeats, joined by a blank line.
 */
void combine_texts(const struct slice *texts, size_t count, struct str *out);

/* The largest of the strengths and a bonus for how much alike (cohesion, 0 to 1) how many are. */
double combine_strength(const double *strengths, size_t count, double cohesion);

/*
 * Appends the compact JSON text of what the values (JSON texts) say together: the first where all
 * mean the same; strings as combine_texts() has it; objects member by member. -1 and in *why
 * (appended) the reason, where they are of several types, lists that differ, or have a member that
 * differs: `member "port" differs`.
 */
int combine_values(const struct slice *values, size_t count, struct str *out, struct str *why);

/* An entry that takes part, and what is known of it beside its text. */
struct combine_part {
	struct slice ref;
	struct slice text;  /* JSON text of the entry, or of the bare value */
	int64_t created_ms; /* TIME_NONE when unknown; likewise below */
	int64_t updated_ms;
};

/*
 * Appends the compact JSON text of the entry that remains. value is its JSON text; parts[kept] is
 * the entry whose key and own members it has. The others add to it: tags and entities, earliest
 * creation, latest change, strength as above, the largest importance and confidence, pinned where
 * one is, what the original handler counted, texts of context, members of meta and of a person's
 * own that it lacks, and their refs as merged_from.
 */
void combine_entries(const struct combine_part *parts, size_t count, size_t kept,
		     struct slice value, double cohesion, struct str *out);

#endif
