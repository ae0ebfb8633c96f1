/*
 * Who is told of a change while it is made: the history.
 *
 * apply.c, exchange.c and cold.c tell; struct disk has the pointer, NULL where nobody listens. The
 * lock is held throughout. Nothing that a witness does can make a change fail.
 */
#ifndef KOTA_STORE_FILES_CHANGE_OBSERVER_H
#define KOTA_STORE_FILES_CHANGE_OBSERVER_H

#include "model/operation.h"

struct witness {
	/* These operations are about to be carried out, or finished after a crash. */
	void (*change)(void *context, const struct change_meta *meta, const struct op *ops,
		       size_t count, int64_t at_ms);
	/* A file is about to get this text instead of that one, which is absent for a new file. */
	void (*text)(void *context, const char *file_name, struct slice before, struct slice after);
	/* ... and has not got it: somebody changed the file first, or it could not be written. */
	void (*withdrawn)(void *context, const char *file_name);
	/* Lines are about to be appended to a file. */
	void (*lines)(void *context, const char *file_name);
	/* All of the change is in place: it is made, whatever becomes of the files. */
	void (*made)(void *context);
	void *context;
};

#endif
