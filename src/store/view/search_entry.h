/*
 * What a search reads of an entry: key and value, tags and entities, context and source.
 */
#ifndef KOTA_STORE_VIEW_SEARCH_ENTRY_H
#define KOTA_STORE_VIEW_SEARCH_ENTRY_H

#include "model/entry.h"
#include "search/search.h"

/*
 * Adds an entry to an index, without its value unless that is wanted; its number there. former has
 * the keys, one a line, of what it superseded; may be empty.
 */
size_t search_entry_add(struct search *index, const struct entry *entry, bool with_value,
			struct slice former);

#endif
