#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tools/registry.h"

/* What a model has to read of the tools of a memory: of the first eight, and of all. */
#define FIRST_TOOLS 8
#define FIRST_BYTES_MAX 3500
#define MODEL_BYTES_MAX 9000

/* Longest description that no client cuts. */
#define DESCRIPTION_BYTES_MAX 2000

static void schema_of(const struct tool *tool, struct str *out)
{
	struct json_writer w;

	str_clear(out);
	json_writer_init(&w, out, &json_compact);
	tool_write_schema(tool, &w);
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

static void they_cost_a_model_little(void **state)
{
	STR_AUTO schema = STR_INIT;
	size_t bytes = 0;
	size_t count = 0;

	(void)state;
	for (const struct tool *const *tools = tools_all(); *tools; tools++) {
		if ((*tools)->flags & TOOL_SHELL_ONLY)
			continue;
		schema_of(*tools, &schema);
		/* With their quotes, as they stand in the list. */
		bytes += strlen((*tools)->name) + strlen((*tools)->summary) + 4 + schema.len;
		assert_true(strlen((*tools)->summary) < DESCRIPTION_BYTES_MAX);
		if (++count == FIRST_TOOLS)
			assert_in_range(bytes, 1000, FIRST_BYTES_MAX - 1);
	}
	print_message("name, description and inputSchema: %zu bytes\n", bytes);
	assert_in_range(bytes, 1000, MODEL_BYTES_MAX - 1);
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

static void those_that_a_model_needs_first_are_at_hand(void **state)
{
	(void)state;
	for (const struct tool *const *tools = tools_all(); *tools; tools++) {
		struct slice command = slice_of((*tools)->command);
		bool first = slice_is(command, "set") || slice_is(command, "get") ||
			     slice_is(command, "search");

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
		cmocka_unit_test(schemas_are_what_every_client_takes),
		cmocka_unit_test(those_that_a_model_needs_first_are_at_hand),
		cmocka_unit_test(what_only_reads_destroys_nothing),
		cmocka_unit_test(what_must_be_given_says_what_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
