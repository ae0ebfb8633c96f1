#include "cli/manpage.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on

static const struct param params[] = {
	{.name = "what",
	 .type = PARAM_TEXT,
	 .flags = PARAM_REQUIRED | PARAM_POSITIONAL,
	 .help = "a\\b"},
};

static const struct tool tool = {.name = "memory_try",
				 .command = "try",
				 .summary = ".try it",
				 .params = params,
				 .param_count = 1};

static const struct command command = {.name = "do",
				       .topic = "[WHAT]",
				       .summary = "Do",
				       .description = "First.\n\n'second' with --dry-run\n"};

/* Nothing of a text is taken for a request of roff, and a dash can be copied. */
static void test_page(void **state)
{
	const struct tool *const tools[] = {&tool, NULL};
	const struct command *const commands[] = {&command, NULL};
	STR_AUTO out = STR_INIT;

	(void)state;
	manpage_write(&out, tools, commands);
	assert_non_null(strstr(out.ptr, ".SH MEMORIES\n.SS kota try WHAT\n\\&.try it\n.TP\n"
					"\\fBWHAT\\fR\na\\eb\n"));
	assert_non_null(strstr(out.ptr, ".SS kota do [WHAT]\nFirst.\n.PP\n"
					"\\&'second' with \\-\\-dry\\-run\n"));
	assert_non_null(strstr(out.ptr, ".SH EXIT STATUS\n.TP\n\\fB0\\fR\ndone\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_page)};

	return cmocka_run_group_tests_name("manpage", tests, NULL, NULL);
}
