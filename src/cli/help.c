#include "cli/help.h"

#include "base/utf8.h"
#include "cli/args/describe.h"
#include "cli/doctor/findings.h"
#include "cli/examples.h"
#include "cli/manpage.h"
#include "cli/reference.h"
#include "cli/term/paint.h"
#include "cli/term/streams.h"

/* Pages are not set wider than this, whatever the terminal is. */
#define WIDTH_MAX 90
#define WIDTH_MIN 40

/* Descriptions stand behind this many columns. */
#define INDENT 24

/* What a page is written with. */
struct page {
	struct str *out;
	struct paint paint;
	size_t width;
};

/* ---- laying out */

static void help_add_spaces(struct str *out, size_t count)
{
	for (; count > 0; count--)
		str_addc(out, ' ');
}

/* Words of text up to the width, further lines indented; at is the column that is reached. */
static void help_add_wrapped(const struct page *page, size_t indent, size_t at, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, " ");
		size_t columns = utf8_columns(slice_make(text, len));

		if (at > indent && at + 1 + columns > page->width) {
			str_addc(page->out, '\n');
			help_add_spaces(page->out, indent);
			at = indent;
		} else if (at > indent) {
			str_addc(page->out, ' ');
			at++;
		}
		str_add(page->out, slice_make(text, len));
		at += columns;
		text += len;
		text += strspn(text, " ");
	}
	str_addc(page->out, '\n');
}

/* "  name      text", the text on a line of its own where the name is long. */
static void help_add_item(const struct page *page, const char *name, const char *text)
{
	size_t at = 2 + strlen(name);

	str_printf(page->out, "  %s%s%s", page->paint.strong, name, page->paint.plain);
	if (*text && at + 2 > INDENT) {
		str_addc(page->out, '\n');
		at = 0;
	}
	if (*text)
		help_add_spaces(page->out, INDENT - at);
	help_add_wrapped(page, INDENT, INDENT, text);
}

static void help_add_heading(const struct page *page, const char *text)
{
	str_printf(page->out, "\n%s%s%s\n", page->paint.strong, text, page->paint.plain);
}

/* ---- the list of commands */

#define SECTION_PROGRAM "The program"

/* A tool without a section is one of a test's own. */
static bool help_is_in(const char *section, const char *wanted)
{
	return strcmp(section ? section : SECTION_PROGRAM, wanted) == 0;
}

/* Operations and commands of a section, in the order of their tables. */
static void help_list_section(const struct page *page, const struct run *run, const char *section)
{
	STR_AUTO line = STR_INIT;

	help_add_heading(page, section);
	for (const struct tool *const *tool = run->tools; *tool; tool++) {
		if (!help_is_in((*tool)->section, section))
			continue;
		str_clear(&line);
		describe_usage(&line, *tool);
		help_add_item(page, line.ptr, (*tool)->title);
	}
	for (const struct command *const *command = run->commands; *command; command++) {
		if (!help_is_in((*command)->section, section))
			continue;
		str_clear(&line);
		describe_command(&line, *command);
		help_add_item(page, line.ptr, (*command)->summary);
	}
}

/* Section by section, each where its first operation stands, and what is of no section last. */
static void help_list_sections(const struct page *page, const struct run *run)
{
	const struct tool *const *tools = run->tools;

	for (size_t i = 0; tools[i]; i++) {
		const char *section = tools[i]->section;
		size_t first = 0;

		while (section && !help_is_in(tools[first]->section, section))
			first++;
		if (section && first == i)
			help_list_section(page, run, section);
	}
	help_list_section(page, run, SECTION_PROGRAM);
}

static void help_add_terms(const struct page *page, const struct term *terms)
{
	for (; terms->name; terms++)
		help_add_item(page, terms->name, terms->text);
}

static void help_show_list(const struct page *page, const struct run *run)
{
	str_adds(page->out, "usage: kota [--dir DIR] [--json] COMMAND ...\n\n"
			    "A memory for coding agents, in files that you can read and edit.\n");
	help_list_sections(page, run);
	help_add_heading(page, "Options of every command");
	help_add_terms(page, describe_options);
	help_add_heading(page, "Exit status");
	help_add_terms(page, describe_statuses);
	str_adds(page->out,
		 "\nkota help COMMAND says more about one. Without a command this page is "
		 "shown\nand the exit status is 2.\n");
}

/* ---- a page */

/* Does it take a value of this type; of words without a name only, where asked for? */
static bool help_takes(const struct tool *tool, enum param_type type, bool words)
{
	for (size_t i = 0; i < tool->param_count; i++) {
		if (tool->params[i].type == type &&
		    (!words || (tool->params[i].flags & PARAM_POSITIONAL)))
			return true;
	}
	return false;
}

static void help_add_rules(const struct page *page, const struct tool *tool)
{
	if (tool->param_count == 0)
		return;
	str_addc(page->out, '\n');
	if (help_takes(tool, PARAM_TEXT, true) || help_takes(tool, PARAM_JSON, true))
		help_add_wrapped(page, 0, 0,
				 "The last argument takes all remaining words, joined by spaces.");
	help_add_wrapped(
		page, 0, 0,
		"A value of - is read from standard input, without its last newline. Put -- before "
		"a word that begins with -. Any argument can also be given by name, as --name "
		"VALUE or --name=VALUE.");
	if (help_takes(tool, PARAM_JSON, false))
		help_add_wrapped(
			page, 0, 0,
			"A value that is valid JSON is stored as JSON (8, true, [1,2]), any other "
			"text as a string; '\"8\"' is the string 8.");
}

static void help_add_examples(const struct page *page, const struct command_text *text)
{
	if (!text)
		return;
	help_add_heading(page, "Examples");
	for (size_t i = 0; i < EXAMPLES_COUNT; i++)
		str_printf(page->out, "  %s\n", text->examples[i]);
}

static void help_show_tool(const struct page *page, const struct tool *tool)
{
	const struct command_text *text = command_text_find(tool->command);
	STR_AUTO usage = STR_INIT;

	describe_usage(&usage, tool);
	str_printf(page->out, "usage: kota %s%s\n\n", usage.ptr,
		   describe_has_options(tool) ? " [OPTION...]" : "");
	help_add_wrapped(page, 0, 0, text && text->what ? text->what : tool->summary);
	if (tool->param_count > 0)
		str_addc(page->out, '\n');
	for (size_t i = 0; i < tool->param_count; i++) {
		const struct param *param = &tool->params[i];
		STR_AUTO name = STR_INIT;
		STR_AUTO meaning = STR_INIT;

		describe_option(&name, param);
		describe_param(&meaning, param, option_text_find(tool->command, param->name));
		help_add_item(page, name.ptr, meaning.ptr);
	}
	help_add_rules(page, tool);
	help_add_examples(page, text);
	if (!(tool->flags & TOOL_SHELL_ONLY))
		str_printf(page->out, "\nAgents call this %s.\n", tool->name);
}

int help_show(struct run *run, struct slice name, struct err *err)
{
	STR_AUTO out = STR_INIT;
	STR_AUTO scratch = STR_INIT;
	size_t width = run->cli->columns > WIDTH_MIN ? (size_t)run->cli->columns : WIDTH_MIN;
	struct page page = {&out, paint_for(run->cli), width < WIDTH_MAX ? width : WIDTH_MAX};
	const struct tool *tool = tool_find_command(run->tools, name);
	const struct command *command = command_find(run->commands, name);

	if (!name.ptr) {
		help_show_list(&page, run);
	} else if (tool) {
		help_show_tool(&page, tool);
	} else if (command) {
		str_adds(&out, "usage: kota ");
		describe_command(&out, command);
		str_printf(&out, "\n\n%s", command->description);
		help_add_examples(&page, command_text_find(command->name));
	} else {
		return err_set(err, ERR_UNKNOWN_OPERATION,
			       "unknown command \"%s\"; kota help lists all commands",
			       shown(&scratch, name));
	}
	return streams_write(run->cli, str_slice(&out), err);
}

/* ---- the command */

/* The pages of the package, from the same tables. */
static int help_write_page(struct str *out, struct run *run, struct err *err)
{
	STR_AUTO scratch = STR_INIT;

	if (strcmp(run->given[0], "tools") == 0)
		reference_write_tools(out, run->tools);
	else if (strcmp(run->given[0], "commands") == 0)
		reference_write_commands(out, run->tools, run->commands);
	else if (strcmp(run->given[0], "man") == 0)
		manpage_write(out, run->tools, run->commands);
	else if (strcmp(run->given[0], "doctor") == 0)
		findings_write_page(out);
	else
		return err_set(
			err, ERR_USAGE,
			"--format: unknown format \"%s\"; choose tools, commands, man or doctor",
			shown(&scratch, slice_of(run->given[0])));
	return 0;
}

static int help_execute(struct run *run, struct err *err)
{
	STR_AUTO out = STR_INIT;

	if (!run->given[0])
		return help_show(run, slice_of(run->topic), err);
	if (help_write_page(&out, run, err) != 0)
		return -1;
	return streams_write(run->cli, str_slice(&out), err);
}

static const struct command_option options[] = {{.name = "--format", .has_value = true},
						{.name = NULL}};

const struct command command_help = {
	.name = "help",
	.topic = "[COMMAND]",
	.options = options,
	.summary = "Show this, or what a command takes",
	.description = "Show the list of commands, or what one of them takes.\n",
	.execute = help_execute,
};
