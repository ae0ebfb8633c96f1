/*
 * What people read of a command in help and the manual page, beside what stands in its own row: an
 * operation's row is written for models, which pay for every byte.
 */
#ifndef KOTA_CLI_EXAMPLES_H
#define KOTA_CLI_EXAMPLES_H

#include "base/str.h"

#define EXAMPLES_COUNT 2

struct command_text {
	const char *command;
	const char *what; /* what it does; NULL: the summary or description of its row says it */
	const char *examples[EXAMPLES_COUNT]; /* command lines that work as they stand */
};

/* The row of a command or operation, or NULL; static storage. */
const struct command_text *command_text_find(const char *command);

/* What an option means where its row says it to models only, or not at all; else NULL. */
const char *option_text_find(const char *command, const char *param);

#endif
