#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mcp/wire.h"
#include "support/fake_sys.h"
#include "support/tmpdir.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define PING(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"ping\"}"
#define PONG(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{}}\n"

struct serving {
	struct tmpdir dir;
	struct mcp_session *session;
};

static int set_up(void **state)
{
	struct serving *s = malloc(sizeof *s);

	tmpdir_make(&s->dir);
	s->session = wire_session();
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	struct serving *s = *state;

	mcp_session_free(s->session);
	tmpdir_remove(&s->dir);
	free(s);
	return 0;
}

/* Serves a file of input; *output, when not NULL, is what came out and is the caller's. */
static int serve_file(struct serving *s, struct slice input, char **output, struct err *err)
{
	int in;
	int out;
	int status;

	tmpdir_write_slice(&s->dir, "in", input);
	in = openat(s->dir.fd, "in", O_RDONLY | O_CLOEXEC);
	out = openat(s->dir.fd, "out", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(in >= 0 && out >= 0);
	status = mcp_serve(s->session, in, out, err);
	close(in);
	close(out);
	if (output)
		*output = tmpdir_read(&s->dir, "out");
	return status;
}

static void serve_is(struct serving *s, struct slice input, const char *expected)
{
	struct err err;
	char *output;

	assert_int_equal(serve_file(s, input, &output, &err), 0);
	assert_string_equal(output, expected);
	free(output);
}

static void test_pipelined(void **state)
{
	serve_is(*state, slice_of(PING("1") "\n" PING("2") "\r\n\n \n" PING("3") "\n"),
		 PONG("1") PONG("2") PONG("3"));
}

static void test_half_lines(void **state)
{
	fake_sys_short(FAKE_READ, 1, 3, FAKE_ALWAYS);
	fake_sys_short(FAKE_WRITE, 1, 3, FAKE_ALWAYS);
	fake_sys_fail(FAKE_READ, 5, EINTR, FAKE_ONCE);
	serve_is(*state, slice_of(PING("1") "\n" PING("2") "\n"), PONG("1") PONG("2"));
}

static void test_no_newline_at_the_end(void **state)
{
	serve_is(*state, slice_of(PING("1") "\n" PING("2")), PONG("1") PONG("2"));
}

static void test_nothing(void **state)
{
	serve_is(*state, slice_of(""), "");
}

/* A bad line costs itself and no more. */
static void test_garbage_between(void **state)
{
	struct err err;
	char *output;
	const char *second;

	assert_int_equal(serve_file(*state,
				    slice_make(PING("1") "\n\0\xff{[\n" PING("2") "\n",
					       2 * strlen(PING("1")) + 7),
				    &output, &err),
			 0);
	assert_memory_equal(output, PONG("1"), strlen(PONG("1")));
	second = output + strlen(PONG("1"));
	assert_non_null(strstr(second, "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,"));
	assert_non_null(strstr(second, "}}\n" PONG("2")));
	free(output);
}

static void test_line_of_three_megabytes(void **state)
{
	STR_AUTO input = STR_INIT;

	str_adds(&input, PING("1") "\n{\"x\":\"");
	for (int i = 0; i < 3 << 20; i++)
		str_addc(&input, 'x');
	str_adds(&input, "\"}\n" PING("2") "\n");
	serve_is(*state, str_slice(&input),
		 PONG("1") "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"Parse "
			   "error: longer "
			   "than 1048576 bytes, at character 1 of the line\"}}\n" PONG("2"));
}

static void test_failed_read(void **state)
{
	struct err err;

	fake_sys_fail(FAKE_READ, 1, EIO, FAKE_ONCE);
	assert_int_equal(serve_file(*state, slice_of(PING("1") "\n"), NULL, &err), -1);
	assert_int_equal(err.code, ERR_IO);
	assert_string_equal(err.text, "cannot read from the client: Input/output error");
}

static void test_failed_write(void **state)
{
	struct err err;

	fake_sys_fail(FAKE_WRITE, 1, ENOSPC, FAKE_ONCE);
	assert_int_equal(serve_file(*state, slice_of(PING("1") "\n"), NULL, &err), -1);
	assert_int_equal(err.code, ERR_IO);
	assert_string_equal(err.text, "cannot write to the client: No space left on device");
}

static void on_pipe_signal(int number)
{
	(void)number;
}

/* Nobody reads: the end, without being killed, and SIGPIPE does afterwards what it did before. */
static void test_closed_stdout(void **state)
{
	struct serving *s = *state;
	const struct sigaction own = {.sa_handler = on_pipe_signal};
	struct sigaction after;
	struct err err;
	int in[2];
	int out[2];

	assert_int_equal(pipe(in), 0);
	assert_int_equal(pipe(out), 0);
	close(out[0]);
	assert_int_equal(write(in[1], PING("1") "\n", strlen(PING("1")) + 1),
			 (ssize_t)strlen(PING("1")) + 1);
	/* in[1] stays open: only the failed write can end this. */
	sigaction(SIGPIPE, &own, NULL);
	assert_int_equal(mcp_serve(s->session, in[0], out[1], &err), 0);
	sigaction(SIGPIPE, NULL, &after);
	assert_true(after.sa_handler == on_pipe_signal);
	signal(SIGPIPE, SIG_DFL);
	close(in[0]);
	close(in[1]);
	close(out[1]);
}

/* Each answer leaves before the next line is read. */
static void test_answers_at_once(void **state)
{
	fake_sys_short(FAKE_READ, 1, strlen(PING("1")) + 1, FAKE_ALWAYS);
	fake_sys_clear_trace();
	serve_is(*state, slice_of(PING("1") "\n" PING("2") "\n"), PONG("1") PONG("2"));
	assert_int_equal(fake_sys_at(FAKE_READ, NULL, 0), 0);
	assert_int_equal(fake_sys_at(FAKE_WRITE, NULL, 0), 1);
	assert_int_equal(fake_sys_at(FAKE_READ, NULL, 1), 2);
	assert_int_equal(fake_sys_at(FAKE_WRITE, NULL, 2), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_pipelined, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_half_lines, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_no_newline_at_the_end, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_garbage_between, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_line_of_three_megabytes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_failed_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_failed_write, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_closed_stdout, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_answers_at_once, set_up, tear_down),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	fake_sys_release();
	return failed;
}
