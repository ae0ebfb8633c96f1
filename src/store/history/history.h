/*
 * The history of a store: each change a commit, hand edits commits of their own.
 *
 *	history_open(store);        under the lock, before anything is changed
 *	... changes ...
 *	history_record(store);      under the lock, before it is released
 *
 * In between it is the witness of every text that is put in place, see change_observer.h. Nothing here
 * fails: where a history is not wanted, not possible or in use by others, changes are made all the
 * same, and are recorded later when .pending still knows of them. The library behind it is loaded
 * with the first change, never by a read.
 */
#ifndef KOTA_STORE_HISTORY_HISTORY_H
#define KOTA_STORE_HISTORY_HISTORY_H

#include "git/repo.h"
#include "store/history/pending.h"
#include "store/open/store.h"
#include "store/txn/change_observer.h"

/* A file as it was when it was last compared with the history. */
struct known_file {
	char *name;
	struct file_id id;
	struct object_id blob;
};

struct history {
	struct store *store;
	struct repo *repo; /* NULL: nothing is recorded, see why */
	struct err why;
	bool fresh;              /* made by this process, nothing recorded in it yet */
	bool tried;              /* to open it, when the folder was as repo_id says */
	struct file_id repo_id;  /* of .git */
	struct file_id packs_id; /* of its folder of packs */
	bool pack_failed;        /* not tried again */
	struct witness witness;

	struct arena arena; /* of the change under way */
	struct pending_line line;
	off_t before_line;
	bool noted;         /* there are lines of this process to be recorded */
	bool records_held;  /* the change under way archives a secret that waits, see secret_guard.h */
	bool holds_nothing; /* the person has said that secrets may be recorded */

	struct known_file *known;
	size_t known_count;
	size_t known_cap;
};

struct history *history_new(struct store *store);

void history_free(struct history *history);

/*
 * May the repository in the store be used, and what is kept for it? One that came with a repository
 * could have anything in its settings; one that a link leads to is somebody else's. -1 says why
 * not.
 */
int history_may_open(const struct disk *disk, struct err *why);

/*
 * Decides whether there is one, and opens or makes it. The settings must be loaded. That a
 * repository is there and cannot be used is a notice, each time.
 */
void history_open(struct store *store);

/* Who is told how far things are has changed: see store_watch(). */
void history_watch(struct store *store);

/* Are changes being recorded, so that what they overwrite need not be kept elsewhere? */
bool history_is_on(const struct store *store);

/* Records what is pending, of whatever process, and hand edits before it. */
void history_record(struct store *store);

/* Do files wait that have a secret in them? See secret_guard.h. */
bool history_holds_secrets(const struct history *history);

/*
 * For history.c: must the texts of a file before and after a change wait? What is in the repository
 * already, or written by the change itself, has been asked about. line.before is set.
 */
void history_look_for_secrets(struct history *history, const char *file_name, struct slice before,
			      struct slice after, bool *before_held, bool *after_held);

/* For history.c: does the change move into the archive what nobody has been asked about? */
bool history_archives_held(struct history *history, const struct op *ops, size_t count);

/*
 * Records all that waits, secrets as well: the person says so. Takes the lock itself.
 * ERR_NO_HISTORY with the reason where there is none, ERR_BUSY as a change would.
 */
int history_record_held(struct store *store, int64_t now_ms, struct err *err);

/*
 * The same, and what people have edited since the last change of ours: for who goes by what the
 * history says while the lock is held.
 */
void history_catch_up(struct store *store);

/*
 * Packs the loose objects of a repository of our own now; the lock must be held. *before and *after
 * are the bytes that its objects take on the disk, *packed how many were loose. ERR_NO_HISTORY with
 * the reason where nothing is to be packed: there is none, or it is the person's.
 */
int history_pack(struct store *store, int64_t *before, int64_t *after, int64_t *packed,
		 struct err *err);

/*
 * For who reads the history: the repository, opened if need be and owned by the store. Where there
 * is none ERR_NO_HISTORY, with how to turn it on. Needs no lock and changes nothing.
 */
int history_repo(struct store *store, struct repo **out, struct err *err);

#endif
