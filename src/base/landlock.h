/*
 * Landlock: a process gives up rights to files and sockets that it will not need.
 *
 *	struct landlock rules;
 *	landlock_begin(&rules, sys, abi, &err);
 *	landlock_allow(&rules, fd, LANDLOCK_READ);      for each file or folder that stays open to
 * it landlock_enforce(&rules, &err); landlock_release(&rules);
 *
 * For src/store/files/confine.c and for doctor. What the kernel knows differs by version ("ABI"):
 * what it does not know stays allowed. A rule is about the very file or folder that fd stands for,
 * with all that is below it; what has that name later is another one. Looking at a file (stat,
 * readlink) and going through folders are never forbidden. There is no way back, and programs that
 * this one starts are held to the same. The calls are per thread: to be made while there is one.
 */
#ifndef KOTA_BASE_LANDLOCK_H
#define KOTA_BASE_LANDLOCK_H

#include "base/err.h"
#include "base/sys.h"

/* Below it no file can be renamed into another folder, whatever the rules say. */
#define LANDLOCK_ABI_MIN 2

/* What may be done with a file, or with what is in a folder. */
enum landlock_rights {
	LANDLOCK_READ = 1,   /* read files, list folders */
	LANDLOCK_CHANGE = 2, /* and make, replace and remove regular files */
	LANDLOCK_ALL = 4     /* and folders and links; rename between folders; start nothing */
};

struct landlock {
	const struct sys *sys;
	int fd;           /* -1: none */
	uint64_t handled; /* rights that the kernel knows */
};

/*
 * The version that the kernel has: 0 when it has none, or none switched on. number (NULL: not
 * asked) is then the errno: ENOSYS, EOPNOTSUPP.
 */
int landlock_abi(const struct sys *sys, int *number);

/*
 * Begins a set of rules for that version, which is at least LANDLOCK_ABI_MIN. Forbids TCP from
 * version 4 on, signals to other processes and abstract sockets from 6 on.
 */
int landlock_begin(struct landlock *out, const struct sys *sys, int abi, struct err *err);

/* Allows what is there or below. fd may have been opened with O_PATH; it stays the caller's. */
int landlock_allow(struct landlock *rules, int fd, enum landlock_rights rights, struct err *err);

/* From here on the rules hold, and no program that is started can get more rights by its file. */
int landlock_enforce(struct landlock *rules, struct err *err);

/* Closes the set; what is in force stays so. */
void landlock_release(struct landlock *rules);

#endif
