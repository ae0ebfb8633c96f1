/*
 * How far something is, in one line on standard error. For this folder only.
 *
 *	struct meter meter;
 *	meter_begin(&meter, cli, "maintain");
 *	... work that gets &meter.progress ...
 *	meter_end(&meter);
 *
 * Only on a terminal that can take a line back, only after a second, at most ten times in one, and
 * gone at the end: what is quick, and what nobody watches, shows nothing.
 */
#ifndef KOTA_CLI_PROGRESS_BAR_H
#define KOTA_CLI_PROGRESS_BAR_H

#include "base/err.h"
#include "cli/run.h"

struct meter {
	struct progress progress; /* to be handed down while it is begun; see meter_watcher() */
	struct cli *cli;
	const char *command;
	int64_t begun_ms;
	int64_t drawn_ms; /* when it was drawn last */
	bool watched;     /* is there anybody to see it? */
	bool shown;       /* there is a line to take back */
};

/* Begins to wait. The struct must stay where it is. command may be NULL. */
void meter_begin(struct meter *meter, struct cli *cli, const char *command);

/* What to hand down: NULL where nobody watches. */
const struct progress *meter_watcher(const struct meter *meter);

/* Takes the line back. To be called before anything else is written. */
void meter_end(struct meter *meter);

#endif
