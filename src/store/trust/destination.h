/*
 * Where the memories of a project went last.
 *
 * The same command in the same project may one day reach another store: a variable is set, a folder
 * was moved away, a work tree is another one. That is said once. What is known is kept in
 * projects.json of the person's state folder, by the root of the work tree; outside a work tree,
 * or where that folder cannot be written, nothing is kept and nothing said. For src/store.
 */
#ifndef KOTA_STORE_TRUST_DESTINATION_H
#define KOTA_STORE_TRUST_DESTINATION_H

#include "base/file.h"
#include "base/str.h"
#include "store/location/place.h"

/* The file as this process noted something in it last. Zeroes with dirfd -1: it has not yet. */
struct destination {
	int dirfd; /* of the state folder, held open */
	struct file_id id;
	char *store;
};

void destination_release(struct destination *last, const struct sys *sys);

/*
 * A memory from the project (its real path) went to the store (likewise). When the last one went to
 * another, *before, emptied first, is that one's path; now this is the last. *last stays with one
 * project: while the file is as it was then, it is not read again.
 */
void destination_note(struct destination *last, const struct sys *sys, environment env,
		      const char *project, const char *store, struct str *before);

#endif
