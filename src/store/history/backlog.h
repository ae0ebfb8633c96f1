/*
 * Pending changes, as the log shows them.
 *
 * backlog_open(&backlog, store, repo, &err); while (backlog_next(backlog, &change)) ...
 * change.items[i] ... backlog_close(backlog);
 *
 * What .pending says, each change made anew upon the one before it, from the last commit on. For
 * history_log.c. Needs no lock and changes nothing. What is handed out belongs to it.
 */
#ifndef KOTA_STORE_HISTORY_BACKLOG_H
#define KOTA_STORE_HISTORY_BACKLOG_H

#include "git/repo.h"
#include "store/history/log_change.h"
#include "store/view/query.h"

struct backlog;

/*
 * repo is NULL where it cannot be read: then nothing is known of what the changes did to entries.
 * *out is NULL where nothing waits.
 */
int backlog_open(struct backlog **out, struct store *store, struct repo *repo, struct err *err);

/* From new to old; false at the end. */
bool backlog_next(struct backlog *backlog, struct log_change *out);

/*
 * The text of a file after the changes; absent if they remove it. False if none of them concerns
 * it, or it is not known.
 */
bool backlog_text(const struct backlog *backlog, const char *file, struct slice *out);

/* NULL is none. */
void backlog_close(struct backlog *backlog);

#endif
