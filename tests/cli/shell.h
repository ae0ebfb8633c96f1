/*
 * A shell for tests: runs the program on a store of its own and keeps what it wrote.
 *
 *	struct shell shell;
 *	shell_init(&shell);
 *	assert_int_equal(shell_run(&shell, "set", "editor", "vim", NULL), 0);
 *	assert_string_equal(shell.out, "set state:editor\n");
 *	shell_release(&shell);
 *
 * The store is found by KOTA_MEMORY_DIR and does not exist at first. The working folder is the one
 * that holds it, till the release: without that variable the store of a project around the tests
 * would be found. The clock stands at SHELL_NOW. One shell at a time: the environment has no place
 * for a context.
 */
#ifndef KOTA_TESTS_SHELL_H
#define KOTA_TESTS_SHELL_H

#include "cli/run.h"
#include "support/tmpdir.h"

/* 2026-11-21T09:30:00Z */
#define SHELL_NOW INT64_C(1795253400000)

struct shell {
	struct tmpdir dir; /* holds the store, and is the working folder */
	int before;        /* the working folder before that */
	char store[PATH_MAX + 16];
	struct cli cli;                  /* terminals, width and server may be set by the test */
	struct slice input;              /* standard input of the next run */
	const struct tool *const *tools; /* NULL: all */
	char *out;
	size_t out_len;
	char *err;
	size_t err_len;
};

void shell_init(struct shell *shell);
void shell_release(struct shell *shell);

/* Sets a variable of the environment; value NULL unsets it. Both must be static. */
void shell_env(const char *name, const char *value);

/* Runs `kota` with these words, ended by NULL; returns the exit status. */
int shell_run(struct shell *shell, ...) __attribute__((sentinel));

/* Makes a file in the store, and the store where it is missing. */
void shell_write(struct shell *shell, const char *name, const char *text);

/* Makes the store, as it is now, one that the person trusts: its links are recorded. */
void shell_trust(const struct shell *shell);

/* What is in a file of the store, or NULL; the caller frees it. */
char *shell_read(struct shell *shell, const char *name);

#endif
