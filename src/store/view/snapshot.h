/*
 * The inside of a store: loaded files and the entries in them. For src/store only.
 *
 * A view is what store_refresh() and change_begin() make current. Each file is read and parsed once
 * and kept until its identity changes; only the shelf of a file that was read again is rebuilt.
 */
#ifndef KOTA_STORE_VIEW_SNAPSHOT_H
#define KOTA_STORE_VIEW_SNAPSHOT_H

#include "base/arena.h"
#include "store/view/activity.h"
#include "store/view/entry_lookup_internal.h"
#include "store/trust/reviewed.h"
#include "store/view/category_table.h"
#include "store/log/usage.h"

/* A file of the store as last read. */
struct loaded {
	struct glance glance;
	struct file_id id;
	struct str text;
	struct json doc;
	bool known;   /* was read at all */
	bool settled; /* last changed long enough before it was read for a stat to be believed */
	bool broken;  /* could not be read or parsed: counts as empty */
	unsigned origins; /* disk->origins when it was found broken */
	struct err error;
};

struct notices {
	char **items;
	size_t count;
	size_t cap;
};

struct history;
struct links;
struct seeker;
struct wordbook;

struct store {
	const struct sys *sys;
	environment env;
	char *personal_config;
	char *project; /* the work tree that kota was called in, a real path; NULL: none */
	struct disk disk;
	struct usage *usage;
	struct history *history;
	struct wordbook *wordbook; /* synonyms; NULL until asked for */
	struct seeker *seeker;     /* what ranked search keeps; NULL until asked for */
	struct links *links;       /* relations.json; NULL until asked for */
	struct notices notices;
	struct reviewed reviewed;

	struct settings settings;
	bool settings_valid;
	struct glance config;       /* at the store's config.json */
	struct file_id config_id;   /* of it when the settings were read */
	struct file_id personal_id; /* of the person's */
	bool settings_kept;         /* their stats will tell of the next change */
	struct err settings_error;

	struct loaded files[STORE_FILE_COUNT];
	struct shelf shelves[CATEGORY_COUNT];
	struct record_shelf archive;
	struct item *items; /* of all shelves, in order */
	size_t item_count;
	size_t item_cap;
	size_t first[CATEGORY_COUNT + 1]; /* items of category c: first[c] .. first[c + 1] */
	struct activity_known activity;
	int64_t now_ms;
	unsigned changes;          /* made by this process */
	unsigned settings_origins; /* disk->origins when the settings were read */
	bool clock_trusted;
	bool reviewed_current; /* it was looked at since the view was made current */
	bool paced;            /* something was done that takes its time, at paced_ms */
	int64_t paced_ms;

	struct arena cold_arena;
	struct json *cold_docs;
	size_t cold_doc_count;
	size_t cold_doc_cap;
	struct archived *all; /* archive and cold, of the last store_archive_all() */
	size_t all_count;
	size_t all_cap;
	bool all_with_undo; /* with what is kept only to undo a change */

	struct finder finder;
	struct arena answer_arena; /* of answers since the last refresh */
};

/* Adds a sentence to the notices of this request, once. */
void view_notice(struct store *store, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Makes notices of what the disk has to say of journals. */
void view_take_remarks(struct store *store);

/* Forgets them: the next request begins. */
void view_clear_notices(struct store *store);

/*
 * Reads settings, usage and files at now_ms, as far as they changed. What cannot be read becomes a
 * notice and counts as empty. A change may begin with this: the file that it touches is read once
 * more when it is built anew, and what differs there is set aside (struct op).
 */
void view_load(struct store *store, int64_t now_ms);

/* Reads the settings alone; a notice when they are not valid. */
void view_load_settings(struct store *store);

/* Reads some files again, after a change of our own: which[f] says whether file f is one. */
void view_reload(struct store *store, const bool which[STORE_FILE_ARCHIVE + 1]);

/*
 * Brings a file up to date that the view itself is not made of, relations.json; true when what it
 * says has changed.
 */
bool view_load_file(struct store *store, enum store_file file);

/* Is something due that the settings and the clock allow to expire? */
bool view_has_due(const struct store *store);

/* Forgets everything that was read. */
void view_release(struct store *store);

#endif
