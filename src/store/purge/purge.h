/*
 * Destroys an entry with all its past values, everywhere that this program writes.
 *
 *	struct purge_key key;
 *	purge_find(&key, store, text, now_ms, &choices, &err);
 *	purge_run(store, &key, now_ms, &report, &err);
 *
 * These are the files, archives, usage, files beside them, and the history of a repository that
 * repo_create() made, also under names that the entry had before it was moved or merged. Copies
 * of a value that the program may not change are reported. A kill in between loses nothing else,
 * and purging once more finishes the work: `.purge` says what was begun. It cannot be undone. For
 * src/cli.
 */
#ifndef KOTA_STORE_PURGE_PURGE_H
#define KOTA_STORE_PURGE_PURGE_H

#include "store/purge/redact.h"
#include "store/view/query.h"

struct purge_report {
	size_t entries; /* in the category file */
	size_t records; /* in archive.json */
	size_t cold;    /* lines of the cold archive */
	size_t relations;
	size_t usage;  /* lines of usage.jsonl */
	size_t beside; /* displaced files and the like */
	size_t texts;  /* versions of files in the history */
	size_t commits;
	char **earlier; /* refs: earlier names of the entry, which were purged too */
	size_t earlier_count;
	size_t earlier_cap;
	char **unreached; /* sentences: where it may still be */
	size_t unreached_count;
	size_t unreached_cap;
};

/* The categories that have the key, if the person has to choose one. */
struct purge_choices {
	enum category categories[CATEGORY_COUNT];
	size_t count;
};

/*
 * Finds the entry that a key (or category:key) means: an active or archived one, else one whose
 * purge was begun, else one in the history. A category that is given is not checked. ERR_NOT_FOUND;
 * or ERR_BAD_VALUE if several categories have the key: then *choices lists them, and the sentence
 * names them. There is nothing to release after a failure.
 */
int purge_find(struct purge_key *out, struct store *store, struct slice key, int64_t now_ms,
	       struct purge_choices *choices, struct err *err);

/*
 * Purges the entry. Obstacles are found before anything is changed: a file that does not parse, a
 * history that cannot be rewritten now. The caller releases *report, also after a failure.
 */
int purge_run(struct store *store, const struct purge_key *key, int64_t now_ms,
	      struct purge_report *report, struct err *err);

void purge_report_release(struct purge_report *report);

#endif
