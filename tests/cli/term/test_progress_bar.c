#include "cli/term/progress_bar.h"

#include "base/str.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <stdlib.h>

#define CLEAR "\r\x1b[K"
#define FULL "\xe2\x96\x88"
#define EMPTY "\xe2\x96\x91"
#define FIVE(x) x x x x x

static int64_t now;
static const char *term_value;
static const char *lang_value;

static int64_t clock_ms(void)
{
	return now;
}

static const char *look_up(const char *name)
{
	if (strcmp(name, "TERM") == 0)
		return term_value;
	return strcmp(name, "LANG") == 0 ? lang_value : NULL;
}

static struct sys sys;
static struct cli cli;
static char *said;
static size_t said_len;

static int set_up(void **state)
{
	(void)state;
	now = 1000000;
	term_value = "xterm";
	lang_value = NULL;
	sys = (struct sys){.now_ms = clock_ms};
	cli = (struct cli){.sys = &sys, .env = look_up, .columns = 80, .err_is_terminal = true};
	cli.err = open_memstream(&said, &said_len);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fclose(cli.err);
	free(said);
	return 0;
}

/* What was written since the last time. */
static void check(const char *expected)
{
	fflush(cli.err);
	assert_string_equal(said, expected);
	fclose(cli.err);
	free(said);
	cli.err = open_memstream(&said, &said_len);
}

static void after_a_second_and_not_too_often(void **state)
{
	struct progress_bar bar;
	const struct progress *progress;

	(void)state;
	progress_bar_begin(&bar, &cli, "maintain");
	progress = progress_bar_watcher(&bar);
	now += 999;
	progress_step(progress, "merge", 1, 4);
	check("");
	now += 1;
	progress_step(progress, "merge", 1, 4);
	check(CLEAR "maintain: merge  " FIVE(FULL) FIVE(EMPTY) FIVE(EMPTY) FIVE(EMPTY) "  25 %");
	now += 99;
	progress_step(progress, "merge", 2, 4);
	check("");
	now += 1;
	progress_step(progress, "merge", 3, 4);
	check(CLEAR "maintain: merge  " FIVE(FULL) FIVE(FULL) FIVE(FULL) FIVE(EMPTY) "  75 %");
	progress_bar_end(&bar);
	check(CLEAR);
	progress_bar_end(&bar);
	check("");
}

static void what_was_quick_leaves_nothing(void **state)
{
	struct progress_bar bar;

	(void)state;
	progress_bar_begin(&bar, &cli, NULL);
	progress_step(progress_bar_watcher(&bar), "merge", 1, 4);
	now += 5000;
	progress_bar_end(&bar);
	check("");
}

static void nobody_watches(void **state)
{
	struct progress_bar bar;

	(void)state;
	term_value = "dumb";
	progress_bar_begin(&bar, &cli, NULL);
	assert_null(progress_bar_watcher(&bar));
	term_value = NULL;
	progress_bar_begin(&bar, &cli, NULL);
	assert_null(progress_bar_watcher(&bar));
	term_value = "xterm";
	cli.err_is_terminal = false;
	progress_bar_begin(&bar, &cli, NULL);
	assert_null(progress_bar_watcher(&bar));
	/* Whoever works need not ask. */
	progress_step(NULL, "merge", 1, 4);
	check("");
}

/* One step, a second after the beginning. */
static void check_step(const char *command, int columns, size_t done, size_t total,
		       const char *expected)
{
	struct progress_bar bar;

	cli.columns = columns;
	progress_bar_begin(&bar, &cli, command);
	now += 1000;
	progress_step(progress_bar_watcher(&bar), "to \xe5\x81\x8f\x1b[2J", done, total);
	check(expected);
}

static void as_much_as_fits(void **state)
{
	(void)state;
	check_step("get", 80, 0, 0, CLEAR "get: to \xe5\x81\x8f\\x1b[2J");
	check_step(NULL, 80, 7, 0, CLEAR "to \xe5\x81\x8f\\x1b[2J  7");
	check_step(NULL, 80, 9, 4,
		   CLEAR "to \xe5\x81\x8f\\x1b[2J  " FIVE(FULL) FIVE(FULL) FIVE(FULL)
			   FIVE(FULL) "  100 %");
	check_step(NULL, 41, 0, 4, CLEAR "to \xe5\x81\x8f\\x1b[2J  0 %");
	check_step(NULL, 10, 0, 4, CLEAR "to \xe5\x81\x8f\\x1\xe2\x80\xa6");
	check_step(NULL, 0, 0, 4, CLEAR "\xe2\x80\xa6");
	lang_value = "C";
	check_step(NULL, 80, 1, 2, CLEAR "to \xe5\x81\x8f\\x1b[2J  ##########..........  50 %");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(after_a_second_and_not_too_often),
		TEST(what_was_quick_leaves_nothing),
		TEST(nobody_watches),
		TEST(as_much_as_fits),
	};

	return cmocka_run_group_tests_name("bar", tests, NULL, NULL);
}
