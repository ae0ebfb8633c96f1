#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tool/tool.h"

struct echo_args {
	struct slice word;
	int64_t times;
};

static const struct param echo_params[] = {
	{PARAM(TEXT, echo_args, word), .flags = PARAM_REQUIRED, .help = "the word"},
	{PARAM(INT, echo_args, times), .fallback = "1"},
};

static int run_echo(const struct call *call, const void *args, struct json_writer *w,
		    struct err *err)
{
	const struct echo_args *echo = args;

	json_write_object(w);
	json_write_member_string(w, "word", echo->word);
	if (echo->times > 2)
		return err_set(err, ERR_BAD_VALUE, "times: too often");
	json_write_member_int(w, "times", echo->times);
	json_write_member_int(w, "now", call->now_ms);
	json_write_end(w);
	return 0;
}

static const struct tool echo = {
	.name = "memory_echo",
	.command = "echo",
	.params = echo_params,
	.param_count = 2,
	.args_size = sizeof(struct echo_args),
	.run = run_echo,
};

static int run_empty(const struct call *call, const void *args, struct json_writer *w,
		     struct err *err)
{
	(void)call;
	(void)args;
	(void)err;
	json_write_object(w);
	json_write_end(w);
	return 0;
}

static const struct tool empty = {.name = "memory_empty", .command = "e", .run = run_empty};

static const struct tool *const tools[] = {&echo, &empty, NULL};

static int run(const struct tool *tool, const char *arguments, struct str *out, struct err *err)
{
	struct arena arena = ARENA_INIT;
	struct call call = {.now_ms = 42, .arena = &arena};
	struct json_fault fault;
	struct json doc;
	int rc;

	if (!arguments) {
		rc = tool_run(tool, &call, NULL, JSON_ROOT, out, err);
	} else {
		assert_int_equal(json_parse(&doc, slice_of(arguments), &json_line_bounds, &fault),
				 0);
		rc = tool_run(tool, &call, &doc, JSON_ROOT, out, err);
		json_release(&doc);
	}
	arena_release(&arena);
	return rc;
}

static void finds_by_name_and_command(void **state)
{
	(void)state;
	assert_ptr_equal(tool_find(tools, slice_of("memory_empty")), &empty);
	assert_ptr_equal(tool_find_command(tools, slice_of("echo")), &echo);
	assert_null(tool_find(tools, slice_of("echo")));
	assert_null(tool_find(tools, slice_of("memory_ech")));
	assert_null(tool_find_command(tools, slice_of("memory_echo")));
	assert_null(tool_find_command(tools, slice_of("")));
}

static void appends_the_reply(void **state)
{
	STR_AUTO out = STR_INIT;
	struct err err;

	(void)state;
	str_adds(&out, "before ");
	assert_int_equal(run(&echo, "{\"word\":\"a\\nb\"}", &out, &err), 0);
	assert_string_equal(out.ptr, "before {\"word\":\"a\\nb\",\"times\":1,\"now\":42}");
}

static void runs_without_arguments(void **state)
{
	STR_AUTO out = STR_INIT;
	struct err err;

	(void)state;
	assert_int_equal(run(&empty, NULL, &out, &err), 0);
	assert_string_equal(out.ptr, "{}");
}

static void a_failed_handler_leaves_nothing(void **state)
{
	STR_AUTO out = STR_INIT;
	struct err err;

	(void)state;
	str_adds(&out, "before");
	assert_int_equal(run(&echo, "{\"word\":\"a\",\"times\":3}", &out, &err), -1);
	assert_string_equal(err.text, "times: too often");
	assert_string_equal(out.ptr, "before");
}

static void bad_arguments_do_not_reach_the_handler(void **state)
{
	STR_AUTO out = STR_INIT;
	struct err err;

	(void)state;
	assert_int_equal(run(&echo, "{\"times\":1}", &out, &err), -1);
	assert_int_equal(err.code, ERR_MISSING_ARGUMENT);
	assert_int_equal(out.len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_by_name_and_command),
		cmocka_unit_test(appends_the_reply),
		cmocka_unit_test(runs_without_arguments),
		cmocka_unit_test(a_failed_handler_leaves_nothing),
		cmocka_unit_test(bad_arguments_do_not_reach_the_handler),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
