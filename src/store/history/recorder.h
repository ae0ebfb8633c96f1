/*
 * Turning what is pending, and what people have edited, into commits.
 *
 * Each change becomes a commit, in the order in which they were made; a difference that no change
 * explains becomes a commit of the person's before the change that came upon it. For history.c
 * only. The lock must be held.
 */
#ifndef KOTA_STORE_HISTORY_RECORDER_H
#define KOTA_STORE_HISTORY_RECORDER_H

#include "store/history/history_state.h"

/*
 * Records what .pending says and forgets it. All or nothing: after a failure the next recording
 * finds the same pending lines.
 */
int recorder_run(struct history *history, struct err *err);

#endif
