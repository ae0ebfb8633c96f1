#include "cli/term/streams.h"
#include "support/fake_sys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static void test_read(void **state)
{
	char text[10000];
	FILE *in = fmemopen(text, sizeof text, "r");
	struct str out = STR_INIT;
	struct err err;

	(void)state;
	memset(text, 'x', sizeof text);
	assert_int_equal(streams_read(in, sizeof text, &out, &err), 0);
	assert_int_equal(out.len, sizeof text);
	rewind(in);
	str_clear(&out);
	assert_int_equal(streams_read(in, sizeof text - 1, &out, &err), -1);
	assert_int_equal(err.code, ERR_TOO_LARGE);
	fclose(in);
	str_release(&out);
}

static void test_read_fails(void **state)
{
	FILE *in = fopen("/", "r");
	struct str out = STR_INIT;
	struct err err;

	(void)state;
	assert_int_equal(streams_read(in, 100, &out, &err), -1);
	assert_int_equal(err.code, ERR_IO);
	assert_string_equal(err.text, "cannot read standard input: Is a directory");
	fclose(in);
	str_release(&out);
}

static void test_write(void **state)
{
	char *text = NULL;
	size_t len;
	struct cli cli = {.out = open_memstream(&text, &len)};
	struct err err;

	(void)state;
	assert_int_equal(streams_write(&cli, slice_make("a\0b", 3), &err), 0);
	/* It is out at once, not when the program ends. */
	assert_int_equal(len, 3);
	assert_memory_equal(text, "a\0b", 3);
	fclose(cli.out);
	free(text);
}

static void test_write_fails(void **state)
{
	struct cli cli = {.out = fopen("/dev/full", "w")};
	struct err err;
	int ends[2];

	(void)state;
	assert_int_equal(streams_write(&cli, slice_of("x"), &err), -1);
	assert_int_equal(err.code, ERR_IO);
	assert_string_equal(err.text, "cannot write to standard output: No space left on device");
	fclose(cli.out);
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	cli.out = fdopen(ends[1], "w");
	assert_int_equal(streams_write(&cli, slice_of("x"), &err), -1);
	assert_int_equal(err.code, ERR_IO);
	assert_string_equal(err.text, "");
	fclose(cli.out);
}

static void test_say(void **state)
{
	char *text = NULL;
	size_t len;
	struct cli cli = {.err = open_memstream(&text, &len)};

	(void)state;
	streams_say(&cli, "set", "a\nb%s", "\x1b[0m");
	streams_say(&cli, NULL, "c");
	fclose(cli.err);
	assert_string_equal(text, "kota: set: a\\x0ab\\x1b[0m\nkota: c\n");
	free(text);
}

/* In a child whose standard streams are closed: no file may get their numbers. */
static int open_closed(void *unused)
{
	int fd;

	(void)unused;
	for (fd = 0; fd <= 2; fd++)
		close(fd);
	streams_secure(sys_real());
	fd = open("/dev/null", O_RDWR);
	if (fd < 3)
		return 2;
	if (write(1, "x", 1) != -1 || errno != EBADF)
		return 3;
	if (read(0, &fd, 1) != -1 || errno != EBADF)
		return 4;
	return 0;
}

static void test_secure(void **state)
{
	(void)state;
	assert_int_equal(fake_sys_in_child(open_closed, NULL), 0);
}

static void test_secure_leaves_open_ones(void **state)
{
	(void)state;
	fake_sys_reset(0);
	streams_secure(fake_sys());
	assert_int_equal(fake_sys_count(FAKE_OPENAT), 0);
	assert_int_equal(fake_sys_count(FAKE_FSTAT), 3);
	fake_sys_release();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_read_fails),
		cmocka_unit_test(test_write),
		cmocka_unit_test(test_write_fails),
		cmocka_unit_test(test_say),
		cmocka_unit_test(test_secure),
		cmocka_unit_test(test_secure_leaves_open_ones),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
