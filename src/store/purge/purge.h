/*
 * Destroying an entry: it and all its past values, everywhere that this program writes.
 *
 *	struct purge_key key;
 *	purge_find(&key, store, text, now_ms, &choices, &err);
 *	purge_run(store, &key, now_ms, &report, &err);
 *
 * Files, archives, usage, what stands beside the files, and the history of a repository that
 * repo_create() made; under the names, too, that the entry had before it was moved or merged. What
 * else has a value of it and is not the program's to change is named. The order is such that a kill
 * in between loses nothing else, and that purging once more finishes: `.purge` says what was begun.
 * It cannot be undone. For src/cli.
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
	char **earlier; /* refs: names that the entry had before, under which it went as well */
	size_t earlier_count;
	size_t earlier_cap;
	char **unreached; /* sentences: where it may still be */
	size_t unreached_count;
	size_t unreached_cap;
};

/* The categories in which a key stands, when a person has to say which is meant. */
struct purge_choices {
	enum category categories[CATEGORY_COUNT];
	size_t count;
};

/*
 * The entry that a key (or category:key) means: one that is active or of the archive, else one that
 * was begun to be purged, else one that the history knows. A category that is given is believed.
 * ERR_NOT_FOUND, or ERR_BAD_VALUE where only a category tells: then *choices has more than one, and
 * the sentence names all. There is nothing to release after a failure.
 */
int purge_find(struct purge_key *out, struct store *store, struct slice key, int64_t now_ms,
	       struct purge_choices *choices, struct err *err);

/*
 * Does it. What stands in the way is refused before anything is changed: a file that does not
 * parse, a history that cannot be rewritten now. *report is the caller's, also after a failure.
 */
int purge_run(struct store *store, const struct purge_key *key, int64_t now_ms,
	      struct purge_report *report, struct err *err);

void purge_report_release(struct purge_report *report);

#endif
