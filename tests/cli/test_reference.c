#include "cli/reference.h"
#include "cli/shell.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

/* A page of docs/reference, terminated; NULL when it cannot be read. The caller frees it. */
static char *read_page(const char *name)
{
	const char *dir = getenv("srcdir");
	char path[PATH_MAX];
	struct str text = STR_INIT;
	char part[4096];
	size_t len;
	FILE *file;

	snprintf(path, sizeof path, "%s/docs/reference/%s.md", dir ? dir : ".", name);
	file = fopen(path, "r");
	if (!file)
		return NULL;
	while ((len = fread(part, 1, sizeof part, file)) > 0)
		str_add(&text, slice_make(part, len));
	fclose(file);
	return str_detach(&text);
}

static void test_pages_are_fresh(void **state)
{
	static const char *const names[] = {"tools", "commands"};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct shell shell;
		char *page = read_page(names[i]);

		shell_init(&shell);
		assert_non_null(page);
		assert_int_equal(shell_run(&shell, "help", "--format", names[i], NULL), 0);
		if (strcmp(shell.out, page) != 0)
			fail_msg("docs/reference/%s.md is stale: make docs", names[i]);
		shell_release(&shell);
		free(page);
	}
}

static const struct param params[] = {
	{.name = "a|b",
	 .type = PARAM_TEXT,
	 .flags = PARAM_REQUIRED | PARAM_NOT_BLANK | PARAM_POSITIONAL,
	 .help = "this | that",
	 .max_bytes = 8},
	{.name = "limit", .type = PARAM_INT, .min = 1, .max = 5, .fallback = "2"},
};

static const struct tool tool = {
	.name = "memory_try",
	.command = "try",
	.summary = "Try it.",
	.params = params,
	.param_count = 2,
	.flags = TOOL_READ_ONLY | TOOL_IDEMPOTENT,
	.output_schema =
		"{\"type\":\"object\",\"properties\":{\"refs\":{\"type\":\"array\",\"items\":"
		"{\"type\":\"string\"}},\"any\":{}},\"required\":[\"refs\"]}",
};

static const struct tool bare = {
	.name = "go", .command = "go", .summary = "Go.", .flags = TOOL_SHELL_ONLY};

static const struct command command = {
	.name = "do", .topic = "[WHAT]", .summary = "Do", .description = "Do what.\n"};

static void check_end(const struct str *page)
{
	assert_int_equal(page->ptr[page->len - 1], '\n');
	assert_int_not_equal(page->ptr[page->len - 2], '\n');
}

static void test_tools(void **state)
{
	const struct tool *const tools[] = {&tool, &bare, NULL};
	struct str out = STR_INIT;

	(void)state;
	reference_write_tools(&out, tools);
	assert_non_null(strstr(
		out.ptr,
		"## memory_try\n\n`kota try A|B`\n\nTry it.\n\n*changes nothing; the same when "
		"repeated*\n\n| argument | in the shell | type | default | "
		"|\n|---|---|---|---|---|\n"
		"| `a\\|b` (required) | `A\\|B` | a text, at most 8 bytes, not blank |  | this \\| "
		"that |\n"
		"| `limit` | `--limit NUMBER` | a whole number, 1 to 5 | 2 |  |\n\n"
		"Reply: `refs` array of string, `any`? any.\n"));
	assert_null(strstr(out.ptr, "kota go"));
	check_end(&out);
	str_release(&out);
}

static void test_commands(void **state)
{
	const struct tool *const tools[] = {&tool, &bare, NULL};
	const struct command *const commands[] = {&command, NULL};
	struct str out = STR_INIT;

	(void)state;
	reference_write_commands(&out, tools, commands);
	assert_null(strstr(out.ptr, "memory_try"));
	assert_non_null(
		strstr(out.ptr, "\n\n## Exit status\n\n| | |\n|---|---|\n| `0` | done |\n"));
	assert_non_null(strstr(out.ptr, "| `KOTA_MEMORY_DIR` | the store |\n"));
	assert_non_null(strstr(out.ptr, "## kota go\n\n`kota go`\n\nGo.\n\nTakes no arguments.\n\n"
					"Reply: an object whose form depends on what is found.\n\n"
					"## kota do\n\n`kota do [WHAT]`\n\nDo what.\n"));
	check_end(&out);
	str_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pages_are_fresh),
		cmocka_unit_test(test_tools),
		cmocka_unit_test(test_commands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
