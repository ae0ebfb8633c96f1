#include "cli/manpage.h"

#include "base/version.h"
#include "cli/args/describe.h"
#include "cli/examples.h"

static const struct term files[] = {
	{"preferences.json connections.json patterns.json shortcuts.json state.json",
	 "the entries, by category; edit them as you like"},
	{"archive.json, archive.cold/", "entries that are out of use, and old values"},
	{"relations.json, notes/", "links between entries, and entries promoted to notes"},
	{"config.json, synonyms.json", "settings and words that mean the same, written by hand"},
	{"~/.config/kota-memory/config.json", "settings of your own, for every store"},
	{NULL, NULL},
};

/* ---- roff */

/* A line that begins with a dot or a quote would be a request, a dash not one to be typed. */
static void manpage_add_text(struct str *out, struct slice text)
{
	bool begins = true;

	for (size_t i = 0; i < text.len; i++) {
		char byte = text.ptr[i];

		if (begins && (byte == '.' || byte == '\''))
			str_adds(out, "\\&");
		if (byte == '\\')
			str_adds(out, "\\e");
		else if (byte == '-')
			str_adds(out, "\\-");
		else if (byte == '~')
			str_adds(out, "\\(ti");
		else if (byte == '^')
			str_adds(out, "\\(ha");
		else if (byte == '`')
			str_adds(out, "\\(ga");
		else
			str_addc(out, byte);
		begins = byte == '\n';
	}
}

static void manpage_add_line(struct str *out, const char *text)
{
	manpage_add_text(out, slice_of(text));
	str_addc(out, '\n');
}

static void manpage_add_term(struct str *out, const char *name, const char *text)
{
	str_adds(out, ".TP\n");
	str_adds(out, "\\fB");
	manpage_add_text(out, slice_of(name));
	str_adds(out, "\\fR\n");
	manpage_add_line(out, text);
}

static void manpage_add_terms(struct str *out, const char *heading, const struct term *terms)
{
	str_printf(out, ".SH %s\n", heading);
	for (; terms->name; terms++)
		manpage_add_term(out, terms->name, terms->text);
}

/* Lines with an empty one between paragraphs, as commands describe themselves. */
static void manpage_add_paragraphs(struct str *out, const char *text)
{
	while (*text) {
		const char *end = strchr(text, '\n');
		size_t len = end ? (size_t)(end - text) : strlen(text);

		if (len == 0) {
			str_adds(out, ".PP\n");
		} else {
			manpage_add_text(out, slice_make(text, len));
			str_addc(out, '\n');
		}
		text += end ? len + 1 : len;
	}
}

/* ---- operations and commands */

static void manpage_add_section(struct str *out, const struct str *usage)
{
	str_adds(out, ".SS kota ");
	manpage_add_line(out, usage->ptr);
}

static void manpage_add_examples(struct str *out, const struct command_text *text)
{
	if (!text)
		return;
	str_adds(out, ".PP\nExamples:\n.PP\n.RS 4\n.nf\n");
	for (size_t i = 0; i < EXAMPLES_COUNT; i++)
		manpage_add_line(out, text->examples[i]);
	str_adds(out, ".fi\n.RE\n");
}

static void manpage_add_tool(struct str *out, const struct tool *tool)
{
	const struct command_text *words = command_text_find(tool->command);
	STR_AUTO usage = STR_INIT;

	describe_usage(&usage, tool);
	manpage_add_section(out, &usage);
	manpage_add_line(out, words && words->what ? words->what : tool->summary);
	for (size_t i = 0; i < tool->param_count; i++) {
		STR_AUTO name = STR_INIT;
		STR_AUTO text = STR_INIT;

		describe_option(&name, &tool->params[i]);
		describe_param(&text, &tool->params[i],
			       option_text_find(tool->command, tool->params[i].name));
		manpage_add_term(out, name.ptr, text.ptr);
	}
	manpage_add_examples(out, words);
}

static void manpage_add_opening(struct str *out)
{
	str_printf(out,
		   ".\\\" Made from the tables of the program by make docs; do not edit.\n"
		   ".TH KOTA 1 \"\" \"kota %s\" \"User Commands\"\n",
		   version_text());
	str_adds(out, ".SH NAME\nkota \\- a memory for coding agents, in files that you can edit\n"
		      ".SH SYNOPSIS\n.B kota\n[\\fB\\-\\-dir\\fR \\fIDIR\\fR] [\\fB\\-\\-json\\fR] "
		      "\\fICOMMAND\\fR ...\n.SH DESCRIPTION\n");
	manpage_add_line(
		out,
		"kota keeps what you tell an agent in a handful of JSON files that you can open, "
		"edit, compare and take back, and finds it again, misspellings included. kota "
		"serve gives it to Claude Code and other MCP clients; every operation is a "
		"command of the shell too.");
	str_adds(out, ".PP\n");
	manpage_add_line(out, describe_arguments);
}

void manpage_write(struct str *out, const struct tool *const *tools,
		   const struct command *const *commands)
{
	manpage_add_opening(out);
	str_adds(out, ".SH MEMORIES\n");
	for (; *tools; tools++)
		manpage_add_tool(out, *tools);
	str_adds(out, ".SH THE PROGRAM\n");
	for (; *commands; commands++) {
		const struct command *command = *commands;
		STR_AUTO usage = STR_INIT;

		describe_command(&usage, command);
		manpage_add_section(out, &usage);
		manpage_add_paragraphs(out, command->description);
		manpage_add_examples(out, command_text_find(command->name));
	}
	manpage_add_terms(out, "OPTIONS OF EVERY COMMAND", describe_options);
	manpage_add_terms(out, "EXIT STATUS", describe_statuses);
	manpage_add_terms(out, "ENVIRONMENT", describe_environment);
	manpage_add_terms(out, "FILES", files);
	str_adds(out, ".SH SEE ALSO\n");
	manpage_add_line(
		out, "The pages in /usr/share/doc/kota-memory, where the package is installed.");
}
