/*
 * What a history knows while its store is open. For src/store/history only.
 */
#ifndef KOTA_STORE_HISTORY_HISTORY_STATE_H
#define KOTA_STORE_HISTORY_HISTORY_STATE_H

#include "base/arena.h"
#include "git/repo.h"
#include "store/files/change_observer.h"
#include "store/history/pending.h"
#include "store/history/recorded_doc.h"
#include "store/view/snapshot.h"

/* A file as it was when it was last compared with the history. */
struct known_file {
	char *name;
	struct file_id id;
	struct object_id blob;
	bool sound; /* the text was parsed; false: it was equal to what is recorded */
};

struct history {
	struct store *store;
	struct repo *repo; /* NULL: nothing is recorded, see why */
	struct err why;
	bool wanted;                  /* changes are to be recorded, now or when that works again */
	bool usable;                  /* they can be now, as far as a look tells */
	bool quiet;                   /* .git was as the last recording left it */
	bool fresh;                   /* made by this process, nothing recorded in it yet */
	bool refuses;                 /* changes, until the log of objects is carried out */
	bool tried;                   /* to open it, when the folder was as repo_id says */
	struct file_id repo_id;       /* of .git */
	bool pack_failed;             /* not tried again */
	bool packs;                   /* what is recorded next goes into a pack of its own */
	bool looked;                  /* for what a power cut has left */
	struct recorded_doc recorded; /* for history_has() */
	struct witness witness;

	struct arena arena; /* of the change under way */
	struct pending_line line;
	const struct op *ops; /* of it, valid till it is made or given up */
	size_t op_count;
	bool made;
	bool joined;        /* the change under way is made together with the ones before */
	off_t before_line;  /* of the first of them */
	struct str told;    /* ids of the changes under way, which are made together; one a line */
	bool noted;         /* there are lines of this process to be recorded */
	bool doubted;       /* commits were lost: what nothing explains may be ours */
	bool records_held;  /* the change under way archives a secret that waits, see secret_guard.h
			     */
	bool holds_nothing; /* the person has said that secrets may be recorded */

	struct known_file *known;
	size_t known_count;
	size_t known_cap;
};

/* True if the change is one of those under way. */
static inline bool history_tells(const struct history *history, struct slice change)
{
	struct slice rest = str_slice(&history->told);
	struct slice line;

	while (slice_line(&rest, &line)) {
		if (slice_equal(line, change))
			return true;
	}
	return false;
}

/* True if files with a secret in them wait. See secret_guard.h. */
static inline bool history_holds_secrets(const struct history *history)
{
	return !history->holds_nothing && history->store->settings.secrets == SECRETS_REFUSE;
}

#endif
