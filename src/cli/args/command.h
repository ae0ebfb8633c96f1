/*
 * What a command of the shell is, and one run of the program.
 *
 * This folder turns the words of a command line into options and arguments, and runs an operation
 * with them. All of src/cli above src/cli/render may depend on it.
 *
 * The program's own commands are a struct each, beside its function; what works on memories stands
 * in the table of operations instead. Adding a command: its file in src/cli/cmd, its row in
 * src/cli/commands.c, its test, its lines in the Makefiles.
 */
#ifndef KOTA_CLI_ARGS_COMMAND_H
#define KOTA_CLI_ARGS_COMMAND_H

#include "base/err.h"
#include "cli/args/options.h"
#include "cli/term/cli.h"
#include "tool/tool.h"

struct command;

/* Most options that a command has of its own. */
#define COMMAND_OPTIONS_MAX 12

/* One run of the program. */
struct run {
	struct cli *cli;
	const struct tool *const *tools;       /* ended by NULL */
	const struct command *const *commands; /* the program's own, ended by NULL */
	struct options options;
	struct words words;  /* what is not taken yet */
	const char *command; /* as it was typed, once it is known to be one; else NULL */
	const char *topic;   /* the word behind the command, where one is allowed; else NULL */
	bool confines;       /* the process gives up what is not the store's, with the store
			      * that it opens */
	/* For each of the command's own options its value, "" for a switch, NULL when not given. */
	const char *given[COMMAND_OPTIONS_MAX];
};

/* An option of a command's own. */
struct command_option {
	const char *name; /* with its dashes; NULL ends the list */
	bool has_value;
	bool may_have_value; /* only behind "=": --hooks and --hooks=prompt */
	bool hidden;         /* help and completion do not show it */
};

struct command {
	const char *name;
	const char *topic; /* what its word is, "[COMMAND]"; NULL when it takes none */
	const struct command_option *options; /* of its own; NULL when there are none */
	const char *usage;                    /* the options as usage shows them: "[--tools SET]" */
	const char *const *offers; /* words that it takes, for completion, ended by NULL; or NULL */
	const char *section;       /* of help, as an operation's; NULL: "The program" */
	bool takes_all;            /* execute() takes all words behind it itself, options too */
	const char *summary;       /* a phrase for the list of commands */
	const char *description;   /* lines for its own help, each ended by a newline */
	/*
	 * Returns the exit status, or -1 with an error to be told. Where it takes all words itself
	 * and --help is among them it sets run->options.help and returns 0: the caller shows the
	 * help.
	 */
	int (*execute)(struct run *run, struct err *err);
};

/* The command of this name in a table ended by NULL, or NULL. */
const struct command *command_find(const struct command *const *commands, struct slice name);

/* Each is defined beside its function; src/cli/commands.c lists them. */
extern const struct command command_serve;
extern const struct command command_init;
extern const struct command command_where;
extern const struct command command_doctor;
extern const struct command command_trust;
extern const struct command command_edit;
extern const struct command command_report;
extern const struct command command_purge;
extern const struct command command_hook;
extern const struct command command_merge_driver;
extern const struct command command_resolve;
extern const struct command command_setup;
extern const struct command command_sync;
extern const struct command command_complete;
extern const struct command command_help;
extern const struct command command_version;

#endif
