#include "cli/reference.h"

#include "json/doc.h"
#include "cli/describe.h"

#include <assert.h>

/* ---- parameters */

/* A bar would end the cell of a table. */
static void add_cell(struct str *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '|')
			str_addc(out, '\\');
		str_addc(out, *text);
	}
}

static void add_param(struct str *out, const struct param *param)
{
	STR_AUTO type = STR_INIT;
	STR_AUTO option = STR_INIT;

	describe_type(&type, param);
	describe_option(&option, param);
	str_adds(out, "| `");
	add_cell(out, param->name);
	str_printf(out, "`%s%s | `", param->flags & PARAM_REQUIRED ? " (required)" : "",
		   param->flags & PARAM_SHELL_ONLY ? " (shell only)" : "");
	add_cell(out, option.ptr);
	str_adds(out, "` | ");
	add_cell(out, type.ptr);
	if (param->max_bytes)
		str_printf(out, ", at most %zu bytes", param->max_bytes);
	if (param->flags & PARAM_NOT_BLANK)
		str_adds(out, ", not blank");
	str_printf(out, " | %s | ", param->fallback ? param->fallback : "");
	add_cell(out, param->help ? param->help : "");
	str_adds(out, " |\n");
}

static void add_params(struct str *out, const struct tool *tool)
{
	if (tool->param_count == 0) {
		str_adds(out, "Takes no arguments.\n\n");
		return;
	}
	str_adds(out, "| argument | in the shell | type | default | |\n|---|---|---|---|---|\n");
	for (size_t i = 0; i < tool->param_count; i++)
		add_param(out, &tool->params[i]);
	str_addc(out, '\n');
}

/* ---- replies */

static bool is_required(const struct json *schema, struct slice name)
{
	STR_AUTO scratch = STR_INIT;
	uint32_t list = json_member(schema, JSON_ROOT, "required");

	if (list == JSON_NONE)
		return false;
	for (uint32_t n = json_first(schema, list); n != JSON_NONE; n = json_next(schema, n)) {
		if (slice_equal(json_string(schema, n, &scratch), name))
			return true;
	}
	return false;
}

static void add_type(struct str *out, const struct json *schema, uint32_t node)
{
	STR_AUTO scratch = STR_INIT;
	uint32_t type = json_member(schema, node, "type");
	uint32_t items = json_member(schema, node, "items");

	if (type == JSON_NONE || json_type(schema, type) != JSON_STRING) {
		str_adds(out, "any");
		return;
	}
	str_add(out, json_string(schema, type, &scratch));
	if (items != JSON_NONE) {
		str_adds(out, " of ");
		add_type(out, schema, items);
	}
}

static void add_members(struct str *out, const struct json *schema)
{
	STR_AUTO scratch = STR_INIT;
	uint32_t list = json_member(schema, JSON_ROOT, "properties");

	if (list == JSON_NONE)
		return;
	for (uint32_t n = json_first(schema, list); n != JSON_NONE; n = json_next(schema, n)) {
		struct slice name = json_name(schema, n, &scratch);

		str_adds(out, n == json_first(schema, list) ? "`" : ", `");
		str_add(out, name);
		str_adds(out, is_required(schema, name) ? "` " : "`? ");
		add_type(out, schema, n);
	}
}

static void add_reply(struct str *out, const struct tool *tool)
{
	struct json schema = {0};
	struct json_fault fault;
	int rc;

	if (!tool->output_schema) {
		str_adds(out, "Reply: an object whose form depends on what is found.\n\n");
		return;
	}
	rc = json_parse(&schema, slice_of(tool->output_schema), &json_line_bounds, &fault);
	assert(rc == 0);
	(void)rc;
	str_adds(out, "Reply: ");
	add_members(out, &schema);
	str_adds(out, ".\n\n");
	json_release(&schema);
}

/* ---- operations and commands */

static void add_flags(struct str *out, const struct tool *tool)
{
	static const struct {
		unsigned int flag;
		const char *words;
	} flags[] = {
		{TOOL_READ_ONLY, "changes nothing"},
		{TOOL_DESTRUCTIVE, "may take something out of use"},
		{TOOL_IDEMPOTENT, "the same when repeated"},
		{TOOL_ALWAYS_LOAD, "clients keep it at hand"},
	};
	size_t from = out->len;

	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
		if (tool->flags & flags[i].flag)
			str_printf(out, "%s%s", out->len > from ? "; " : "*", flags[i].words);
	}
	if (out->len > from)
		str_adds(out, "*\n\n");
}

static void add_tool(struct str *out, const struct tool *tool)
{
	STR_AUTO usage = STR_INIT;

	describe_usage(&usage, tool);
	if (tool->flags & TOOL_SHELL_ONLY)
		str_printf(out, "## kota %s\n\n", tool->command);
	else
		str_printf(out, "## %s\n\n", tool->name);
	str_printf(out, "`kota %s`\n\n%s\n\n", usage.ptr, tool->summary);
	add_flags(out, tool);
	add_params(out, tool);
	add_reply(out, tool);
}

static void add_command(struct str *out, const struct command *command)
{
	STR_AUTO usage = STR_INIT;

	describe_command(&usage, command);
	str_printf(out, "## kota %s\n\n`kota %s`\n\n%s\n", command->name, usage.ptr,
		   command->description);
}

void reference_write(struct str *out, const struct tool *const *tools,
		     const struct command *const *commands)
{
	str_adds(out,
		 "# Operations and commands\n\n"
		 "Made from the tables of the program by `make docs`; do not edit. Each operation "
		 "is a tool of the server and\na command of the shell. A `?` marks what a reply "
		 "may lack.\n\n");
	for (; *tools; tools++)
		add_tool(out, *tools);
	for (; *commands; commands++)
		add_command(out, *commands);
	/* One newline ends the page, not two. */
	str_truncate(out, out->len - 1);
}
