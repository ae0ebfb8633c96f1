/*
 * What entries are compared by where maintenance asks which of them say the same.
 */
#ifndef KOTA_OPS_SIMILAR_TEXT_H
#define KOTA_OPS_SIMILAR_TEXT_H

#include "base/arena.h"
#include "base/str.h"
#include "store/open/store.h"

/*
 * The text of an entry for similarity/similarity.h and similarity/contradiction.h: its value, a
 * string as it is, all else as the words in it. A value of a single word, a number or a switch says
 * nothing without its key, which comes first then: office and birthplace are not the same because
 * both are "Lisbon".
 */
struct slice alike_text(const struct item *item, struct arena *arena);

/* What a group of this cohesion suggests: "merge", "review" or "keep_separate". */
const char *alike_suggested_action(double cohesion, bool conflicts);

/*
 * May these two be merged without anybody having looked? conflict_may_merge() of their texts, where
 * each is of three words at least: what is shorter means what its key says.
 */
bool alike_may_merge(struct slice a, struct slice b);

/*
 * Appends the name of a group of entries: the same for the same refs, in whatever order they are.
 */
void alike_group_name(struct str *out, const struct slice *refs, size_t count);

#endif
