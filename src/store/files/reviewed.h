/*
 * Which entries of a store the person has seen, or wrote here; the others are marked.
 *
 * Trust is given once, and pulls come daily. So the state folder keeps a tag of each entry that was
 * shown when the store was trusted, and of each that this program has written since, one a line in
 * NAME.reviewed. A tag is an HMAC with the store's registered name as its key: nobody who writes to
 * the repository knows that name, and nothing can be read from the tags.
 *
 * Only a store that a repository surrounds has such a file, and only where an index names the store
 * does an entry without a tag count as changed by others. An edit by hand looks the same.
 */
#ifndef KOTA_STORE_TRUST_REVIEWED_H
#define KOTA_STORE_TRUST_REVIEWED_H

#include "base/err.h"
#include "base/file.h"
#include "base/map.h"
#include "base/str.h"
#include "model/category.h"

struct disk;
struct op;

/* An entry, or what was archived: the text is its JSON text in whatever layout. */
struct reviewed_entry {
	enum category category;
	struct slice key;
	struct slice text;
};

/* The tags of one store; zeroes are none, not looked at. */
struct reviewed {
	bool applies; /* entries of others are to be told from the person's own */
	bool known;   /* and the file is there; else nobody can say which they are */
	struct file_id id;
	struct str name;
	struct str text;
	struct map tags; /* its keys lie in text */
};

/* Brings *reviewed up to date with the origin of the store and with the file. */
void reviewed_refresh(struct reviewed *reviewed, const struct disk *disk);

/* True if others changed this entry. False if that does not apply, or is not known. */
bool reviewed_is_others(const struct reviewed *reviewed, const struct reviewed_entry *entry);

/* Frees the tags, leaves none. */
void reviewed_release(struct reviewed *reviewed);

/*
 * Begins the file anew: with `shown`, what the person saw, and with what is in the store `now` and
 * had a tag before, since it was written here in between. Does nothing, with success, where no
 * repository surrounds the store.
 */
int reviewed_begin(const struct disk *disk, const struct reviewed_entry *shown, size_t shown_count,
		   const struct reviewed_entry *now, size_t now_count, struct err *err);

/*
 * Adds the entries that these operations put, but for disk->others. Called before they are carried
 * out, so that a change that is killed half-way is not taken for somebody else's. Best effort: what
 * could not be added is marked until the store is trusted again.
 */
void reviewed_note(const struct disk *disk, const struct op *ops, size_t count);

/* Removes the file of a store that is no longer trusted; name is that of the registry. */
void reviewed_forget(const struct disk *disk, struct slice name);

#endif
