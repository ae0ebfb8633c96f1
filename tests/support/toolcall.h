/*
 * Calling an operation of the table over a test store, and saying what it has to answer.
 *
 * For tests only. In arguments and expected replies apostrophes stand for quotes: {'key':'a'}. The
 * zone is Europe/Berlin, so that a store that was just opened is at TOOLCALL_T0. What fails here
 * ends the test by cmocka's assertions.
 */
#ifndef KOTA_TESTS_TOOLCALL_H
#define KOTA_TESTS_TOOLCALL_H

#include "support/teststore.h"

/* TESTSTORE_NOW, and one and two minutes later, as replies show them. */
#define TOOLCALL_T0 "2026-11-21T09:30:00.000+01:00"
#define TOOLCALL_T1 "2026-11-21T09:31:00.000+01:00"
#define TOOLCALL_T2 "2026-11-21T09:32:00.000+01:00"

/* cmocka's set-up and tear-down: *state is a struct teststore. */
int toolcall_set_up(void **state);
int toolcall_tear_down(void **state);

/* The same in a folder that is a store already, so that a test may put other things into it. */
int toolcall_set_up_marked(void **state);

/* The same with a history, in which edits by hand are Ada's. In replies a change is 'ID'. */
int toolcall_set_up_with_history(void **state);

/* Moves the clock one minute on. */
void toolcall_later(void);

/* Runs a command and fails the test unless the reply is this text. NULL: any reply will do. */
void toolcall_replies(struct teststore *t, const char *command, const char *arguments,
		      const char *expected);

/* As toolcall_replies, for a reply of which only a part is of interest. */
void toolcall_reply_has(struct teststore *t, const char *command, const char *arguments,
			const char *part);

/* Runs a command and appends its reply. */
void toolcall_reply(struct teststore *t, const char *command, const char *arguments,
		    struct str *out);

/* Runs a command, whether it works or is refused. */
void toolcall_try(struct teststore *t, const char *command, const char *arguments);

/* The same; says which, and appends the reply of one that works. */
bool toolcall_works(struct teststore *t, const char *command, const char *arguments,
		    struct str *reply);

/* Fails the test unless the command is refused with this code and sentence (NULL: any). */
void toolcall_refused(struct teststore *t, const char *command, const char *arguments,
		      enum err_code code, const char *sentence);

/* As toolcall_refused, for a sentence of which only a part is of interest. */
void toolcall_refused_with(struct teststore *t, const char *command, const char *arguments,
			   enum err_code code, const char *part);

/* Fails the test unless a file of the store holds exactly this text, apostrophes for quotes. */
void toolcall_file_is(struct teststore *t, const char *name, const char *expected);

/* As tmpdir_write, apostrophes for quotes. */
void toolcall_write_file(struct teststore *t, const char *name, const char *text);

#endif
