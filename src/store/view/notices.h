/*
 * Sentences about a request that its reply should carry.
 */
#ifndef KOTA_STORE_VIEW_NOTICES_H
#define KOTA_STORE_VIEW_NOTICES_H

#include "store/view/state.h"

/* Adds a sentence to the notices of this request, once. */
void notices_add(struct store *store, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * All there are by now tell of what was done, and is found no second time: they stay until
 * store_notices_told().
 */
void notices_keep(struct store *store);

/* Makes notices of what the disk has to say of journals. */
void notices_take_remarks(struct store *store);

/* Says of a file that cannot be believed what that means for the answer. */
void notices_broken_file(struct store *store, const struct loaded *file);

/* Forgets those that need not be kept: the next request begins. */
void notices_clear(struct store *store);

#endif
