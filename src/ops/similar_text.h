/*
 * The texts by which maintenance compares entries for duplicates.
 */
#ifndef KOTA_OPS_SIMILAR_TEXT_H
#define KOTA_OPS_SIMILAR_TEXT_H

#include "base/arena.h"
#include "base/str.h"
#include "ops/entry_stats.h"
#include "similarity/cluster.h"
#include "store/open/store.h"

/*
 * The text of an entry for similarity/similarity.h and similarity/contradiction.h: its value, a
 * string as it is, all else as the words in it. A value of a single word, a number or a switch says
 * nothing without its key, which comes first then: office and birthplace are not the same because
 * both are "Lisbon".
 */
struct slice alike_text(const struct item *item, struct arena *arena);

/* The same of a list of entries, in their order. */
struct slice *alike_texts(const struct facts *facts, size_t count, struct arena *arena);

/*
 * Groups texts whose likeness reaches the threshold, of the sizes in the settings; progress may be
 * NULL. clusters_release(out).
 */
void alike_groups(struct clusters *out, const struct slice *texts, size_t count, double threshold,
		  const struct settings *settings, const struct progress *progress);

/* What a group of this cohesion suggests: "merge", "review" or "keep_separate". */
const char *alike_suggested_action(double cohesion, bool conflicts);

/*
 * True if these two may be merged without review: conflict_may_merge() of their texts, each of
 * three words at least, because a shorter one means what its key says.
 */
bool alike_may_merge(struct slice a, struct slice b);

/*
 * Appends the name of a group of entries: the same for the same refs, in whatever order they are.
 */
void alike_group_name(struct str *out, const struct slice *refs, size_t count);

/* True if the text has the form of such a name. */
bool alike_is_group_name(struct slice text);

#endif
