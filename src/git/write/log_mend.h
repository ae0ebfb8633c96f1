/*
 * Doing again what the log of objects says, after a power cut: objects that are missing or torn are
 * written byte for byte, branches move on to what was recorded, and the index gets it. For
 * object_log.c.
 */
#ifndef KOTA_GIT_WRITE_LOG_MEND_H
#define KOTA_GIT_WRITE_LOG_MEND_H

#include "git/id_list.h"
#include "git/repo_state.h"

/* How the log was used. */
enum log_use {
	LOG_DONE,
	LOG_DESPITE, /* asked for: also where a record in the middle is broken, without that one */
	LOG_BROKEN,  /* a record in the middle is broken: nothing was done */
	LOG_FOREIGN  /* it is that of another store: nothing was done */
};

/*
 * text is what is behind the head of the log. *use is LOG_DESPITE or LOG_DONE before. Takes git's
 * lock of the index; ERR_BUSY when somebody else has it.
 */
int log_mend(struct repo *repo, struct slice text, uint64_t epoch, enum log_use *use,
	     struct err *err);

/* Appends the ids of all objects that the log has. */
void log_list_objects(struct repo *repo, struct slice text, uint64_t epoch, struct id_list *out);

/* How many records say what is not there: an object is missing or torn, or a branch is behind. */
size_t log_count_missing(struct repo *repo, struct slice text, uint64_t epoch);

#endif
