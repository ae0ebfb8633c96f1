/*
 * Taking one entry, and every mention of it, out of a text.
 *
 * The same functions work on the files of the store, on what stands beside them, and on each
 * version of them in the history, so that after a purge the last commit has what the files have.
 * Pure functions over texts. For purge.c.
 */
#ifndef KOTA_STORE_PURGE_REDACT_H
#define KOTA_STORE_PURGE_REDACT_H

#include "model/category.h"
#include "store/purge/needles.h"

/*
 * The entry: every spelling of its key that means the same, see normalize_key(). Or a name that it
 * had before: then some texts are of a time when the name was this entry's, and some of a later
 * one, when it is nobody's or another entry's.
 */
struct purge_key {
	enum category category;
	struct str identity; /* owned */
	struct str ref;      /* as the person named it, owned */
	bool bare;           /* links that name the key alone mean this entry, and no other */
	bool earlier;        /* a name that the entry had before */
	bool stands;         /* ... under which another entry stands now */
	bool ended;          /* ... no longer, when the text at hand was written */
	bool recorded;       /* ... and commits say when that was */
	int64_t until_ms;    /* ... records up to this time are of this entry, if it is earlier */
	struct needles *values; /* gets every value that is taken out; NULL: nobody asks; not owned
				 */
};

/* *out is the caller's, to be released; all beside the names is false, and nobody asks. */
void purge_key_init(struct purge_key *out, enum category category, struct slice key);
void purge_key_release(struct purge_key *key);

/* True for a spelling of the key. */
bool purge_key_is(const struct purge_key *key, struct slice name);

/* True for a ref of the entry, or of a record of it (category:key@time). */
bool purge_key_has_ref(const struct purge_key *key, struct slice ref);

/* True if a file of this name can hold the entry, its records, or mentions of it. */
bool purge_concerns(const struct purge_key *key, const char *path);

enum purged {
	PURGED_NOT,    /* the entry is not in it */
	PURGED_TEXT,   /* *out is the text without it */
	PURGED_BROKEN, /* it does not parse, and what the key says stands in it */
	PURGED_WHOLE   /* all of it is of the entry: the note that was made of it */
};

/* *out is empty before; *count (NULL allowed) grows by how many entries, records or lines go. */
enum purged purge_text(const struct purge_key *key, const char *path, struct slice text,
		       struct str *out, size_t *count);

/* True if the key, as words, stands anywhere in a text of any kind. */
bool purge_mentions(const struct purge_key *key, struct slice text);

/* The latest time of a record of the key in a text of archive.json or of a cold file; or INT64_MIN.
 */
int64_t purge_last_record(const struct purge_key *key, const char *path, struct slice text);

/* True for the name of a note in the folder of the store. */
bool purge_is_note(const char *path);

/* The message of a commit without the key: "(purged)" stands in its place. False: it stays. */
bool purge_message(const struct purge_key *key, struct slice message, struct str *out);

#endif
