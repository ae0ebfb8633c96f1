/*
 * The queue for the store's lock: first come, first served.
 *
 * `.lock.queue` is an empty file. Each waiting process locks one byte of it, the first one behind
 * all locked bytes, with an open file description lock, which ends with the process. It waits until
 * no byte before its own is locked, and then for the lock itself. A process that arrives while
 * others wait joins the queue. A process that is killed while it waits blocks nobody.
 *
 * The first process that has to wait creates the file, and the file stays. If it cannot be created
 * or locked, there is no order, and each process tries on its own.
 */
#ifndef KOTA_STORE_FILES_LOCK_QUEUE_H
#define KOTA_STORE_FILES_LOCK_QUEUE_H

#include "base/sys.h"

#include <stdbool.h>

struct lock_queue {
	const struct sys *sys;
	int fd; /* -1: not queueing */
	off_t place;
};

/* True if a process is waiting. */
bool lock_queue_is_busy(const struct sys *sys, int dirfd);

/* Joins the queue. Release with lock_queue_leave(). */
void lock_queue_join(struct lock_queue *queue, const struct sys *sys, int dirfd);

/* True if no process is ahead of this one, and if there is no queue. */
bool lock_queue_is_first(const struct lock_queue *queue);

/* Leaves the queue. */
void lock_queue_leave(struct lock_queue *queue);

#endif
