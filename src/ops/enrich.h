/*
 * What the text of a value adds to its entry: the names in it, and how strongly it is meant.
 *
 * Only where the setting `enrich` says so: a person's file otherwise holds nothing that nobody
 * said.
 */
#ifndef KOTA_OPS_ENRICH_H
#define KOTA_OPS_ENRICH_H

#include "ops/common.h"

/* What was added, as JSON text in the call's arena; absent where nothing was. */
struct enrichment {
	bool wanted; /* by the setting */
	struct slice entities;
	struct slice strength;
};

/*
 * Fills entities and strength in fields where they were not given and the entry that is replaced
 * (or NULL) has none. Nothing is added to a value that holds a secret, nor what would make the
 * entry too large.
 */
void enrich_fields(struct enrichment *out, const struct call *call, const struct settings *settings,
		   const struct item *old, struct entry_fields *fields);

#endif
