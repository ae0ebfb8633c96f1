/*
 * The day that a statement names as one to come: "freeze until 7 January", "launch on 16 October",
 * "conference in April", "due 2026-10-16".
 */
#ifndef KOTA_SIMILARITY_DUE_H
#define KOTA_SIMILARITY_DUE_H

#include "base/str.h"

#include <stdint.h>

/*
 * When the last day that the text names is over, for a text of told_ms: a month, or a day of one,
 * after a word such as "on", "in", "until", is the next one from then on. TIME_NONE: it names none.
 * A long text is more than one statement: none.
 */
int64_t due_of(struct slice text, int64_t told_ms);

#endif
