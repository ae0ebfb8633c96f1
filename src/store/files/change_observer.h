/*
 * The interface through which the history observes a change while it is made.
 *
 * apply.c, exchange.c and cold.c call it; struct disk has the pointer, which may be NULL. The lock
 * is held throughout. Nothing that a witness does can make a change fail.
 */
#ifndef KOTA_STORE_FILES_CHANGE_OBSERVER_H
#define KOTA_STORE_FILES_CHANGE_OBSERVER_H

#include "model/operation.h"

struct witness {
	/* So many changes follow, each of which joins the first. */
	void (*group)(void *context, size_t changes);
	/*
	 * These operations are about to be carried out, or finished after a crash. joins: together
	 * with those told of before, so that all of their texts are withdrawn at once.
	 */
	void (*change)(void *context, const struct change_meta *meta, const struct op *ops,
		       size_t count, int64_t at_ms, bool joins);
	/* A file is about to get the text `after`; `before` is absent for a new file. */
	void (*text)(void *context, const char *file_name, struct slice before, struct slice after);
	/* It did not get it: somebody changed the file first, or it could not be written. */
	void (*withdrawn)(void *context, const char *file_name);
	/* Lines are about to be appended to a file. */
	void (*lines)(void *context, const char *file_name);
	/* The change is complete, whatever happens to the files from now on. */
	void (*made)(void *context);
	void *context;
};

#endif
