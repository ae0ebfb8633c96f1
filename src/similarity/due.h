/*
 * The coming day that a statement names: "freeze until 7 January", "launch on 16 October",
 * "conference in April", "due 2026-10-16".
 */
#ifndef KOTA_SIMILARITY_DUE_H
#define KOTA_SIMILARITY_DUE_H

#include "base/str.h"

#include <stdint.h>

/*
 * When the last day named in a text written at told_ms is over. A month, or a day of one, after a
 * word such as "on", "in" or "until" is the next one from then on. TIME_NONE if it names none, or
 * is too long to be one statement.
 */
int64_t due_of(struct slice text, int64_t told_ms);

#endif
