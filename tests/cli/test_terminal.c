/* What the program itself writes to a terminal, at several widths. */
#include "base/str.h"
#include "base/utf8.h"
#include "support/tmpdir.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <errno.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Wide, joined, combining, long, and what must not reach a terminal. */
#define ODD                                                                                        \
	"\"\xe5\x81\x8f\xe5\xa5\xbd\xe8\xae\xbe\xe7\xbd\xae \xe2\x80\x94 "                         \
	"\xed\x95\x9c\xea\xb8\x80 "                                                                \
	"\xe3\x83\xa1\xe3\x83\xa2\xe3\x83\xaa\xe3\x83\xbc\": "                                     \
	"\"\xe9\x95\xb7\xe3\x81\x84\xe5\x80\xa4"                                                   \
	"\xe9\x95\xb7\xe3\x81\x84\xe5\x80\xa4\xe9\x95\xb7\xe3\x81\x84\xe5\x80\xa4\xe9\x95\xb7"     \
	"\xe3\x81\x84\xe5\x80\xa4 needle\",\n"                                                     \
	"\"\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7\xe2\x80\x8d\xf0\x9f\x91\xa6 family "       \
	"\xf0\x9f\x8e\x89\xf0\x9f\x8e\x89\xf0\x9f\x8e\x89\": \"\xf0\x9f\x8e\x89\xf0\x9f\x8e\x89"   \
	"\xf0\x9f\x8e\x89\xf0\x9f\x8e\x89\xf0\x9f\x8e\x89\xf0\x9f\x8e\x89 needle\",\n"             \
	"\"cafe\xcc\x81 e\xcc\x81\xcc\x82\xcc\x83 a\xcc\x8a\": \"e\xcc\x81 needle\",\n"            \
	"\"a key of many words that is longer than the narrowest of these terminals by far\": "    \
	"\"needle \\u001b[2J in a value that goes on and on and on and on and on and on and on "   \
	"and on "                                                                                  \
	"and on and on and on and on and on and on and on and on and on and on and on and on\",\n" \
	"\"k\": 1"

static struct tmpdir dir;

struct terminal {
	unsigned short columns; /* 0: a pipe */
	const char *setting;    /* "NAME=value" for the environment; NULL: none */
};

static void become_kota(const struct terminal *terminal, const char *words)
{
	const char *kota = getenv("KOTA");
	STR_AUTO line = STR_INIT;

	str_printf(&line,
		   "exec env -u NO_COLOR -u COLUMNS -u CLICOLOR_FORCE TERM=xterm HOME='%s' "
		   "KOTA_MEMORY_GIT=own KOTA_MEMORY_DIR='%s/store' %s '%s' %s",
		   dir.path, dir.path, terminal->setting ? terminal->setting : "",
		   kota ? kota : "./kota", words);
	execl("/bin/sh", "sh", "-c", line.ptr, (char *)NULL);
	_exit(99);
}

/* Runs a command with its output on a terminal of this size; *out gets what it shows. */
static int run(const struct terminal *terminal, const char *words, struct str *out)
{
	struct winsize size = {.ws_row = 24, .ws_col = terminal->columns};
	char part[4096];
	int status = 0;
	int fd = -1;
	ssize_t len;
	pid_t pid = forkpty(&fd, NULL, NULL, &size);

	assert_true(pid >= 0);
	if (pid == 0)
		become_kota(terminal, words);
	str_clear(out);
	while ((len = read(fd, part, sizeof part)) > 0 || (len < 0 && errno == EINTR)) {
		if (len > 0)
			str_add(out, slice_make(part, (size_t)len));
	}
	close(fd);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Takes the colours out. */
static void strip(const struct str *shown, struct str *out)
{
	str_clear(out);
	for (size_t i = 0; i < shown->len; i++) {
		if (shown->ptr[i] == '\x1b' && shown->ptr[i + 1] == '[') {
			i += 2 + strspn(shown->ptr + i + 2, "0123456789;");
			assert_int_equal(shown->ptr[i], 'm');
		} else if (shown->ptr[i] != '\r') {
			str_addc(out, shown->ptr[i]);
		}
	}
}

static void check_width(const char *words, const struct str *text, size_t columns)
{
	const char *line = text->ptr;

	while (*line) {
		size_t len = strcspn(line, "\n");

		if (utf8_columns(slice_make(line, len)) > columns)
			fail_msg("kota %s at %zu columns: %.*s", words, columns, (int)len, line);
		line += len + (line[len] == '\n');
	}
}

static int set_up(void **state)
{
	static const struct terminal wide = {80, NULL};
	STR_AUTO out = STR_INIT;
	char path[PATH_MAX + 16];

	(void)state;
	tmpdir_make(&dir);
	snprintf(path, sizeof path, "%s/store", dir.path);
	assert_int_equal(mkdir(path, 0700), 0);
	tmpdir_write(&dir, "store/state.json", "{\n" ODD "\n}\n");
	tmpdir_write(&dir, "store/connections.json", "{\n" ODD "\n}\n");
	assert_int_equal(run(&wide, "set k 2", &out), 0);
	assert_int_equal(run(&wide,
			     "set k 'needle in a long text of many words, so long that it "
			     "must be cut in a terminal of ordinary width'",
			     &out),
			 0);
	assert_int_equal(run(&wide, "clear-state", &out), 0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	tmpdir_remove(&dir);
	return 0;
}

static void no_line_is_wider_than_the_terminal(void **state)
{
	static const char *const commands[] = {
		"list",  "archived",    "search needle", "search",
		"log",   "log state:k", "blame",         "search --scope all needle",
		"stats",

		NULL};
	static const unsigned short widths[] = {20, 40, 80, 200};
	STR_AUTO shown = STR_INIT;
	STR_AUTO text = STR_INIT;

	(void)state;
	for (size_t c = 0; commands[c]; c++) {
		for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
			const struct terminal terminal = {widths[w], NULL};

			assert_int_equal(run(&terminal, commands[c], &shown), 0);
			strip(&shown, &text);
			assert_true(text.len > 0);
			check_width(commands[c], &text, widths[w]);
		}
	}
}

/* COLUMNS goes before the terminal; what is cut says so. */
static void the_width_that_is_said(void **state)
{
	static const struct terminal said = {200, "COLUMNS=30"};
	static const struct terminal nonsense = {40, "COLUMNS=x"};
	STR_AUTO shown = STR_INIT;
	STR_AUTO text = STR_INIT;

	(void)state;
	assert_int_equal(run(&said, "list", &shown), 0);
	strip(&shown, &text);
	check_width("list", &text, 30);
	assert_non_null(strstr(text.ptr, "a key of many wo\xe2\x80\xa6\n"));
	assert_int_equal(run(&nonsense, "list", &shown), 0);
	strip(&shown, &text);
	check_width("list", &text, 40);
}

static void colour_only_where_it_is_wanted(void **state)
{
	static const struct terminal plain = {80, NULL};
	static const struct terminal none = {80, "NO_COLOR=1"};
	static const struct terminal dumb = {80, "TERM=dumb"};
	STR_AUTO shown = STR_INIT;

	(void)state;
	run(&plain, "list", &shown);
	assert_non_null(strstr(shown.ptr, "\x1b[2mCATEGORY"));
	run(&none, "list", &shown);
	assert_null(memchr(shown.ptr, '\x1b', shown.len));
	assert_non_null(strstr(shown.ptr, "CATEGORY"));
	run(&dumb, "list", &shown);
	assert_null(memchr(shown.ptr, '\x1b', shown.len));
}

/* Into a pipe go whole refs, a line each, whatever COLUMNS says. */
static void a_pipe_gets_plain_lines(void **state)
{
	static const struct terminal pipe = {20, "COLUMNS=20"};
	STR_AUTO shown = STR_INIT;

	(void)state;
	assert_int_equal(run(&pipe, "list | cat", &shown), 0);
	assert_null(memchr(shown.ptr, '\x1b', shown.len));
	assert_non_null(strstr(shown.ptr, "connections:a key of many words that is longer than the "
					  "narrowest of these terminals by far\r\n"));
	assert_int_equal(run(&pipe, "search needle | cat", &shown), 0);
	assert_non_null(strstr(shown.ptr, "connections:a key of many words that is longer than the "
					  "narrowest of these terminals by far\r\n"));
	assert_int_equal(run(&pipe, "log state:k | cat", &shown), 0);
	assert_non_null(strstr(shown.ptr, "archived (state_clear)"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_line_is_wider_than_the_terminal),
		cmocka_unit_test(the_width_that_is_said),
		cmocka_unit_test(colour_only_where_it_is_wanted),
		cmocka_unit_test(a_pipe_gets_plain_lines),
	};
	int master;
	int slave;

	if (openpty(&master, &slave, NULL, NULL, NULL) != 0) {
		puts("skipped: there is no pseudo terminal (devpts is not mounted on /dev/pts)");
		return 77;
	}
	close(master);
	close(slave);
	return cmocka_run_group_tests_name("terminal", tests, set_up, tear_down);
}
