#include "cli/setup/toml.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on

#define TABLE "[mcp_servers.memory]\ncommand = \"/bin/kota\"\nargs = [\"serve\"]\n"

static struct toml_table find(const char *text)
{
	struct toml_table table;
	struct json_fault fault;

	if (toml_find(&table, slice_of(text), "mcp_servers", "memory", &fault) != 0)
		fail_msg("%u:%u: %s", fault.line, fault.column, fault.what);
	return table;
}

static void check_there_and_back(const char *before)
{
	STR_AUTO after = STR_INIT;
	STR_AUTO again = STR_INIT;
	struct toml_table table;
	bool absent;

	toml_add(&after, slice_of(before), slice_of(TABLE));
	table = find(after.ptr);
	assert_true(table.present);
	assert_true(slice_is(table.command, "\"/bin/kota\""));
	toml_remove(&again, &absent, str_slice(&after), &table);
	assert_int_equal(absent, before == NULL);
	if (before)
		assert_string_equal(again.ptr, before);
}

static void test_there_and_back(void **state)
{
	(void)state;
	check_there_and_back(NULL);
	check_there_and_back("");
	check_there_and_back("\n");
	check_there_and_back("model = \"o\"");
	check_there_and_back("model = \"o\"\n");
	check_there_and_back("model = \"o\"\n\n\n");
	check_there_and_back("a = 1\r\n\r\n[b]\r\nc = 2\r\n");
	check_there_and_back("a = 1\r\n[b]");
	check_there_and_back("# [mcp_servers.memory]\n[mcp_servers.other]\ncommand = \"x\" # y\n");
	check_there_and_back(
		"a = \"\"\"\n[mcp_servers.memory]\n\"\"\"\nb = '''\n[mcp_servers.memory]'''\n");
	check_there_and_back("a = [\n  [1, 2], # ]\n  \"]\",\n]\n[[b]]\n");
}

static void test_it_stands_apart(void **state)
{
	STR_AUTO after = STR_INIT;

	(void)state;
	toml_add(&after, slice_of("a = 1\r\n"), slice_of("[b]\nc = 2\n"));
	assert_string_equal(after.ptr, "a = 1\r\n\r\n[b]\r\nc = 2\r\n");
}

/* Whatever was added to it, and to the file behind it: the rest stays as it is. */
static void test_removing_what_changed(void **state)
{
	const char *text =
		"a = 1\n\n# mine\n[ mcp_servers . \"memory\" ]\ncommand = '/x/kota' # !\n"
		"[mcp_servers.memory.env]\nK = \"v\"\n\n# b\n[b]\n";
	struct toml_table table = find(text);
	STR_AUTO left = STR_INIT;
	bool absent;

	(void)state;
	assert_true(table.present);
	assert_true(slice_is(table.command, "'/x/kota'"));
	toml_remove(&left, &absent, slice_of(text), &table);
	assert_false(absent);
	assert_string_equal(left.ptr, "a = 1\n\n# mine\n\n# b\n[b]\n");
}

static void test_other_forms_are_seen(void **state)
{
	(void)state;
	assert_int_equal(find("\nmcp_servers.memory.command = 1\n").elsewhere, 2);
	assert_int_equal(find("mcp_servers = {memory = {}}\n").elsewhere, 1);
	assert_int_equal(find("[mcp_servers]\nmemory = {command = \"a\"}\n").elsewhere, 2);
	assert_int_equal(find("[mcp_servers]\n\"memory\".command = \"a\"\n").elsewhere, 2);
	assert_int_equal(find("[mcp_servers.memory.env]\n").elsewhere, 1);
	assert_int_equal(find("[mcp_servers]\nother = {}\n[memory]\n").elsewhere, 0);
	assert_int_equal(find("[other]\nmcp_servers.memory = 1\n").elsewhere, 0);
}

static void test_what_is_broken_is_named(void **state)
{
	struct toml_table table;
	struct json_fault fault;

	(void)state;
	assert_int_equal(toml_find(&table, slice_of("a = 1\nb = \"x\n"), "a", "b", &fault), -1);
	assert_int_equal(fault.line, 2);
	assert_int_equal(fault.column, 5);
	assert_int_equal(toml_find(&table, slice_of("b = [\n1"), "a", "b", &fault), -1);
	assert_int_equal(fault.line, 1);
	assert_int_equal(toml_find(&table, slice_of("b = '''\\'''"), "a", "b", &fault), 0);
	assert_int_equal(toml_find(&table, slice_of("b = \"\"\"a\"\"\"\"\"\n"), "a", "b", &fault),
			 0);
	assert_int_equal(toml_find(&table, slice_of("b = \"\\"), "a", "b", &fault), -1);
}

static void test_a_string(void **state)
{
	STR_AUTO text = STR_INIT;

	(void)state;
	toml_add_string(&text, slice_of("/a \"b\"\\\x01/\xC3\xA9"));
	assert_string_equal(text.ptr, "\"/a \\\"b\\\"\\\\\\u0001/\xC3\xA9\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_it_stands_apart),
		cmocka_unit_test(test_removing_what_changed),
		cmocka_unit_test(test_other_forms_are_seen),
		cmocka_unit_test(test_what_is_broken_is_named),
		cmocka_unit_test(test_a_string),
	};

	return cmocka_run_group_tests_name("toml_table", tests, NULL, NULL);
}
