/*
 * A person's new text for a whole file of the store, made in a copy and without the lock.
 *
 *	replace_read(store, "state.json", &before, &err);
 *	... the person edits a copy; the store may be closed and opened again meanwhile ...
 *	replace_check("state.json", str_slice(&after), &fault);
 *	replace_put(store, &revision, now_ms, &report, &err);
 *	replace_report_release(&report);
 *
 * What comes out is byte for byte what the person has typed, as if saved in the file itself, and
 * goes into the history as the person's edit. What others have changed in the file meanwhile is
 * merged entry by entry. Where both have changed one entry the person's text stands in the file and
 * the other is kept in the cold archive, reason "replaced"; what the person has removed and others
 * have changed stays. For src/cli.
 */
#ifndef KOTA_STORE_TXN_REPLACE_FILE_H
#define KOTA_STORE_TXN_REPLACE_FILE_H

#include "base/arena.h"
#include "store/view/query.h"

/* What a person may edit, without ".json", ended by NULL: the files with entries come first. */
extern const char *const replace_names[];

/* "state.json" for "state"; NULL when it is none of them. Static storage. */
const char *replace_edited(struct slice name);

/* Reads the file as it is, whether or not it parses; an absent one is an empty text. */
int replace_read(struct store *store, const char *file_name, struct str *text, struct err *err);

/*
 * True if the file can have this text; *fault says where it cannot, and why. A file of settings
 * must be valid, too.
 */
bool replace_check(const char *file_name, struct slice text, struct json_fault *fault);

struct revision {
	const char *file_name;
	struct slice before; /* the file when the copy was made */
	struct slice after;  /* what it is to be; replace_check() has seen it */
};

struct replace_list {
	struct slice *items; /* names of entries, in the report's arena */
	size_t count;
	size_t cap;
};

struct replace_report {
	struct arena arena;
	struct replace_list changed; /* by the person */
	struct replace_list added;
	struct replace_list removed;
	struct replace_list merged;  /* changed by others meanwhile, and taken over */
	struct replace_list clashed; /* changed by both: the other text is in the cold archive */
	struct replace_list stayed;  /* removed by the person, changed by others: still there */
};

/*
 * Puts the new text in place, durably, and records it. ERR_BUSY where the lock is not to be had or
 * the file is no list of entries and somebody else has changed it meanwhile; ERR_BAD_DATA when the
 * file has been broken meanwhile. Nothing is changed then. *report is the caller's in any case.
 * What is to be said of the store afterwards: store_notices().
 */
int replace_put(struct store *store, const struct revision *revision, int64_t now_ms,
		struct replace_report *report, struct err *err);

void replace_report_release(struct replace_report *report);

#endif
