#include "cli/args/args.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

static const char *const colours[] = {"red", "green", NULL};

static const struct param params[] = {
	{.name = "key", .type = PARAM_TEXT, .flags = PARAM_POSITIONAL},
	{.name = "value", .type = PARAM_JSON, .flags = PARAM_POSITIONAL},
	{.name = "nextSteps", .type = PARAM_TEXTS},
	{.name = "min_score", .type = PARAM_NUMBER},
	{.name = "colour", .type = PARAM_CHOICE, .choices = colours},
	{.name = "pinned", .type = PARAM_BOOL},
	{.name = "meta", .type = PARAM_OBJECT},
	{.name = "tags", .type = PARAM_TEXTS, .flags = PARAM_LABELS},
	{.name = "source", .type = PARAM_TEXT, .flags = PARAM_FILE},
};

static const struct tool tool = {
	.name = "memory_try",
	.command = "try",
	.params = params,
	.param_count = sizeof params / sizeof *params,
};

/* One command line, what is on standard input, and what comes of it. */
struct line {
	const char *words[9];
	const char *input;
	const char *json;    /* or: */
	const char *problem; /* begins the error */
	enum err_code code;
	const char *hint;
};

static int parse(const struct tool *of, const struct line *line, struct options *options,
		 struct str *out, struct err *err)
{
	const char *input = line->input ? line->input : " ";
	FILE *in = fmemopen((void *)(uintptr_t)input, strlen(input), "r");
	STR_AUTO hints = STR_INIT;
	struct words words = {.list = (char **)(uintptr_t)line->words};
	int result;

	while (line->words[words.count])
		words.count++;
	result = args_parse(of, &words, options, in, out, &hints, err);
	assert_string_equal(hints.ptr, line->hint ? line->hint : "");
	fclose(in);
	return result;
}

static void check(const struct tool *of, const struct line *line)
{
	struct options options = {0};
	struct str out = STR_INIT;
	struct err err;
	int result = parse(of, line, &options, &out, &err);

	if (line->json) {
		assert_int_equal(result, 0);
		assert_string_equal(out.ptr, line->json);
	} else {
		assert_int_equal(result, -1);
		assert_int_equal(err.code, line->code);
		if (strncmp(err.text, line->problem, strlen(line->problem)) != 0)
			fail_msg("\"%s\" does not begin with \"%s\"", err.text, line->problem);
		assert_int_equal(out.len, 0);
	}
	str_release(&out);
}

#define CHECK(table)                                                                               \
	for (size_t i = 0; i < sizeof(table) / sizeof *(table); i++)                               \
	check(&tool, &(table)[i])

static void test_words(void **state)
{
	static const struct line lines[] = {
		{.json = "{}"},
		{{"editor"}, .json = "{\"key\":\"editor\"}"},
		{{"editor", "vim"}, .json = "{\"key\":\"editor\",\"value\":\"vim\"}"},
		{{"editor", "vim", "with", "tabs"},
		 .json = "{\"key\":\"editor\",\"value\":\"vim with tabs\"}"},
		{{"list", "[1,", "2]"}, .json = "{\"key\":\"list\",\"value\":[1, 2]}"},
		{{"", ""}, .json = "{\"key\":\"\",\"value\":\"\"}"},
		{{"temp", "-5"}, .json = "{\"key\":\"temp\",\"value\":-5}"},
		{{"a", "-", "b"}, .json = "{\"key\":\"a\",\"value\":\"- b\"}"},
		{{"--", "--key", "-"}, .json = "{\"key\":\"--key\",\"value\":\"-\"}"},
		{{"a", "--", "--json"}, .json = "{\"key\":\"a\",\"value\":\"--json\"}"},
		{{"--key", "a", "b", "c"}, .json = "{\"key\":\"a\",\"value\":\"b c\"}"},
		{{"--value=8", "a", "b"}, .json = "{\"key\":\"a b\",\"value\":8}"},
		{{"--key=a", "--value=b", "c"},
		 .problem = "unexpected argument \"c\"",
		 .code = ERR_USAGE},
		{{"a", "\xff"},
		 .problem = "VALUE: not valid UTF-8 at byte 1",
		 .code = ERR_BAD_VALUE},
	};

	(void)state;
	CHECK(lines);
}

static void test_json_values(void **state)
{
	static const struct line lines[] = {
		{{"a", "8"}, .json = "{\"key\":\"a\",\"value\":8}"},
		{{"a", "\"8\""}, .json = "{\"key\":\"a\",\"value\":\"8\"}"},
		{{"a", "1e400"}, .json = "{\"key\":\"a\",\"value\":1e400}"},
		{{"a", "01"}, .json = "{\"key\":\"a\",\"value\":\"01\"}"},
		{{"a", "null"}, .json = "{\"key\":\"a\",\"value\":null}"},
		{{"a", "{\"b\":1.0}"}, .json = "{\"key\":\"a\",\"value\":{\"b\":1.0}}"},
		{{"a", "[draft] fix"}, .json = "{\"key\":\"a\",\"value\":\"[draft] fix\"}"},
		{{"a", "\"so\" he said"},
		 .json = "{\"key\":\"a\",\"value\":\"\\\"so\\\" he said\"}"},
		{{"a", "[draft]"},
		 .json = "{\"key\":\"a\",\"value\":\"[draft]\"}",
		 .hint = "VALUE looks like JSON but is none (1:2: \"draft\" without quotes; only "
			 "true, "
			 "false and null go so): taken as text\n"},
		{{"a", "{\"b\":1"},
		 .json = "{\"key\":\"a\",\"value\":\"{\\\"b\\\":1\"}",
		 .hint = "VALUE looks like JSON but is none (1:7: ends in the middle of an "
			 "object): "
			 "taken as text\n"},
		{{"a", "{b:1}"},
		 .json = "{\"key\":\"a\",\"value\":\"{b:1}\"}",
		 .hint = "VALUE looks like JSON but is none (1:2: a name in double quotes "
			 "expected): taken "
			 "as text\n"},
		{{"8"}, .json = "{\"key\":\"8\"}"},
	};

	(void)state;
	CHECK(lines);
}

static void test_too_deep_is_not_a_text(void **state)
{
	struct line line = {{"a", NULL}, .json = ""};
	struct options options = {0};
	struct str out = STR_INIT;
	struct err err;
	char deep[201];

	(void)state;
	memset(deep, '[', 100);
	memset(deep + 100, ']', 100);
	deep[200] = '\0';
	line.words[1] = deep;
	assert_int_equal(parse(&tool, &line, &options, &out, &err), 0);
	assert_non_null(strstr(out.ptr, "\"value\":[["));
	str_release(&out);
}

static void test_options(void **state)
{
	static const struct line lines[] = {
		{{"--next-steps", "a", "--nextSteps=b,c", "--next_steps", "d"},
		 .json = "{\"nextSteps\":[\"a\",\"b,c\",\"d\"]}"},
		{{"--min-score", "0.50"}, .json = "{\"min_score\":\"0.50\"}"},
		{{"--min_score=x"}, .json = "{\"min_score\":\"x\"}"},
		{{"--colour", "--json"}, .json = "{\"colour\":\"--json\"}"},
		{{"--pinned"}, .json = "{\"pinned\":\"true\"}"},
		{{"--no-pinned"}, .json = "{\"pinned\":\"false\"}"},
		{{"--no_pinned"}, .json = "{\"pinned\":\"false\"}"},
		{{"--pinned", "false"}, .json = "{\"pinned\":\"false\"}"},
		{{"a", "--pinned", "true", "b"},
		 .json = "{\"key\":\"a\",\"value\":\"b\",\"pinned\":\"true\"}"},
		{{"--pinned", "--", "true"}, .json = "{\"key\":\"true\",\"pinned\":\"true\"}"},
		{{"--no-pinned", "true"}, .json = "{\"key\":\"true\",\"pinned\":\"false\"}"},
		{{"--tags", "a,b", "--tags=c", "--tags", ",d,,e,"},
		 .json = "{\"tags\":[\"a\",\"b\",\"c\",\"d\",\"e\"]}"},
		{{"--source", "-"}, .json = "{\"source\":\"-\"}"},
		{{"--pinned=false"}, .json = "{\"pinned\":\"false\"}"},
		{{"--pinned", "a"}, .json = "{\"key\":\"a\",\"pinned\":\"true\"}"},
		{{"--meta", "{}"}, .json = "{\"meta\":\"{}\"}"},
		{{"--key="}, .json = "{\"key\":\"\"}"},
		{{"--key"}, .problem = "--key needs a value", .code = ERR_USAGE},
		{{"--key=a", "--key=b"},
		 .problem = "KEY was given more than once",
		 .code = ERR_USAGE},
		{{"--pinned", "--no-pinned"},
		 .problem = "--pinned was given more than once",
		 .code = ERR_USAGE},
		{{"--no-pinned=true"}, .problem = "--no-pinned takes no value", .code = ERR_USAGE},
		{{"--no-key"}, .problem = "unknown option --no-key", .code = ERR_USAGE},
		{{"--color", "red"},
		 .problem = "unknown option --color; did you mean --colour?",
		 .code = ERR_USAGE},
		{{"--jsn"},
		 .problem = "unknown option --jsn; did you mean --json?",
		 .code = ERR_USAGE},
		{{"-xyz"}, .problem = "unknown option -xyz; kota help try", .code = ERR_USAGE},
		{{"--=x"}, .problem = "unknown option --", .code = ERR_USAGE},
		{{"--json=x"}, .problem = "--json takes no value", .code = ERR_USAGE},
		{{"--\x1b[2J"}, .problem = "unknown option --\\x1b[2J", .code = ERR_USAGE},
	};

	(void)state;
	CHECK(lines);
}

static void test_input(void **state)
{
	static const struct line lines[] = {
		{{"a", "-"}, "two\nlines\n", .json = "{\"key\":\"a\",\"value\":\"two\\nlines\"}"},
		{{"a", "-"}, "[1]\n", .json = "{\"key\":\"a\",\"value\":[1]}"},
		{{"a", "--value=-"}, "x", .json = "{\"key\":\"a\",\"value\":\"x\"}"},
		{{"--next-steps", "-"}, "x\n\n", .json = "{\"nextSteps\":[\"x\\n\"]}"},
		{{"a", "-"},
		 "\n",
		 .problem = "VALUE: standard input is empty; give '\"\"' for an empty text",
		 .code = ERR_BLANK_ARGUMENT},
		{{"a", "-"}, "\"\"", .json = "{\"key\":\"a\",\"value\":\"\"}"},
		{{"--next-steps", "-"},
		 "\n",
		 .problem = "--next-steps: standard input is empty; give a text",
		 .code = ERR_BLANK_ARGUMENT},
		{{"-", "-"},
		 "x",
		 .problem = "VALUE: only one value can be read from standard input",
		 .code = ERR_USAGE},
		{{"a", "-"},
		 "x\xc3",
		 .problem = "VALUE: not valid UTF-8 at byte 2",
		 .code = ERR_BAD_DATA},
	};

	(void)state;
	CHECK(lines);
}

static void test_input_too_long(void **state)
{
	char *text = malloc(ARGS_INPUT_MAX + 2);
	struct line line = {{"a", "-"},
			    text,
			    .problem = "VALUE: standard input is longer than",
			    .code = ERR_TOO_LARGE};

	(void)state;
	memset(text, 'x', ARGS_INPUT_MAX + 1);
	text[ARGS_INPUT_MAX + 1] = '\0';
	check(&tool, &line);
	free(text);
}

static void test_common_options(void **state)
{
	struct line line = {{"--dir", "/x", "a", "--json"}, .json = "{\"key\":\"a\"}"};
	struct line help = {{"a", "--help", "--nonsense"}, .json = ""};
	struct options options = {0};
	struct str out = STR_INIT;
	struct err err;

	(void)state;
	assert_int_equal(parse(&tool, &line, &options, &out, &err), 0);
	assert_string_equal(out.ptr, line.json);
	assert_string_equal(options.dir, "/x");
	assert_true(options.json);
	assert_false(options.help);
	str_clear(&out);
	assert_int_equal(parse(&tool, &help, &options, &out, &err), 0);
	assert_true(options.help);
	assert_int_equal(out.len, 0);
	str_release(&out);
}

static void test_last_is_no_text(void **state)
{
	static const struct param choice[] = {
		{.name = "colour", .type = PARAM_CHOICE, .flags = PARAM_POSITIONAL}};
	static const struct param texts[] = {
		{.name = "refs", .type = PARAM_TEXTS, .flags = PARAM_POSITIONAL}};
	static const struct tool choosing = {.command = "c", .params = choice, .param_count = 1};
	static const struct tool listing = {.command = "l", .params = texts, .param_count = 1};
	static const struct tool nothing = {.command = "n"};
	static const struct line one = {{"red"}, .json = "{\"colour\":\"red\"}"};
	static const struct line two = {
		{"red", "sky"}, .problem = "unexpected argument \"sky\"", .code = ERR_USAGE};
	static const struct line refs = {{"a b", "c"}, .json = "{\"refs\":[\"a b\",\"c\"]}"};
	static const struct line none = {.json = "{}"};
	static const struct line some = {
		{"x"}, .problem = "unexpected argument \"x\"", .code = ERR_USAGE};

	(void)state;
	check(&choosing, &one);
	check(&choosing, &two);
	check(&listing, &refs);
	check(&nothing, &none);
	check(&nothing, &some);
}

static void test_names(void **state)
{
	struct str out = STR_INIT;

	(void)state;
	args_add_name(&out, "nextSteps");
	str_addc(&out, ' ');
	args_add_name(&out, "min_score");
	assert_string_equal(out.ptr, "next-steps min-score");
	str_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_json_values),
		cmocka_unit_test(test_too_deep_is_not_a_text),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_input),
		cmocka_unit_test(test_input_too_long),
		cmocka_unit_test(test_common_options),
		cmocka_unit_test(test_last_is_no_text),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
