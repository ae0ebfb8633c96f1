/*
 * What one purge takes out: an entry under all its names, see redact.h.
 *
 * The first key is the one that the person named; the others are names that the entry had before.
 * The set owns its keys. For the files of purge.
 */
#ifndef KOTA_STORE_PURGE_PURGE_SET_H
#define KOTA_STORE_PURGE_PURGE_SET_H

#include "store/files/file_names.h"
#include "store/purge/redact.h"

struct purge_set {
	struct purge_key *keys;
	size_t count;
	size_t cap;
	struct needles values; /* everything that was taken out, for who looks for copies */
	struct names notes;    /* that are in the folder: the person's, who may take them away */
};

/* A set of one key, which is copied. To be released; it must stay where it is. */
void purge_set_init(struct purge_set *out, const struct purge_key *wanted);
void purge_set_release(struct purge_set *set);

/* Position of the key of this category in any spelling; SIZE_MAX when it is not in the set. */
size_t purge_set_find(const struct purge_set *set, int category, struct slice key);

/* Adds a name that the entry had before, unless it is there; its position. */
size_t purge_set_add(struct purge_set *set, enum category category, struct slice key);

/* As purge_text() of redact.h, for each name in turn. */
enum purged purge_set_text(struct purge_set *set, const char *path, struct slice text,
			   struct str *out, size_t *count);
bool purge_set_mentions(const struct purge_set *set, struct slice text);

#endif
