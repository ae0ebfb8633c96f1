#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mcp/serve.h"
#include "mcp/wire.h"
#include "support/fake_sys.h"
#include "support/tmpdir.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
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

#define LONG(id)                                                                                   \
	"{\"jsonrpc\":\"2.0\"" id                                                                  \
	",\"error\":{\"code\":-32700,\"message\":\"Parse error: the line is "                      \
	"longer than 1048576 bytes; send less in one request\"}}\n"

static void add_bytes(struct str *out, size_t count)
{
	str_reserve(out, count);
	memset(out->ptr + out->len, 'x', count);
	out->len += count;
	out->ptr[out->len] = '\0';
}

/* What is too long costs itself and no more; who asked is told. */
static void test_line_of_three_megabytes(void **state)
{
	STR_AUTO input = STR_INIT;

	str_adds(&input, PING("1") "\n{\"x\":\"");
	add_bytes(&input, 3 << 20);
	str_adds(&input, "\"}\n" PING("2") "\n{\"method\":\"ping\",\"params\":{\"id\":9,\"x\":\"");
	add_bytes(&input, 3 << 20);
	str_adds(&input, "\"},\"jsonrpc\":\"2.0\",\"id\":\"c\"}\n" PING("4") "\n");
	serve_is(*state, str_slice(&input),
		 PONG("1") LONG("") PONG("2") LONG(",\"id\":\"c\"") PONG("4"));
}

/* One byte less than is allowed, as many, one more: with and without a "\r". */
static void test_lines_at_the_bound(void **state)
{
	static const char head[] = "{\"method\":\"ping\",\"params\":{\"x\":\"";
	static const char tail[] = "\"},\"jsonrpc\":\"2.0\",\"id\":1}";
	size_t frame = sizeof head + sizeof tail - 2;

	for (int ends = 0; ends < 2; ends++) {
		STR_AUTO input = STR_INIT;

		for (size_t more = 0; more < 3; more++) {
			str_adds(&input, head);
			add_bytes(&input, (1 << 20) - 1 + more - frame);
			str_adds(&input, tail);
			str_adds(&input, ends ? "\r\n" : "\n");
		}
		serve_is(*state, str_slice(&input), PONG("1") PONG("1") LONG(",\"id\":1"));
	}
}

static void write_whole(int fd, const char *text, size_t len)
{
	while (len > 0) {
		ssize_t put = write(fd, text, len);

		if (put < 0)
			_exit(1);
		text += put;
		len -= (size_t)put;
	}
}

/* Writes a line of 100 MiB and a short one into the pipe, in a process of its own. */
static pid_t start_writer(const int fds[2], const char *head, const char *tail)
{
	static char block[1 << 20];
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid > 0)
		return pid;
	close(fds[0]);
	memset(block, 'x', sizeof block);
	write_whole(fds[1], head, strlen(head));
	for (int i = 0; i < 100; i++)
		write_whole(fds[1], block, sizeof block);
	write_whole(fds[1], tail, strlen(tail));
	_exit(0);
}

static long most_kilobytes(void)
{
	struct rusage usage;

	assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
	return usage.ru_maxrss;
}

static void serve_long_line(struct serving *s, const char *head, const char *tail,
			    const char *expected)
{
	long before = most_kilobytes();
	struct err err;
	char *output;
	int in[2];
	int status;
	pid_t pid;
	int out;

	assert_int_equal(pipe(in), 0);
	pid = start_writer(in, head, tail);
	close(in[1]);
	out = openat(s->dir.fd, "out", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_int_equal(mcp_serve(s->session, in[0], out, &err), 0);
	close(in[0]);
	close(out);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	output = tmpdir_read(&s->dir, "out");
	assert_string_equal(output, expected);
	free(output);
	/* A line that is kept takes 100 MiB at least; a sanitizer takes 32 for itself. */
	assert_in_range(most_kilobytes() - before, 0, 64 << 10);
}

/* A hundred times what is allowed goes by without being kept, in both eras. */
static void test_line_of_a_hundred_megabytes(void **state)
{
	serve_long_line(
		*state,
		"{\"method\":\"tools/call\",\"params\":{" WIRE_META ",\"arguments\":{\"text\":\"",
		"\"}},\"jsonrpc\":\"2.0\",\"id\":7}\n" PING("2") "\n", LONG(",\"id\":7") PONG("2"));
	serve_long_line(*state, "{\"method\":\"notifications/x\",\"params\":{\"id\":1,\"a\":\"",
			"\"},\"jsonrpc\":\"2.0\"}\n" PING("2") "\n", PONG("2"));
	serve_long_line(*state, "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"", "\n" PING("2"),
			LONG(",\"id\":\"a\"") PONG("2"));
}

static void test_long_line_of_a_legacy_client(void **state)
{
	struct serving *s = *state;

	mcp_session_free(s->session);
	s->session = wire_greeted("2025-03-26");
	serve_long_line(
		*state,
		"[" PING("1") ",{\"method\":\"tools/call\",\"params\":{\"id\":9,\"text\":\"",
		"\"},\"jsonrpc\":\"2.0\",\"id\":2}]\n" PING("3") "\n",
		"[{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32700,\"message\":\"Parse "
		"error: the line is longer than 1048576 bytes; send less in one request\"}},"
		"{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32700,\"message\":\"Parse "
		"error: the line is longer than 1048576 bytes; send less in one "
		"request\"}}]\n" PONG("3"));
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
		cmocka_unit_test_setup_teardown(test_lines_at_the_bound, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_line_of_a_hundred_megabytes, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_long_line_of_a_legacy_client, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_failed_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_failed_write, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_closed_stdout, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_answers_at_once, set_up, tear_down),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	fake_sys_release();
	return failed;
}
