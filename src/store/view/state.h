/*
 * The inside of an open store: its files as last read, and what was made of them.
 *
 * Data alone, for src/store. Each room has functions for its part: loader.h reads files,
 * category_table.h takes them apart, activity.h and entry_lookup.h keep what was computed of them,
 * snapshot.h brings all of it up to date.
 */
#ifndef KOTA_STORE_VIEW_STATE_H
#define KOTA_STORE_VIEW_STATE_H

#include "base/arena.h"
#include "base/map.h"
#include "model/settings.h"
#include "policy/retention.h"
#include "store/files/dir.h"
#include "store/files/reviewed.h"
#include "store/items/category_table.h"
#include "store/log/journal.h"
#include "store/log/shared_use.h"
#include "store/log/usage.h"
#include "store/trust/destination.h"

/* What was computed last, and of what. */
struct activity_known {
	bool known;
	bool stale[CATEGORY_COUNT + 1]; /* read again since; the last is the archive */
	uint64_t upheavals;             /* of usage */
	bool usage_known;
	bool settings_valid;
	bool may_judge; /* see shared_use_may_judge() */
	unsigned shared_read;
	int64_t expiry_days;
	int64_t now_ms;
	int64_t usage_newest_ms;
	int64_t archive_newest_ms;
	int64_t newest_ms[CATEGORY_COUNT];
	bool passing[CATEGORY_COUNT];        /* times of some entries depend on the moment */
	int64_t next_due_ms[CATEGORY_COUNT]; /* nothing becomes due before, INT64_MAX: ever */
	size_t due[CATEGORY_COUNT];          /* how many are */
};

/* A file of the store as last read. */
struct loaded {
	struct stat_cache cache;
	struct file_id id;
	struct str text; /* what the journal makes of raw, if a change waits in it */
	struct str raw;  /* the bytes of the file then; else empty */
	struct str gone; /* what a file that is removed had when it was read last; else empty */
	int64_t gone_ms; /* when that was written */
	struct json doc;
	bool known;   /* was read at all */
	bool settled; /* last changed long enough before it was read for a stat to be believed */
	bool ours;    /* this process has written it, and nobody since as far as a stat says */
	bool broken;  /* could not be read, parsed or believed: nothing is written to it */
	bool stands;  /* ... and doc is the last text that could be believed; else it is empty */
	bool removed; /* it had entries when it was read last, and is gone */
	unsigned absent_looks;  /* loads when it was asked why the file is absent */
	unsigned counted_looks; /* ... and if metadata.json counts entries of it */
	unsigned loads;         /* how often it was read: what was made of it knows by this */
	unsigned origins;       /* disk->origins when it was found broken */
	struct err error;
};

struct store;

/* A committed change whose files may not all have it; see read_through.h. */
struct waiting {
	struct stat_cache cache;
	struct file_id id; /* of the journal that was read last */
	struct journal journal;
};

/*
 * Finds the newest text of a file that can be believed, when the one that it has cannot: into *out
 * (cleared first). cached is what this process read last, absent when nothing, of a file that was
 * changed at cached_ms. False when there is none.
 */
typedef bool (*last_text_finder)(struct store *store, enum store_file file, struct slice cached,
				 int64_t cached_ms, struct str *out);

struct notices {
	char **items;
	size_t count;
	size_t cap;
	size_t kept; /* of them, the first ones: no reply has told them yet */
};

struct history;
struct group;
struct links;
struct cold_index;
struct entry_lookup;
struct search_all;
struct synonyms_file;

/* Random numbers that are fetched at once; an even number. */
#define STORE_CHANCES 32

struct store {
	const struct sys *sys;
	environment env;
	char *personal_config;
	char *project; /* the work tree that kota was called in, a real path; NULL: none */
	struct disk disk;
	struct usage *usage;
	struct shared_use shared_use;
	struct history *history;
	struct group *group;         /* changes that wait, see txn/group.h; NULL: none ever did */
	struct entry_lookup *lookup; /* NULL until asked for; likewise below */
	struct search_all *search;   /* what ranked search keeps */
	struct synonyms_file *synonyms; /* synonyms.json */
	struct links *links;            /* relations.json */
	struct cold_index *cold_lookup; /* of the cold archive */
	struct cold_index *cold_search;
	struct notices notices;
	struct reviewed reviewed;
	struct destination destination; /* of the project's memories */

	uint32_t chance[STORE_CHANCES]; /* for the names of changes; the next to use, 0: get more */
	size_t chances;

	struct settings settings;
	bool settings_valid;
	bool settings_kept;         /* their stats will tell of the next change */
	struct stat_cache config;   /* at the store's config.json */
	struct file_id config_id;   /* of it when the settings were read */
	struct file_id personal_id; /* of the person's */
	uint64_t settings_round;    /* disk.look_rounds when they were looked at */
	struct err settings_error;

	last_text_finder find_last; /* set by who opens the store: the history is above this room */
	struct waiting waiting;
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
	struct json **cold_docs;
	size_t cold_doc_count;
	size_t cold_doc_cap;
	struct archived *all; /* archive and cold, of the last store_archive_all() */
	size_t all_count;
	size_t all_cap;
	struct map all_by_ref; /* of the archive and the journal -> position in all */
	bool all_known;        /* in this request, when disk.cold_writes was all_writes */
	bool all_with_undo;    /* with what is kept only to undo a change */
	unsigned all_writes;

	struct arena answer_arena; /* of answers since the last refresh */
};

#endif
