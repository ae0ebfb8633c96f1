/*
 * Which entries of a store the person has seen or written here. The others are marked.
 *
 * A store is trusted once, but pulls come daily. So the state folder keeps a tag for each entry
 * that was shown when the store was trusted, and for each that this program has written since: one
 * a line in NAME.reviewed. A tag is an HMAC whose key is the store's registered name. Others who
 * write to the repository do not know that name, and the tags reveal nothing.
 *
 * Only a store inside a repository has such a file. Entries without a tag count as changed by
 * others only if the repository's index has files of the store. An edit by hand looks the same.
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

/* An active or archived entry; its JSON text may have any layout. */
struct reviewed_entry {
	enum category category;
	struct slice key;
	struct slice text;
};

/* The tags of one store; all zero before the first refresh. */
struct reviewed {
	bool applies; /* entries of others are marked in this store */
	bool known;   /* the file exists; otherwise it is unknown which they are */
	struct file_id id;
	struct str name;
	struct str text;
	struct map tags; /* its keys point into text */
};

/* Brings *reviewed up to date with the origin of the store and with the file. */
void reviewed_refresh(struct reviewed *reviewed, const struct disk *disk);

/* True if others changed this entry. False if that does not apply, or is not known. */
bool reviewed_is_others(const struct reviewed *reviewed, const struct reviewed_entry *entry);

/* Frees the tags and leaves none. */
void reviewed_release(struct reviewed *reviewed);

/*
 * Writes a new file: with the entries that the person was `shown`, and with those that are in the
 * store `now` and already had a tag, because they were written here meanwhile. Succeeds without
 * doing anything if the store is not inside a repository.
 */
int reviewed_begin(const struct disk *disk, const struct reviewed_entry *shown, size_t shown_count,
		   const struct reviewed_entry *now, size_t now_count, struct err *err);

/*
 * Adds the entries that these operations put, except disk->others. Called before they are carried
 * out, so that an interrupted change does not look like that of somebody else. Best effort: an
 * entry that could not be added stays marked until the store is trusted again.
 */
void reviewed_note(const struct disk *disk, const struct op *ops, size_t count);

/* Removes the file of a store that is no longer trusted; name is that of the registry. */
void reviewed_forget(const struct disk *disk, struct slice name);

#endif
