/*
 * What a reader gets: active entries and archived ones, with all that is known of them.
 *
 * src/store/items takes entries, archive records and notes out of the files, one file at a time;
 * src/store/view keeps them true to all files together.
 */
#ifndef KOTA_STORE_ITEMS_ITEM_H
#define KOTA_STORE_ITEMS_ITEM_H

#include "model/archive_record.h"
#include "model/entry.h"

/* An active entry with all that is known of it. */
struct item {
	struct entry entry;
	struct slice ref;      /* category:key */
	struct slice identity; /* what equal keys have in common (normalize_key) */
	int64_t created_ms;    /* never TIME_NONE: the moment it was first seen when not written */
	int64_t updated_ms;    /* likewise */
	int64_t accessed_ms;   /* TIME_NONE when never looked up */
	int64_t active_ms;     /* last activity, what eviction and decay go by */
	int64_t kept_ms;       /* the same or, later, when it was shown: what expiry goes by */
	int64_t hits;
	int64_t uses;          /* times that it went into an answer */
	int64_t first_used_ms; /* the first of them that is known; TIME_NONE when never */
	int64_t used_ms;       /* the last of them; TIME_NONE when never */
	int64_t reviews;       /* uses, and what was counted before the store counted them */
	int64_t cross_domain;  /* uses in a context with other tags */
	bool due;              /* expired but still in the file: counts as archived */
};

/* An archived entry. */
struct archived {
	struct record record;
	struct slice ref; /* category:key@time */
	bool cold;        /* from the cold archive */
};

#endif
