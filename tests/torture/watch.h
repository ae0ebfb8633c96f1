/*
 * Every call that a program makes on files, its libraries' too: the n-th fails, or is its last.
 *
 *	watch_init(&watch);                  skips the row where the kernel does not allow it
 *	watch_begin(&watch);
 *	server_start(...)                    of a program that calls watch_install() first
 *	watch_arm(&watch, WATCH_EIO, n);     counts from here on
 *	...
 *	watch_disarm(&watch)                 was there an n-th call?
 *	watch_end(&watch);                   when the program has ended
 *
 * The kernel asks a process of the test before it carries out such a call (seccomp's user
 * notification), so nothing of the program has to be prepared for it. Reads and writes of the
 * standard streams do not count. The struct is the caller's.
 */
#ifndef KOTA_TORTURE_WATCH_H
#define KOTA_TORTURE_WATCH_H

#include <stdbool.h>
#include <sys/types.h>

/* What becomes of the call. An error is counted only among the calls that can have it. */
enum watch_fault {
	WATCH_KILL, /* the program is killed before the call */
	WATCH_EIO,
	WATCH_EINTR,
	WATCH_ENOSPC,
	WATCH_ENOSPC_ON, /* this call and all after it, until disarmed: a full disk */
	WATCH_FAULTS
};

const char *watch_fault_name(enum watch_fault fault);

#define WATCH_WHAT 160

struct watch_board; /* what is shared with the process that answers the kernel */

struct watch {
	struct watch_board *board;
	pid_t warden;
};

void watch_init(struct watch *watch);

/* The next program that is started is watched. */
void watch_begin(struct watch *watch);

void watch_arm(struct watch *watch, enum watch_fault fault, unsigned nth);
bool watch_disarm(struct watch *watch);

/* What was hit last: the kernel's number of the call, and its file or folder. */
const char *watch_what(const struct watch *watch);

/* Waits until the program has ended. */
void watch_end(struct watch *watch);

/* For the program: from here on its calls are watched, if a test wants it. */
void watch_install(void);

#endif
