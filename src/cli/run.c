#include "cli/run.h"

#include "base/utf8.h"
#include "cli/args/args.h"
#include "cli/args/command.h"
#include "cli/args/run_tool.h"
#include "cli/args/suggest.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/term/streams.h"
#include "tools/registry.h"

static int run_refuse_command(const struct run *run, struct slice word, struct err *err)
{
	struct suggestion suggestion = suggestion_for(word);
	STR_AUTO hint = STR_INIT;
	STR_AUTO scratch = STR_INIT;

	for (const struct tool *const *tool = run->tools; *tool; tool++)
		suggestion_offer(&suggestion, (*tool)->command);
	for (const struct command *const *command = run->commands; *command; command++)
		suggestion_offer(&suggestion, (*command)->name);
	suggestion_add(&suggestion, &hint);
	return err_set(err, ERR_UNKNOWN_OPERATION,
		       "unknown command \"%s\"; %skota help lists all commands",
		       shown(&scratch, word), hint.ptr);
}

/* Takes one option: of every command or, where there is one yet, what is the command's own. */
static int run_take_option(struct run *run, const struct command *command, struct err *err)
{
	const struct command_option *own = command ? command->options : NULL;
	struct option_text option = option_split(words_peek(&run->words));
	const char *names[COMMAND_OPTIONS_MAX + 1] = {NULL};
	bool taken;

	for (size_t i = 0; own && own[i].name; i++) {
		names[i] = own[i].name;
		if (!slice_is(option.name, own[i].name))
			continue;
		words_next(&run->words);
		if (own[i].has_value)
			return option_value(&option, &run->words, &run->given[i], err);
		run->given[i] = "";
		if (own[i].may_have_value && option.value.ptr) {
			run->given[i] = option.value.ptr;
			return 0;
		}
		return option_no_value(&option, err);
	}
	if (options_take(&run->options, &run->words, &taken, err) != 0)
		return -1;
	return taken ? 0 : options_refuse(option.name, names, command ? command->name : NULL, err);
}

/* Options up to the next word that is none. */
static int run_take_options(struct run *run, const struct command *command, struct err *err)
{
	while (words_at_option(&run->words)) {
		if (run_take_option(run, command, err) != 0)
			return -1;
	}
	return 0;
}

/* The few words that the program's own commands take. */
static int run_take_words(struct run *run, const struct command *command, struct err *err)
{
	while (run_take_options(run, command, err) == 0) {
		const char *word = words_next(&run->words);

		if (!word)
			return 0;
		if (!command->topic || run->topic)
			return words_refuse(slice_of(word), command->name, err);
		run->topic = word;
	}
	return -1;
}

static int run_own(struct run *run, const struct command *command, struct err *err)
{
	int status = 0;

	run->command = command->name;
	if (!command->takes_all && run_take_words(run, command, err) != 0)
		return -1;
	if (command->takes_all || !run->options.help)
		status = command->execute(run, err);
	if (status == 0 && run->options.help)
		return help_show(run, slice_of(command->name), err);
	return status;
}

/* Without a command: --version and --help say what they say, nothing at all gets the help too. */
static int run_nothing(struct run *run, struct err *err)
{
	if (run->options.version)
		return command_version.execute(run, err);
	int status = help_show(run, slice_of(NULL), err);
	if (status == 0 && !run->options.help)
		return err_exit_status(ERR_USAGE);
	return status;
}

/* Takes the rest of the words. With --help among them nothing is run. */
static int run_operation(struct run *run, const struct tool *tool, struct err *err)
{
	STR_AUTO text = STR_INIT;
	STR_AUTO hints = STR_INIT;

	if (args_parse(tool, &run->words, &run->options, run->cli->in, &text, &hints, err) != 0)
		return -1;
	if (run->options.help)
		return help_show(run, slice_of(tool->command), err);
	return operation_call(run, tool, str_slice(&text), &hints, err);
}

static int run_words(struct run *run, struct err *err)
{
	if (run_take_options(run, NULL, err) != 0)
		return -1;
	struct slice word = slice_of(words_peek(&run->words));
	if (!word.ptr || run->options.version)
		return run_nothing(run, err);
	words_next(&run->words);
	const struct command *command = command_find(run->commands, word);
	if (command)
		return run_own(run, command, err);
	const struct tool *tool = tool_find_command(run->tools, word);
	if (!tool)
		return run_refuse_command(run, word, err);
	run->command = tool->command;
	return run_operation(run, tool, err);
}

int run_program(struct cli *cli, const struct tool *const *tools, int argc, char **argv)
{
	struct run run = {.cli = cli,
			  .tools = tools,
			  .commands = commands_all,
			  .words = {.list = argv, .count = argc}};
	struct err err;

	streams_secure(cli->sys);
	words_next(&run.words);
	err_clear(&err);
	int status = run_words(&run, &err);
	if (status >= 0)
		return status;
	if (err.text[0] != '\0')
		streams_say(cli, run.command, "%s", err.text);
	return err_exit_status(err.code);
}

int cli_main(struct cli *cli, int argc, char **argv)
{
	return run_program(cli, tools_all(), argc, argv);
}
