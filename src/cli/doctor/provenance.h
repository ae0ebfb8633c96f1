/*
 * Where a store comes from and what it asks for, in words: for `kota trust` and for doctor, so that
 * both say the same.
 *
 * Nothing outside the store is read: of a link only what is written in it is told.
 */
#ifndef KOTA_CLI_DOCTOR_PROVENANCE_H
#define KOTA_CLI_DOCTOR_PROVENANCE_H

#include "base/str.h"
#include "store/files/dir.h"

/* Appends "your own place", "made here on 2026-11-22", "it came with the repository /x" ... */
void provenance_add(struct str *out, const struct origin *origin);

/* Called with the name of a link in the store's folder, and what is written in it. */
typedef void (*provenance_visitor)(void *context, const char *name, const char *target);

/* Visits the links that lie in the store's folder itself, in no order. */
void provenance_each_link(const struct disk *disk, provenance_visitor visit, void *context);

/*
 * True for the name of a file whose link may be followed: a file of the store with entries, records
 * or links, or config.json.
 */
bool provenance_may_link(const char *name);

/* Appends the settings of the store that are not in force, "git, secrets"; false for none. */
bool provenance_add_held_settings(struct str *out, struct disk *disk);

/* Appends the program's own files that a repository tracks, with blanks between; false for none. */
bool provenance_add_committed(struct str *out, const struct disk *disk);

#endif
