/*
 * Taking one entry, and every mention of it, out of a text.
 *
 * The same functions work on the files of the store, on what stands beside them, and on each
 * version of them in the history, so that after a purge the last commit has what the files have.
 * Pure functions over texts. For purge.c.
 */
#ifndef KOTA_STORE_PURGE_TEXT_H
#define KOTA_STORE_PURGE_TEXT_H

#include "model/category.h"

/* The entry: every spelling of its key that means the same, see normalize_key(). */
struct purge_key {
	enum category category;
	struct str identity; /* owned */
	struct str ref;      /* as the person named it, owned */
	bool bare;           /* links that name the key alone mean this entry, and no other */
};

/* *out is the caller's, to be released; bare is false. */
void purge_key_init(struct purge_key *out, enum category category, struct slice key);
void purge_key_release(struct purge_key *key);

/* Is it a ref of the entry, or of a record of it (category:key@time)? */
bool purge_key_has_ref(const struct purge_key *key, struct slice ref);

/* Can a file of this name hold the entry, its records, or mentions of it? */
bool purge_concerns(const struct purge_key *key, const char *path);

enum purged {
	PURGED_NOT,   /* the entry is not in it */
	PURGED_TEXT,  /* *out is the text without it */
	PURGED_BROKEN /* it does not parse, and what the key says stands in it */
};

/* *out is empty before; *count (NULL allowed) grows by how many entries, records or lines go. */
enum purged purge_text(const struct purge_key *key, const char *path, struct slice text,
		       struct str *out, size_t *count);

/* Does the key, as words, stand anywhere in a text of any kind? */
bool purge_mentions(const struct purge_key *key, struct slice text);

/* The message of a commit without the key: "(purged)" stands in its place. False: it stays. */
bool purge_message(const struct purge_key *key, struct slice message, struct str *out);

#endif
