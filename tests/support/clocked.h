/*
 * A clock that a script sets: time stands in a file.
 *
 * For tests only. The program tests/clocked is kota with this table, so that a script can live
 * through a year of a store in a moment. KOTA_CLOCK names a file with an ISO 8601 time or
 * milliseconds since 1970; each process goes by the time that stands there when it first looks, and
 * leaves one that is a second later. With KOTA_CLOCK_LIVE it looks each time and leaves what is
 * there.
 */
#ifndef KOTA_TESTS_CLOCKED_H
#define KOTA_TESTS_CLOCKED_H

#include "base/sys.h"

/* The real table with that clock; aborts with a sentence when there is no time in the file. */
const struct sys *clocked_sys(void);

#endif
