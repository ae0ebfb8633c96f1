/*
 * Whether a text tells of something that happened or was done, and is over, rather than of what
 * holds.
 *
 * Decided by form alone: the first clause with a tensed verb decides. "Job killed after nine hours"
 * reports, "jobs are killed after nine hours" does not. In doubt, a text holds.
 */
#ifndef KOTA_SIMILARITY_REPORT_H
#define KOTA_SIMILARITY_REPORT_H

#include "base/str.h"
#include "model/entry.h"

#include <stdbool.h>

/* What a text says of when it is true. */
enum report {
	REPORT_UNKNOWN,
	REPORT_EVENT, /* it happened, and is over */
	REPORT_HOLDS  /* it goes on, or names what is told: "Staging address: ..." */
};

/* A text of more than some hundred bytes is not known. */
enum report report_read(struct slice text);

/* Does it say what has to be done or left, whenever it comes to that: "always", "must", "never"? */
bool report_is_rule(struct slice text);

/* Is it a note of something that happened: a text in state that reports? */
bool report_is_note(const struct entry *entry);

#endif
