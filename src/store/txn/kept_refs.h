/*
 * Of which entries usage is kept: those that are active, and those that can be brought back.
 *
 * For change.c, when usage.jsonl is compacted beside a change. The cold archive is read only when
 * a ref is found nowhere else, and where it cannot be read everything is kept.
 */
#ifndef KOTA_STORE_TXN_KEPT_REFS_H
#define KOTA_STORE_TXN_KEPT_REFS_H

#include "base/arena.h"
#include "base/map.h"
#include "store/view/query.h"

struct kept_refs {
	struct store *store;
	bool cold_known;
	bool all; /* the cold archive cannot be read */
	struct map cold;
	struct arena arena;
};

/* Frees what was read. The rest is set up by naming the store. */
void kept_refs_release(struct kept_refs *kept);

/* As usage_compact() asks: context is the struct. */
bool kept_refs_has(void *context, struct slice ref);

#endif
