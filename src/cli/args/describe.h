/*
 * What the rows of an operation mean, in words: for help and the reference page. All functions
 * append to *out.
 */
#ifndef KOTA_CLI_ARGS_DESCRIBE_H
#define KOTA_CLI_ARGS_DESCRIBE_H

#include "base/str.h"
#include "cli/args/command.h"

/* Something by its name, and what it means; lists are ended by a NULL name. */
struct term {
	const char *name;
	const char *text;
};

/* The options of every command, the exit statuses, and the environment variables. */
extern const struct term describe_options[];
extern const struct term describe_statuses[];
extern const struct term describe_environment[];

/* How the shell reads arguments: a paragraph. */
extern const char *const describe_arguments;

/* "set KEY VALUE": the command and what it takes without names. */
void describe_usage(struct str *out, const struct tool *tool);

/* The same of a command of the program's own: "help [COMMAND]", "serve [--tools SET]". */
void describe_command(struct str *out, const struct command *command);

/* True if the operation has an argument that is given by name only. */
bool describe_has_options(const struct tool *tool);

/* "KEY", "--tags TEXT", "--[no-]pinned": how the shell takes a parameter. */
void describe_option(struct str *out, const struct param *param);

/* "a text", "a whole number, 1 to 100", "one of a, b". */
void describe_type(struct str *out, const struct param *param);

/* What it means (help NULL: what its row says), and what type, range, default and number are right.
 */
void describe_param(struct str *out, const struct param *param, const char *help);

#endif
