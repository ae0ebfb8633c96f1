/*
 * What a program is started in: its environment variables, and its working folder.
 *
 *	static const char *const home[] = {"HOME=/h", NULL};
 *	environ_use(home);
 *	place_find(&place, fake_sys(), environ_look_up, NULL, &err);
 *
 * For tests only. The variables stay the test's and must outlive their use. There is one
 * environment at a time: a look-up has no place for a context.
 */
#ifndef KOTA_TESTS_ENVIRON_H
#define KOTA_TESTS_ENVIRON_H

#include <stdint.h>

#define ENVIRON_NOW INT64_C(1795249800123)

/* Without any variable. */
extern const char *const environ_nothing[];

/* From now on these are the variables: "NAME=value" ..., ended by NULL. */
void environ_use(const char *const *variables);

/* The value of a variable, or NULL; owned by whoever gave the variables. */
const char *environ_look_up(const char *name);

/*
 * cmocka's set-up and tear-down: *state is a struct tmpdir of theirs, and the working folder. It is
 * one without a store; P is a project with one, F a project where a file has the store's name. The
 * clock of the fake table of system calls is set to ENVIRON_NOW, and there are no variables.
 */
int environ_set_up(void **state);
int environ_tear_down(void **state);

#endif
