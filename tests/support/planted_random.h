/*
 * A table of system calls in which each call fails now and then, as on a machine that is ill: the
 * way of failing is drawn from those that the call can have. What a program reads from its
 * standard input and writes to its standard output is only interrupted or cut short.
 *
 * For planted.c only, which hands it out as random:PER_MILLION and unchecked:PER_MILLION.
 */
#ifndef KOTA_TESTS_PLANTED_RANDOM_H
#define KOTA_TESTS_PLANTED_RANDOM_H

#include "base/sys.h"

/* Of a million calls so many fail. Static storage; the random numbers begin with the process. */
const struct sys *planted_random(unsigned per_million);

/* The same for calls that change files, except that the program takes the failure for success. */
const struct sys *planted_unchecked(unsigned per_million);

#endif
