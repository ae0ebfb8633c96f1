/*
 * Shows the progress of long work in one line on standard error.
 *
 *	struct progress_bar bar;
 *	progress_bar_begin(&bar, cli, "maintain");
 *	... work that gets &bar.progress ...
 *	progress_bar_end(&bar);
 *
 * Only on a terminal that can erase a line, only after a second, and at most ten times a
 * second. The line is erased at the end.
 */
#ifndef KOTA_CLI_TERM_PROGRESS_BAR_H
#define KOTA_CLI_TERM_PROGRESS_BAR_H

#include "base/err.h"
#include "cli/term/cli.h"

struct progress_bar {
	struct progress progress; /* see progress_bar_watcher() */
	struct cli *cli;
	const char *command;
	int64_t begun_ms;
	int64_t drawn_ms; /* the last time */
	bool watched;     /* there is a terminal */
	bool shown;       /* there is a line to erase */
};

/* Begins. The struct must not move. command may be NULL. */
void progress_bar_begin(struct progress_bar *bar, struct cli *cli, const char *command);

/* To be passed to the work; NULL if there is no terminal. */
const struct progress *progress_bar_watcher(const struct progress_bar *bar);

/* Erases the line. Call it before anything else is written. */
void progress_bar_end(struct progress_bar *bar);

#endif
