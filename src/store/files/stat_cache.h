/*
 * What a name in the store's folder stands for: looked at for as little as can be.
 *
 * Most requests find nothing changed, and to find that costs more than all the rest of them. A
 * folder whose own times have not changed holds the same names for the same files as before: one
 * that was absent is, and of one that was there it is enough to look at the file itself, which is
 * held by a descriptor that allows nothing else (O_PATH). So each file still is looked at with each
 * request, and one that was edited in place, replaced, made or removed is noticed at once.
 *
 * That is relied upon where it is known of the file system. Links are followed anew each time, and
 * under the lock, where we change names ourselves, every name is looked up.
 */
#ifndef KOTA_STORE_FILES_STAT_CACHE_H
#define KOTA_STORE_FILES_STAT_CACHE_H

#include "base/file.h"

#include <stdint.h>

struct disk;

/* Zeroes are a name that was never looked at. */
struct glance {
	uint64_t names; /* disk->names when the name was looked up; 0: look it up again */
	bool present;
	bool held; /* fd is open on the file, which is no link */
	int fd;
	dev_t dev; /* of the held file */
	ino_t ino;
};

/*
 * Identity of a file of the store as file_identify() tells it: links followed, absent is success.
 * *glance stays with one name of one disk.
 */
int glance_at(struct glance *glance, const struct disk *disk, const char *name, struct file_id *id,
	      struct err *err);

/*
 * Is the folder on a file system of which it is known that its times change with every name in it?
 * Not so where they come from another machine, or from whatever FUSE is in front of.
 */
bool glance_may_trust(int dirfd);

/* Closes what is held; *glance is as never used. */
void glance_release(struct glance *glance, const struct sys *sys);

#endif
