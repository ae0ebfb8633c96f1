/*
 * Environments for stores that are opened in the test's own process.
 *
 * For tests only. History is off but where a test is about it: loading the library, and the commits
 * themselves, take more time than all else.
 */
#ifndef KOTA_TESTS_SURROUNDINGS_H
#define KOTA_TESTS_SURROUNDINGS_H

/* Turns the history off and has no other variable. */
const char *surroundings_plain(const char *name);

/* Turns it on and has no other variable. */
const char *surroundings_with_history(const char *name);

#endif
