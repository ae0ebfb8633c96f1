/*
 * The store in which a project's memories were last kept.
 *
 * One day the same command in the same project may reach another store: a variable is set, a folder
 * was moved, or it is another work tree. The user is told once. What is known is kept in
 * projects.json of the person's state folder, by the root of the work tree; outside a work tree, or
 * if that folder cannot be written, nothing is kept and nothing is said. For src/store.
 */
#ifndef KOTA_STORE_TRUST_DESTINATION_H
#define KOTA_STORE_TRUST_DESTINATION_H

#include "base/file.h"
#include "base/str.h"
#include "store/location/place.h"

/* The file as this process last wrote it. Zeroes with dirfd -1: not yet. */
struct destination {
	int dirfd; /* of the state folder, held open */
	struct file_id id;
	char *store;
};

void destination_release(struct destination *last, const struct sys *sys);

/*
 * Notes that a memory from the project (its real path) went to the store (likewise). If the last
 * one went to another store, *before (cleared first) gets that store's path. Use one *last per
 * project: while the file has not changed since, it is not read again.
 */
void destination_note(struct destination *last, const struct sys *sys, environment env,
		      const char *project, const char *store, struct str *before);

#endif
