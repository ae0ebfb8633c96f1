/*
 * Adding to a memory what nobody gave with it: what its value names, and how strong it is to be.
 *
 * For memory_set alone, and only where the setting `enrich` says so: a person's file otherwise
 * holds nothing that nobody said.
 */
#ifndef KOTA_TOOLS_ENRICH_H
#define KOTA_TOOLS_ENRICH_H

#include "model/settings.h"
#include "store/txn/change.h"
#include "tool/tool.h"

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

/* The part of a reply that says what was done; nothing where it is not wanted. */
void enrich_write(const struct enrichment *enrichment, struct json_writer *w);

#endif
