/* The program itself asks on the terminal that it is run from, and on nothing else. */
#include "base/str.h"
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
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utmp.h>

static struct tmpdir dir;

static int set_up(void **state)
{
	char store[PATH_MAX + 8];

	(void)state;
	tmpdir_make(&dir);
	snprintf(store, sizeof store, "%s/store", dir.path);
	assert_int_equal(mkdir(store, 0700), 0);
	tmpdir_write(&dir, "store/state.json", "{\"task\": \"build\"}\n");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	tmpdir_remove(&dir);
	return 0;
}

/* Becomes a shell that runs this line with kota as $KOTA, on the store that nobody has reviewed. */
static void become(const char *line)
{
	const char *kota = getenv("KOTA");
	STR_AUTO text = STR_INIT;

	str_printf(
		&text,
		"exec env -u XDG_STATE_HOME -u XDG_DATA_HOME HOME='%s' KOTA_MEMORY_DIR='%s/store' "
		"KOTA='%s' sh -c '%s'",
		dir.path, dir.path, kota ? kota : "./kota", line);
	execl("/bin/sh", "sh", "-c", text.ptr, (char *)NULL);
	_exit(99);
}

static int status_of(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Forks a child on a terminal of its own. The test is skipped where the machine has none. */
static pid_t begin_terminal(int *fd)
{
	int slave;
	pid_t pid;

	if (openpty(fd, &slave, NULL, NULL, NULL) != 0) {
		puts("skipped: there is no pseudo terminal (devpts is not mounted on /dev/pts)");
		skip();
	}
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		close(*fd);
		if (login_tty(slave) != 0)
			_exit(127);
		return 0;
	}
	close(slave);
	return pid;
}

/* Runs the line on a terminal; the answer is typed when the question stands there. */
static int on_terminal(const char *line, const char *answer, struct str *shown)
{
	bool answered = false;
	char part[512];
	ssize_t len;
	int fd;
	pid_t pid = begin_terminal(&fd);

	if (pid == 0)
		become(line);
	str_clear(shown);
	while ((len = read(fd, part, sizeof part)) > 0 || (len < 0 && errno == EINTR)) {
		if (len > 0)
			str_add(shown, slice_make(part, (size_t)len));
		if (!answered && shown->len && strstr(shown->ptr, "[y/N] ")) {
			answered = true;
			assert_int_equal(write(fd, answer, strlen(answer)), strlen(answer));
		}
	}
	close(fd);
	return status_of(pid);
}

static bool is_trusted(void)
{
	return tmpdir_has(&dir, ".local/state/kota-memory/stores.json");
}

static void test_the_person_says_yes(void **state)
{
	STR_AUTO shown = STR_INIT;

	(void)state;
	assert_int_equal(on_terminal("$KOTA trust", "y\n", &shown), 0);
	assert_non_null(strstr(shown.ptr, "build"));
	assert_non_null(strstr(shown.ptr, ": trusted; "));
	assert_true(is_trusted());
}

static void test_the_person_says_no(void **state)
{
	STR_AUTO shown = STR_INIT;

	(void)state;
	assert_int_equal(on_terminal("$KOTA trust", "n\n", &shown), 1);
	assert_false(is_trusted());
}

/* Who has redirected everything still has a terminal: that is where the question is. */
static void test_redirected_streams_are_not_asked(void **state)
{
	STR_AUTO shown = STR_INIT;

	(void)state;
	assert_int_equal(on_terminal("echo y | $KOTA trust >/dev/null 2>&1", "n\n", &shown), 1);
	assert_non_null(strstr(shown.ptr, "build"));
	assert_non_null(strstr(shown.ptr, "Trust this memory? [y/N] "));
	assert_false(is_trusted());
}

/* What is in the queue before the question stands there is no answer to it. */
static void test_what_was_typed_before_is_no_answer(void **state)
{
	STR_AUTO shown = STR_INIT;
	char part[512];
	ssize_t len;
	int fd;
	pid_t pid = begin_terminal(&fd);

	(void)state;
	if (pid == 0)
		become("read line; $KOTA trust");
	assert_int_equal(write(fd, "go\ny\n", 5), 5);
	while ((len = read(fd, part, sizeof part)) > 0 || (len < 0 && errno == EINTR)) {
		if (len > 0)
			str_add(&shown, slice_make(part, (size_t)len));
		if (shown.len && strstr(shown.ptr, "[y/N] ")) {
			assert_int_equal(write(fd, "n\n", 2), 2);
			break;
		}
	}
	while ((len = read(fd, part, sizeof part)) > 0)
		;
	close(fd);
	assert_int_equal(status_of(pid), 1);
	assert_false(is_trusted());
}

/* An agent's shell: a session of its own, without a terminal. */
static void test_an_agent_without_a_terminal_cannot_trust(void **state)
{
	static const char *const lines[] = {
		"$KOTA trust",
		"yes y | $KOTA trust",
		"yes | $KOTA trust --link state.json",
		"$KOTA trust --yes",
		"$KOTA trust </dev/zero",
	};

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		pid_t pid = fork();
		int status;

		assert_true(pid >= 0);
		if (pid == 0) {
			setsid();
			(void)!freopen("/dev/null", "w", stderr);
			become(lines[i]);
		}
		status = status_of(pid);
		if (status == 0 || status == 99)
			fail_msg("%s: status %d", lines[i], status);
		assert_false(is_trusted());
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_the_person_says_yes),
		TEST(test_the_person_says_no),
		TEST(test_redirected_streams_are_not_asked),
		TEST(test_what_was_typed_before_is_no_answer),
		TEST(test_an_agent_without_a_terminal_cannot_trust),
	};

	return cmocka_run_group_tests_name("trust_terminal", tests, NULL, NULL);
}
