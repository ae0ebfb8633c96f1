/*
 * A file system of our own whose power can be cut: ext4 in a file, mounted through a loop device.
 *
 *	loopdisk_make(&disk);              skips the row without root, loop devices or mkfs.ext4
 *	loopdisk_boot(&disk);
 *	... processes write below disk.path ...
 *	loopdisk_cut(&disk);               from here on nothing reaches the image
 *	... all of them are ended ...
 *	loopdisk_unmount(&disk);
 *	loopdisk_boot(&disk);              what a machine finds after a power cut
 *	loopdisk_remove(&disk);
 *
 * For the programs of tests/torture. The cut is the shutdown of ext4 without flushing its journal,
 * so what was not made durable by fsync is gone unless the kernel happened to write it; the mount
 * is noauto_da_alloc, which takes back ext4's kindness towards programs that rename without fsync.
 *
 * Mounts are in a namespace of this process and the image has no name, so that nothing is left
 * behind however the process ends, but for an empty directory when it is killed. What cannot be
 * done ends the program. The struct is the caller's; one at a time.
 */
#ifndef KOTA_TORTURE_LOOPDISK_H
#define KOTA_TORTURE_LOOPDISK_H

#include "torture/row.h"

#include <limits.h>

struct loopdisk {
	char path[PATH_MAX]; /* where it is mounted */
	int image;           /* open on the file */
	int control;         /* open on what hands out loop devices */
};

void loopdisk_make(struct loopdisk *disk);
void loopdisk_mount(struct loopdisk *disk);

/* Mounts it as a machine does that starts: there is another boot id from here on. */
void loopdisk_boot(struct loopdisk *disk);

/* Cuts the power, now. */
void loopdisk_cut(const struct loopdisk *disk);

/* The same right after the kernel has written out the journal of the file system by itself. */
void loopdisk_cut_flushed(const struct loopdisk *disk);

/* One of the two, by chance. */
void loopdisk_cut_either(const struct loopdisk *disk, struct row *row);

/* Nothing below the path may be open any more. */
void loopdisk_unmount(struct loopdisk *disk);

void loopdisk_remove(struct loopdisk *disk);

#endif
