#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tools/registry.h"

#define FIRST_TOOLS 8

/* What a model has to read of the tools of a memory: of all, and of the core. */
#define MODEL_BYTES_MAX 10800
#define CORE_BYTES_MAX 4600

/* Longest description that no client cuts. */
#define DESCRIPTION_BYTES_MAX 2000

static void schema_of(const struct tool *tool, struct str *out)
{
	str_clear(out);
	struct json_writer w = json_writer_to(out, &json_compact);
	tool_write_schema(tool, false, &w);
}

static void the_tools_are_in_order(void **state)
{
	static const char *const names[] = {
		"memory_set",
		"memory_get",
		"memory_update",
		"memory_list",
		"memory_list_archived",
		"memory_delete",
		"memory_clear_state",
		"memory_save_conversation_notes",
		"memory_search",
		"memory_analyze",
		"memory_history",
		"diff",
		"blame",
		"show",
		"mv",
		"prime",
		"memory_revert",
		"conflicts",
		"undo",
		"compact",
		"export",
		"import",
		"migrate",
		"maintain",
		"stats",
		"memory_restore",
		"memory_gc",
		"memory_relate",
		"memory_promote",
		"memory_health",
		"memory_reinforce",
		"memory_optimize",
		"memory_consolidate",
		"memory_merge",
	};
	const struct tool *const *tools = tools_all();
	size_t count = 0;

	(void)state;
	for (; tools[count]; count++)
		assert_string_equal(tools[count]->name, names[count]);
	assert_int_equal(count, sizeof names / sizeof *names);
}

static void the_core_is_the_first_eight_and_what_finds(void **state)
{
	const struct tool *const *tools = tools_all();
	const struct tool *const *core = tools_core();
	size_t count = 0;

	(void)state;
	for (; count < FIRST_TOOLS; count++)
		assert_ptr_equal(core[count], tools[count]);
	assert_string_equal(core[count++]->name, "memory_search");
	assert_string_equal(core[count++]->name, "memory_history");
	assert_string_equal(core[count++]->name, "memory_restore");
	assert_null(core[count]);
}

static void names_and_commands_are_unique(void **state)
{
	const struct tool *const *tools = tools_all();

	(void)state;
	for (size_t i = 0; tools[i]; i++) {
		assert_ptr_equal(tool_find(tools, slice_of(tools[i]->name)), tools[i]);
		assert_ptr_equal(tool_find_command(tools, slice_of(tools[i]->command)), tools[i]);
	}
}

/* As a client shows a tool to a model: {"name":…,"description":…,"inputSchema":…}. */
static size_t cost_of(const struct tool *const *tools, bool few)
{
	size_t bytes = 0;

	for (; *tools; tools++) {
		STR_AUTO schema = STR_INIT;
		STR_AUTO summary = STR_INIT;

		if ((*tools)->flags & TOOL_SHELL_ONLY)
			continue;
		struct json_writer w = json_writer_to(&schema, &json_compact);
		tool_write_schema(*tools, few, &w);
		json_quote(&summary, slice_of((*tools)->summary));
		assert_true(strlen((*tools)->summary) < DESCRIPTION_BYTES_MAX);
		bytes += strlen("{'name':'','description':,'inputSchema':}") +
			 strlen((*tools)->name) + summary.len + schema.len;
	}
	return bytes;
}

static void they_cost_a_model_little(void **state)
{
	(void)state;
	assert_in_range(cost_of(tools_all(), false), 1000, MODEL_BYTES_MAX);
	assert_in_range(cost_of(tools_core(), true), 1000, CORE_BYTES_MAX);
}

/* A person is told what each is, and a model too unless the row says that its name does. */
static void every_parameter_is_explained(void **state)
{
	const struct tool *const *tools = tools_all();

	(void)state;
	for (; *tools; tools++) {
		for (size_t i = 0; i < (*tools)->param_count; i++)
			if (!(*tools)->params[i].help)
				fail_msg("%s: %s", (*tools)->name, (*tools)->params[i].name);
	}
}

/* These two act on much at once: no name in them is left to guess. */
static void optimize_and_health_explain_all_to_a_model(void **state)
{
	static const struct tool *const tools[] = {&tool_optimize, &tool_health};

	(void)state;
	for (size_t t = 0; t < 2; t++)
		for (size_t i = 0; i < tools[t]->param_count; i++)
			assert_true(tools[t]->params[i].help &&
				    !(tools[t]->params[i].flags & PARAM_PLAIN));
}

static void check_shown(const struct tool *tool, const char *const *names)
{
	STR_AUTO schema = STR_INIT;
	struct json_fault fault;
	JSON_AUTO doc = {0};
	uint32_t properties;
	size_t count = 0;
	struct json_writer w = json_writer_to(&schema, &json_compact);

	tool_write_schema(tool, true, &w);
	assert_int_equal(json_parse(&doc, str_slice(&schema), &json_line_bounds, &fault), 0);
	properties = json_member(&doc, JSON_ROOT, "properties");
	for (; names[count]; count++)
		assert_true(json_member(&doc, properties, names[count]) != JSON_NONE);
	assert_int_equal(doc.nodes[properties].count, count);
}

/* The others are accepted all the same: see what set and search do with them. */
static void a_core_client_is_shown_few_parameters(void **state)
{
	static const char *const of_set[] = {"key",    "value",      "category", "tags",
					     "pinned", "supersedes", NULL};
	static const char *const of_search[] = {"query", "queries", "refs", "category",
						"scope", "limit",   NULL};

	(void)state;
	check_shown(&tool_set, of_set);
	check_shown(&tool_search, of_search);
}

/* Each level of a schema: a type or a choice of types, no root choice, never true or false. */
static void check_schema(const struct json *doc, uint32_t schema)
{
	uint32_t properties = json_member(doc, schema, "properties");

	assert_int_equal(json_type(doc, schema), JSON_OBJECT);
	assert_true(json_member(doc, schema, "type") != JSON_NONE ||
		    json_member(doc, schema, "anyOf") != JSON_NONE);
	for (uint32_t n = properties ? json_first(doc, properties) : JSON_NONE; n != JSON_NONE;
	     n = json_next(doc, n))
		check_schema(doc, n);
}

static void check_root(const char *text)
{
	struct json_fault fault;
	struct json doc;
	STR_AUTO scratch = STR_INIT;
	uint32_t type;
	uint32_t required;

	if (json_parse(&doc, slice_of(text), &json_line_bounds, &fault) != 0)
		fail_msg("%s: %s", text, fault.what);
	type = json_member(&doc, JSON_ROOT, "type");
	assert_true(type != JSON_NONE);
	assert_true(slice_is(json_string(&doc, type, &scratch), "object"));
	check_schema(&doc, JSON_ROOT);
	required = json_member(&doc, JSON_ROOT, "required");
	for (uint32_t n = required ? json_first(&doc, required) : JSON_NONE; n != JSON_NONE;
	     n = json_next(&doc, n)) {
		uint32_t properties = json_member(&doc, JSON_ROOT, "properties");

		assert_true(json_member_slice(&doc, properties, json_string(&doc, n, &scratch)) !=
			    JSON_NONE);
	}
	json_release(&doc);
}

static void schemas_are_what_every_client_takes(void **state)
{
	STR_AUTO schema = STR_INIT;

	(void)state;
	for (const struct tool *const *tools = tools_all(); *tools; tools++) {
		schema_of(*tools, &schema);
		check_root(schema.ptr);
		if ((*tools)->output_schema)
			check_root((*tools)->output_schema);
	}
}

/* No schema says so: the server does. */
static void an_unknown_name_is_refused_by_every_tool(void **state)
{
	struct json_fault fault;
	JSON_AUTO doc = {0};

	(void)state;
	assert_int_equal(json_parse(&doc, slice_of("{\"bogus\":1}"), &json_line_bounds, &fault), 0);
	for (const struct tool *const *tools = tools_all(); *tools; tools++) {
		ARENA_AUTO arena = ARENA_INIT;
		void *args = arena_alloc(&arena, (*tools)->args_size + 1);
		struct err err;

		assert_int_equal(tool_bind_json(*tools, true, &doc, JSON_ROOT, args, &arena, &err),
				 -1);
		assert_int_equal(err.code, ERR_UNKNOWN_ARGUMENT);
	}
}

static void those_that_a_model_needs_first_are_at_hand(void **state)
{
	(void)state;
	for (const struct tool *const *tools = tools_all(); *tools; tools++) {
		struct slice command = slice_of((*tools)->command);
		bool first = slice_is(command, "set") || slice_is(command, "get") ||
			     slice_is(command, "search") || slice_is(command, "update");

		assert_int_equal(((*tools)->flags & TOOL_ALWAYS_LOAD) != 0, first);
	}
}

static void what_only_reads_destroys_nothing(void **state)
{
	(void)state;
	for (const struct tool *const *tools = tools_all(); *tools; tools++) {
		if ((*tools)->flags & TOOL_READ_ONLY)
			assert_int_equal((*tools)->flags & TOOL_DESTRUCTIVE, 0);
	}
}

/* What a caller reads in "give ..." when the argument is missing or blank. */
static void what_must_be_given_says_what_it_is(void **state)
{
	(void)state;
	for (const struct tool *const *tools = tools_all(); *tools; tools++) {
		for (size_t i = 0; i < (*tools)->param_count; i++) {
			const struct param *param = &(*tools)->params[i];

			if (param->flags & (PARAM_REQUIRED | PARAM_NOT_BLANK))
				assert_non_null(param->help);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_tools_are_in_order),
		cmocka_unit_test(the_core_is_the_first_eight_and_what_finds),
		cmocka_unit_test(names_and_commands_are_unique),
		cmocka_unit_test(they_cost_a_model_little),
		cmocka_unit_test(every_parameter_is_explained),
		cmocka_unit_test(optimize_and_health_explain_all_to_a_model),
		cmocka_unit_test(a_core_client_is_shown_few_parameters),
		cmocka_unit_test(schemas_are_what_every_client_takes),
		cmocka_unit_test(an_unknown_name_is_refused_by_every_tool),
		cmocka_unit_test(those_that_a_model_needs_first_are_at_hand),
		cmocka_unit_test(what_only_reads_destroys_nothing),
		cmocka_unit_test(what_must_be_given_says_what_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
