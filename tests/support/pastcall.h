/*
 * Operations over a test store that has a history, and what the history says of them.
 *
 * For tests only; for toolcall_set_up_with_history(), see toolcall.h. What fails here ends the test
 * by cmocka's assertions.
 */
#ifndef KOTA_TESTS_PASTCALL_H
#define KOTA_TESTS_PASTCALL_H

#include "git/libgit2.h"
#include "support/toolcall.h"

/* The name of the n-th change from the last, which is 0. */
struct object_id pastcall_change(struct teststore *t, size_t n);

/* How many changes there are, the beginning included. */
size_t pastcall_count(struct teststore *t);

/* Subjects from new to old, a line each, down to and without the beginning. */
void pastcall_log_is(struct teststore *t, const char *expected);

/* Runs a command whose arguments have %s for the name of the n-th change from the last. */
void pastcall_replies(struct teststore *t, const char *command, const char *arguments, size_t n,
		      const char *part);
void pastcall_refused(struct teststore *t, const char *command, const char *arguments, size_t n,
		      enum err_code code, const char *part);

/* The files are what the last commit has, and the other way round. */
void pastcall_check_tree(struct teststore *t);

#endif
