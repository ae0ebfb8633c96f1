/*
 * A process that serves a store gives up all files that it does not need for that.
 *
 * The server and the hooks read what others have written, and act on it. From here on an error in
 * them reaches what is named below and nothing else, whatever a file of the store says:
 *
 * changed: the store, with its repository where a `.git` file leads to it; the folders that links
 * of its files lead to; the folder of notes; the folder of the person's state (XDG_STATE_HOME).
 * read: the person's settings, of kota and of git; a surrounding repository's git folder, what it
 * shares with others, and what it ignores; libraries; /etc, time zones and locales.
 *
 * Nothing can be started, and TCP is closed where the kernel can do that. What a path leads to is
 * settled once: a folder that takes the place of one of these later is closed.
 *
 * main.c makes the struct, for a process that has one thread; who opens a store hands it down. A
 * test that serves within its own process has none.
 */
#ifndef KOTA_STORE_FILES_CONFINE_H
#define KOTA_STORE_FILES_CONFINE_H

#include "base/err.h"
#include "base/sys.h"
#include "store/location/place.h"

#include <stdbool.h>

struct disk;

/* Begins with the first three, and is not in force then; sys and env must outlive it. */
struct confine {
	/* Puts the rules in force once a store is open: store/open/confine_rules.c, above this. */
	void (*enter)(struct confine *confine, struct disk *disk);
	const struct sys *sys;
	environment env;
	bool tried;         /* there is nothing more to do */
	bool shut;          /* in force */
	struct err trouble; /* why it is not, though the kernel could; empty text: none */
};

/* What is said of a path that is closed since it came later, or was named later. */
#define CONFINE_KEEPS                                                                              \
	"is not among the files that this process began with, and it keeps to those: start the "   \
	"server again"

/*
 * True if the confinement is in force: then EACCES may mean a file that appeared later. False for
 * NULL.
 */
static inline bool confine_is_shut(const struct confine *confine)
{
	return confine && confine->shut;
}

#endif
