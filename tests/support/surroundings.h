/*
 * Environments for stores that are opened in the test's own process.
 *
 * For tests only. History is off but where a test is about it: loading the library, and the commits
 * themselves, take more time than all else.
 */
#ifndef KOTA_TESTS_SURROUNDINGS_H
#define KOTA_TESTS_SURROUNDINGS_H

/* Turns the history off and has a folder of state, where the key is; no other variable. */
const char *surroundings_plain(const char *name);

/* Turns it on; likewise. */
const char *surroundings_with_history(const char *name);

/*
 * XDG_STATE_HOME of both: a folder that this program makes, and removes when it ends. Ask for it
 * before a fork, so that parent and child have the same.
 */
const char *surroundings_state_home(void);

#endif
