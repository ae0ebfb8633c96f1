/*
 * Who waits for the lock gets it in the order of arrival.
 *
 * `.lock.queue` is an empty file of which each waiting process locks one byte (an open file
 * description lock, which goes with the process): the first byte behind all that are locked. It
 * waits until no byte before its own is locked, and then for the lock itself. Who comes while
 * somebody waits queues up. A process that is killed while it waits holds up nobody.
 *
 * The file is made by the first process that has to wait, and stays. Where it cannot be made or
 * locked there is no order, and each process tries for itself.
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

/* True if somebody waits. */
bool lock_queue_is_busy(const struct sys *sys, int dirfd);

/* Queues up. Release with lock_queue_leave(). */
void lock_queue_join(struct lock_queue *queue, const struct sys *sys, int dirfd);

/* True if nobody is before this process. True also without a queue. */
bool lock_queue_is_first(const struct lock_queue *queue);

/* Makes room for the next. */
void lock_queue_leave(struct lock_queue *queue);

#endif
