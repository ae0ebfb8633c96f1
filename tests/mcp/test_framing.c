#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mcp/serve.h"
#include "support/fake_sys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX 10

/* Hands `text` to a framing of lines of at most MAX bytes, all of it, then the end. */
static void feed(struct framing *f, int fds[2], struct slice text)
{
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], text.ptr, text.len), (ssize_t)text.len);
	close(fds[1]);
	framing_init(f, fake_sys(), fds[0], MAX);
}

/* Asserts that all lines of text, each followed by "|" and "<long>" for an overlong one, are that.
 */
static void lines_are(struct slice text, const char *lines)
{
	STR_AUTO got = STR_INIT;
	struct framing f;
	struct slice line;
	int fds[2];

	feed(&f, fds, text);
	for (;;) {
		enum framing_status status = framing_next(&f, &line);

		if (status == FRAMING_LINE)
			str_add(&got, line);
		else if (status == FRAMING_OVERLONG)
			str_adds(&got, "<long>");
		else
			break;
		str_addc(&got, '|');
	}
	assert_string_equal(got.ptr, lines);
	assert_int_equal(framing_next(&f, &line), FRAMING_END);
	framing_release(&f);
	close(fds[0]);
}

static void test_lines(void **state)
{
	(void)state;
	fake_sys_reset(0);
	lines_are(slice_of(""), "");
	lines_are(slice_of("a\n"), "a|");
	lines_are(slice_of("a\nb\n"), "a|b|");
	lines_are(slice_of("\n\na\n"), "||a|");
	lines_are(slice_of("a\nb"), "a|b|");
	lines_are(slice_of("a\r\nb\r\n"), "a|b|");
	lines_are(slice_of("a\rb\n"), "a\rb|");
	lines_are(slice_of("a\r\r\n"), "a\r|");
	lines_are(slice_of("a\r"), "a|");
}

static void test_long_lines(void **state)
{
	(void)state;
	fake_sys_reset(0);
	lines_are(slice_of("0123456789\nb\n"), "0123456789|b|");
	lines_are(slice_of("0123456789\r\nb\n"), "0123456789|b|");
	lines_are(slice_of("0123456789\r"), "0123456789|");
	lines_are(slice_of("0123456789A\nb\n"), "<long>|b|");
	lines_are(slice_of("0123456789A\r\nb\n"), "<long>|b|");
	lines_are(slice_of("0123456789ABCDEF\nb\n"), "<long>|b|");
	lines_are(slice_of("0123456789ABCDEF"), "<long>|");
}

/* The same, when the bytes come one at a time. */
static void test_byte_by_byte(void **state)
{
	(void)state;
	fake_sys_reset(0);
	fake_sys_short(FAKE_READ, 1, 1, FAKE_ALWAYS);
	lines_are(slice_of("a\r\n\nbc\nd"), "a||bc|d|");
	lines_are(slice_of("0123456789\r\nb\n"), "0123456789|b|");
	lines_are(slice_of("0123456789ABCDEF\nb\n"), "<long>|b|");
	lines_are(slice_of("0123456789A\rBCDEF\r\nb\n"), "<long>|b|");
	lines_are(slice_of("0123456789\rBCDEF\nb\n"), "<long>|b|");
	lines_are(slice_of("0123456789ABCDEF"), "<long>|");
}

/* An endless line takes no more memory than one that is just too long, and its id is found. */
static void test_endless_line(void **state)
{
	STR_AUTO text = STR_INIT;
	struct framing f;
	struct slice line;
	int fds[2];

	(void)state;
	fake_sys_reset(0);
	str_adds(&text, "{\"method\":\"");
	for (int i = 0; i < 50000; i++)
		str_addc(&text, 'x');
	str_adds(&text, "\",\"jsonrpc\":\"2.0\",\"id\":7}\r\nb\n");
	fake_sys_short(FAKE_READ, 1, 1000, FAKE_ALWAYS);
	feed(&f, fds, str_slice(&text));
	assert_int_equal(framing_next(&f, &line), FRAMING_OVERLONG);
	assert_string_equal(f.outline.ids.ptr, "7\n");
	assert_in_range(f.buf.len, 0, MAX + 2 + 1000);
	assert_int_equal(framing_next(&f, &line), FRAMING_LINE);
	assert_true(slice_is(line, "b"));
	framing_release(&f);
	close(fds[0]);
}

/* What is known of a long line is forgotten with the next one. */
static void test_two_long_lines(void **state)
{
	struct framing f;
	struct slice line;
	int fds[2];

	(void)state;
	fake_sys_reset(0);
	feed(&f, fds, slice_of("{\"jsonrpc\":\"2.0\",\"id\":1}\n{\"jsonrpc\":\"2.0\",\"id\":2}"));
	assert_int_equal(framing_next(&f, &line), FRAMING_OVERLONG);
	assert_string_equal(f.outline.ids.ptr, "1\n");
	assert_int_equal(framing_next(&f, &line), FRAMING_OVERLONG);
	assert_string_equal(f.outline.ids.ptr, "2\n");
	assert_int_equal(framing_next(&f, &line), FRAMING_END);
	framing_release(&f);
	close(fds[0]);
}

static void test_bytes_of_any_kind(void **state)
{
	struct framing f;
	struct slice line;
	int fds[2];

	(void)state;
	fake_sys_reset(0);
	feed(&f, fds, slice_make("a\0b\n\xff\xfe\n", 7));
	assert_int_equal(framing_next(&f, &line), FRAMING_LINE);
	assert_true(slice_equal(line, slice_make("a\0b", 3)));
	assert_int_equal(framing_next(&f, &line), FRAMING_LINE);
	assert_true(slice_is(line, "\xff\xfe"));
	framing_release(&f);
	close(fds[0]);
}

static void test_interrupted_read(void **state)
{
	(void)state;
	fake_sys_reset(0);
	fake_sys_fail(FAKE_READ, 1, EINTR, FAKE_ONCE);
	fake_sys_fail(FAKE_READ, 3, EAGAIN, FAKE_ONCE);
	lines_are(slice_of("a\nb\n"), "a|b|");
	assert_int_equal(fake_sys_hits(), 2);
}

static void test_failed_read(void **state)
{
	struct framing f;
	struct slice line;
	int fds[2];

	(void)state;
	fake_sys_reset(0);
	fake_sys_fail(FAKE_READ, 1, EIO, FAKE_ONCE);
	feed(&f, fds, slice_of("a\n"));
	assert_int_equal(framing_next(&f, &line), FRAMING_FAILED);
	framing_release(&f);
	close(fds[0]);
}

/* A socket whose other end is gone is at its end. */
static void test_reset_is_the_end(void **state)
{
	(void)state;
	fake_sys_reset(0);
	fake_sys_fail(FAKE_READ, 2, ECONNRESET, FAKE_ONCE);
	lines_are(slice_of("a\nb"), "a|b|");
	assert_int_equal(fake_sys_hits(), 1);
}

static void test_write(void **state)
{
	char got[8] = "";
	int fds[2];

	(void)state;
	fake_sys_reset(0);
	fake_sys_short(FAKE_WRITE, 1, 2, FAKE_ONCE);
	fake_sys_fail(FAKE_WRITE, 2, EINTR, FAKE_ONCE);
	fake_sys_fail(FAKE_WRITE, 3, EAGAIN, FAKE_ONCE);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(framing_write(fake_sys(), fds[1], slice_of("hello\n")), FRAMING_LINE);
	assert_int_equal(fake_sys_hits(), 3);
	assert_int_equal(read(fds[0], got, sizeof got - 1), 6);
	assert_string_equal(got, "hello\n");
	close(fds[0]);
	close(fds[1]);
}

static void test_write_fails(void **state)
{
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	fake_sys_reset(0);
	fake_sys_fail(FAKE_WRITE, 1, EPIPE, FAKE_ONCE);
	fake_sys_fail(FAKE_WRITE, 2, ECONNRESET, FAKE_ONCE);
	fake_sys_fail(FAKE_WRITE, 3, ENOSPC, FAKE_ONCE);
	fake_sys_short(FAKE_WRITE, 4, 0, FAKE_ONCE);
	assert_int_equal(framing_write(fake_sys(), fds[1], slice_of("a")), FRAMING_END);
	assert_int_equal(framing_write(fake_sys(), fds[1], slice_of("a")), FRAMING_END);
	assert_int_equal(framing_write(fake_sys(), fds[1], slice_of("a")), FRAMING_FAILED);
	assert_int_equal(framing_write(fake_sys(), fds[1], slice_of("a")), FRAMING_FAILED);
	close(fds[0]);
	close(fds[1]);
}

/* Nothing to be read, and no line that is read already. */
static void test_rests(void **state)
{
	struct framing f;
	struct slice line;
	int fds[2];

	(void)state;
	fake_sys_reset(0);
	assert_int_equal(pipe(fds), 0);
	framing_init(&f, fake_sys(), fds[0], MAX);
	assert_true(framing_rests(&f, 0));
	assert_int_equal(write(fds[1], "a\nb\nc", 5), 5);
	assert_false(framing_rests(&f, 0));
	assert_int_equal(framing_next(&f, &line), FRAMING_LINE);
	assert_false(framing_rests(&f, 0));
	assert_int_equal(framing_next(&f, &line), FRAMING_LINE);
	assert_true(slice_is(line, "b"));
	/* Half a line. */
	assert_true(framing_rests(&f, 0));
	close(fds[1]);
	assert_false(framing_rests(&f, 0));
	assert_int_equal(framing_next(&f, &line), FRAMING_LINE);
	assert_false(framing_rests(&f, 0));
	framing_release(&f);
	close(fds[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_long_lines),
		cmocka_unit_test(test_byte_by_byte),
		cmocka_unit_test(test_endless_line),
		cmocka_unit_test(test_two_long_lines),
		cmocka_unit_test(test_bytes_of_any_kind),
		cmocka_unit_test(test_interrupted_read),
		cmocka_unit_test(test_failed_read),
		cmocka_unit_test(test_reset_is_the_end),
		cmocka_unit_test(test_write),
		cmocka_unit_test(test_write_fails),
		cmocka_unit_test(test_rests),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	fake_sys_release();
	return failed;
}
