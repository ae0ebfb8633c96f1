#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tool/tool.h"

static const char *const colours[] = {"red", "green", NULL};

static const struct param params[] = {
	{.name = "text", .type = PARAM_TEXT, .flags = PARAM_REQUIRED, .help = "what to \"keep\""},
	{.name = "texts", .type = PARAM_TEXTS},
	{.name = "choice", .type = PARAM_CHOICE, .choices = colours, .fallback = "\"red\""},
	{.name = "flag", .type = PARAM_BOOL, .flags = PARAM_PLAIN, .help = "for the shell"},
	{.name = "limit", .type = PARAM_INT, .min = 1, .max = 100, .fallback = "10"},
	{.name = "page", .type = PARAM_INT},
	{.name = "share", .type = PARAM_NUMBER, .min = 0, .max = 0.5},
	{.name = "object", .type = PARAM_OBJECT},
	{.name = "any", .type = PARAM_JSON, .flags = PARAM_REQUIRED},
	{.name = "here", .type = PARAM_BOOL, .flags = PARAM_SHELL_ONLY | PARAM_REQUIRED},
};

static const struct tool full = {
	.name = "memory_try",
	.command = "try",
	.title = "Try",
	.summary = "Tries it.",
	.params = params,
	.param_count = sizeof params / sizeof *params,
	.flags = TOOL_DESTRUCTIVE | TOOL_IDEMPOTENT | TOOL_ALWAYS_LOAD | TOOL_LARGE_RESULT,
	.output_schema = "{\"type\":\"object\"}",
};

static const struct tool bare = {
	.name = "memory_bare",
	.command = "bare",
	.title = "Bare",
	.summary = "Looks.",
	.flags = TOOL_READ_ONLY,
};

typedef void (*writer)(const struct tool *tool, bool few, struct json_writer *w);

static void assert_writes(writer write, const struct tool *tool, const char *expected)
{
	STR_AUTO out = STR_INIT;
	struct json_writer w = json_writer_to(&out, &json_compact);

	write(tool, false, &w);
	assert_string_equal(out.ptr, expected);
}

#define ANY                                                                                        \
	"{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"number\"},{\"type\":\"boolean\"},"          \
	"{\"type\":\"object\"},{\"type\":\"array\"},{\"type\":\"null\"}]}"

#define SCHEMA                                                                                     \
	"{\"type\":\"object\",\"properties\":{"                                                    \
	"\"text\":{\"type\":\"string\",\"description\":\"what to \\\"keep\\\"\"},"                 \
	"\"texts\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"                          \
	"\"choice\":{\"type\":\"string\",\"enum\":[\"red\",\"green\"],\"default\":\"red\"},"       \
	"\"flag\":{\"type\":\"boolean\"},"                                                         \
	"\"limit\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":100,\"default\":10},"           \
	"\"page\":{\"type\":\"integer\"},"                                                         \
	"\"share\":{\"type\":\"number\",\"minimum\":0,\"maximum\":0.5},"                           \
	"\"object\":{\"type\":\"object\"},"                                                        \
	"\"any\":" ANY "},"                                                                        \
	"\"required\":[\"text\",\"any\"]}"

#define EMPTY "{\"type\":\"object\",\"properties\":{}}"

static void writes_every_type(void **state)
{
	(void)state;
	assert_writes(tool_write_schema, &full, SCHEMA);
}

static void a_tool_without_parameters_has_an_empty_object(void **state)
{
	(void)state;
	assert_writes(tool_write_schema, &bare, EMPTY);
}

static void writes_a_whole_definition(void **state)
{
	(void)state;
	assert_writes(tool_write_definition, &full,
		      "{\"name\":\"memory_try\",\"title\":\"Try\",\"description\":\"Tries it.\","
		      "\"inputSchema\":" SCHEMA ",\"outputSchema\":{\"type\":\"object\"},"
		      "\"annotations\":{\"idempotentHint\":true,\"openWorldHint\":false},"
		      "\"_meta\":{\"anthropic/alwaysLoad\":true,"
		      "\"anthropic/maxResultSizeChars\":500000}}");
}

static void leaves_out_what_a_tool_does_not_have(void **state)
{
	(void)state;
	assert_writes(tool_write_definition, &bare,
		      "{\"name\":\"memory_bare\",\"title\":\"Bare\",\"description\":\"Looks.\","
		      "\"inputSchema\":" EMPTY ","
		      "\"annotations\":{\"readOnlyHint\":true,\"openWorldHint\":false}}");
}

/* What a client takes for granted is not said: that a tool writes, and may destroy. */
static void annotations_are_what_differs_from_the_defaults(void **state)
{
	static const struct {
		unsigned int flags;
		const char *says;
	} rows[] = {
		{0, "\"annotations\":{\"destructiveHint\":false,\"openWorldHint\":false}"},
		{TOOL_DESTRUCTIVE, "\"annotations\":{\"openWorldHint\":false}"},
		{TOOL_IDEMPOTENT, "\"annotations\":{\"destructiveHint\":false,"
				  "\"idempotentHint\":true,\"openWorldHint\":false}"},
		{TOOL_READ_ONLY | TOOL_IDEMPOTENT,
		 "\"annotations\":{\"readOnlyHint\":true,\"openWorldHint\":false}"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		STR_AUTO out = STR_INIT;
		struct tool tool = bare;

		tool.flags = rows[i].flags;
		struct json_writer w = json_writer_to(&out, &json_compact);
		tool_write_definition(&tool, false, &w);
		assert_non_null(strstr(out.ptr, rows[i].says));
	}
}

static void meta_says_only_what_holds(void **state)
{
	struct tool large = bare;

	(void)state;
	large.flags |= TOOL_LARGE_RESULT;
	assert_writes(tool_write_definition, &large,
		      "{\"name\":\"memory_bare\",\"title\":\"Bare\",\"description\":\"Looks.\","
		      "\"inputSchema\":" EMPTY ","
		      "\"annotations\":{\"readOnlyHint\":true,\"openWorldHint\":false},"
		      "\"_meta\":{\"anthropic/maxResultSizeChars\":500000}}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_every_type),
		cmocka_unit_test(a_tool_without_parameters_has_an_empty_object),
		cmocka_unit_test(writes_a_whole_definition),
		cmocka_unit_test(leaves_out_what_a_tool_does_not_have),
		cmocka_unit_test(annotations_are_what_differs_from_the_defaults),
		cmocka_unit_test(meta_says_only_what_holds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
