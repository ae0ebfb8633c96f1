#include "cli/shell.h"
#include "store/store.h"
#include "tools/tools.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

static struct shell shell;

/* What the server was called with. */
static struct {
	int calls;
	char path[PATH_MAX];
	char session[32];
	const struct tool *const *tools;
	int in_fd;
	int out_fd;
} seen;

static int serve(struct store *store, const struct sys *sys, const struct tool *const *tools,
		 const char *session, int in_fd, int out_fd)
{
	assert_ptr_equal(sys, shell.cli.sys);
	seen.calls++;
	snprintf(seen.path, sizeof seen.path, "%s", store_path(store));
	snprintf(seen.session, sizeof seen.session, "%s", session ? session : "none");
	seen.tools = tools;
	seen.in_fd = in_fd;
	seen.out_fd = out_fd;
	return 74;
}

static int set_up(void **state)
{
	(void)state;
	shell_init(&shell);
	memset(&seen, 0, sizeof seen);
	shell.cli.serve = serve;
	shell.cli.in_fd = 10;
	shell.cli.out_fd = 11;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	shell_release(&shell);
	return 0;
}

static void test_serve(void **state)
{
	(void)state;
	assert_int_equal(shell_run(&shell, "serve", NULL), 74);
	assert_int_equal(seen.calls, 1);
	assert_string_equal(seen.path, shell.store);
	assert_string_equal(seen.session, "none");
	assert_ptr_equal(seen.tools, tools_all());
	assert_int_equal(seen.in_fd, 10);
	assert_int_equal(seen.out_fd, 11);
	assert_string_equal(shell.out, "");
	assert_string_equal(shell.err, "");
	assert_false(tmpdir_has(&shell.dir, "store"));
}

static void test_session(void **state)
{
	(void)state;
	shell_env("CLAUDE_CODE_SESSION_ID", "");
	shell_run(&shell, "serve", NULL);
	assert_string_equal(seen.session, "none");
	shell_env("CLAUDE_CODE_SESSION_ID", "abc");
	shell_run(&shell, "serve", NULL);
	assert_string_equal(seen.session, "abc");
}

static void test_hint(void **state)
{
	(void)state;
	shell.cli.in_is_terminal = true;
	shell_run(&shell, "serve", NULL);
	assert_int_equal(seen.calls, 1);
	assert_string_equal(shell.out, "");
	assert_true(strncmp(shell.err, "kota: serve: waiting for an MCP client", 38) == 0);
	/* One line. */
	assert_ptr_equal(strchr(shell.err, '\n'), shell.err + shell.err_len - 1);
}

static void test_broken_files_do_not_matter(void **state)
{
	(void)state;
	shell_write(&shell, "config.json", "{");
	shell_write(&shell, "state.json", "{");
	shell_run(&shell, "serve", NULL);
	assert_int_equal(seen.calls, 1);
}

static void test_refused(void **state)
{
	(void)state;
	assert_int_equal(shell_run(&shell, "serve", "now", NULL), 2);
	shell_write(&shell, ".kota", "kota-memory data directory, format 9\n");
	assert_int_equal(shell_run(&shell, "serve", NULL), 65);
	assert_non_null(strstr(shell.err, "kota: serve: "));
	assert_int_equal(seen.calls, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_serve, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_session, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_hint, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_broken_files_do_not_matter, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
