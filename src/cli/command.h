/*
 * The program's own commands: a struct each, beside its function, and their table in commands.c.
 *
 * Commands that work on memories are none of these: they are the table of operations. For this
 * folder only. Adding a command: its file here, its row in commands.c, its test, its lines in the
 * Makefiles.
 */
#ifndef KOTA_CLI_COMMAND_H
#define KOTA_CLI_COMMAND_H

#include "base/err.h"
#include "cli/run.h"
#include "cli/options.h"
#include "tool/tool.h"

/* One run of the program. */
struct run {
	struct cli *cli;
	const struct tool *const *tools; /* ended by NULL */
	struct options options;
	struct words words;  /* what is not taken yet */
	const char *command; /* as it was typed, once it is known to be one; else NULL */
	const char *topic;   /* the word behind the command, where one is allowed; else NULL */
	bool confines;       /* the process gives up what is not the store's, with the store
			      * that it opens */
	bool switched;       /* the command's hidden switch was given */
	const char *value;   /* of the command's own option; NULL when it was not given */
};

struct command {
	const char *name;
	const char *topic;         /* what its word is, "[COMMAND]"; NULL when it takes none */
	const char *hidden;        /* a switch that help does not show; NULL when there is none */
	const char *option;        /* one of its own that takes a value; NULL when there is none */
	const char *usage;         /* the two as usage shows them: "[--tools SET]" */
	const char *const *offers; /* what it takes, for completion, ended by NULL; or NULL */
	const char *section;       /* of help, as an operation's; NULL: "The program" */
	bool takes_all;            /* all words behind it are left in run->words, options too */
	const char *summary;       /* a phrase for the list of commands */
	const char *description;   /* lines for its own help, each ended by a newline */
	/* Returns the exit status, or -1 with an error to be told. */
	int (*execute)(struct run *run, struct err *err);
};

/* The commands in the order in which help lists them, ended by NULL. */
const struct command *const *commands_all(void);

/* The command of this name, or NULL. */
const struct command *command_find(struct slice name);

extern const struct command command_serve;
extern const struct command command_init;
extern const struct command command_where;
extern const struct command command_doctor;
extern const struct command command_trust;
extern const struct command command_edit;
extern const struct command command_report;
extern const struct command command_purge;
extern const struct command command_hook;
extern const struct command command_setup;
extern const struct command command_complete;
extern const struct command command_help;
extern const struct command command_version;

/*
 * Runs the program with this table of operations: what cli_main() does with all of them. Tests put
 * their own table in.
 */
int run_program(struct cli *cli, const struct tool *const *tools, int argc, char **argv);

#endif
