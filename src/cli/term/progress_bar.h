/*
 * How far something is, in one line on standard error.
 *
 *	struct progress_bar bar;
 *	progress_bar_begin(&bar, cli, "maintain");
 *	... work that gets &bar.progress ...
 *	progress_bar_end(&bar);
 *
 * Only on a terminal that can take a line back, only after a second, at most ten times in one, and
 * gone at the end: what is quick, and what nobody watches, shows nothing.
 */
#ifndef KOTA_CLI_TERM_PROGRESS_BAR_H
#define KOTA_CLI_TERM_PROGRESS_BAR_H

#include "base/err.h"
#include "cli/term/cli.h"

struct progress_bar {
	struct progress
		progress; /* to be handed down while it is begun; see progress_bar_watcher() */
	struct cli *cli;
	const char *command;
	int64_t begun_ms;
	int64_t drawn_ms; /* when it was drawn last */
	bool watched;     /* somebody sees it */
	bool shown;       /* there is a line to take back */
};

/* Begins to wait. The struct must stay where it is. command may be NULL. */
void progress_bar_begin(struct progress_bar *bar, struct cli *cli, const char *command);

/* What to hand down: NULL where nobody watches. */
const struct progress *progress_bar_watcher(const struct progress_bar *bar);

/* Takes the line back. To be called before anything else is written. */
void progress_bar_end(struct progress_bar *bar);

#endif
