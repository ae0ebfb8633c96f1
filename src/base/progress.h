/*
 * Telling who waits how far something is.
 *
 * Whoever waits makes a struct progress and hands it down; who works calls progress_step() now and
 * then: at the beginning of each turn of a loop that may take long, with the number of the turn.
 * A step costs a look at the clock, so that a turn should take some microseconds. NULL is nobody.
 */
#ifndef KOTA_BASE_PROGRESS_H
#define KOTA_BASE_PROGRESS_H

#include <stddef.h>

struct progress {
	/* what: a few words, valid for the call; total 0: nobody knows. */
	void (*step)(void *context, const char *what, size_t done, size_t total);
	void *context;
};

static inline void progress_step(const struct progress *progress, const char *what, size_t done,
				 size_t total)
{
	if (progress)
		progress->step(progress->context, what, done, total);
}

#endif
