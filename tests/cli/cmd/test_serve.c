#include "cli/shell_fixture.h"
#include "tools/registry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* What the server was called with. */
static struct {
	int calls;
	char path[PATH_MAX];
	char session[32];
	const struct tool *const *tools;
	const struct cli *cli;
} seen;

static int serve(const struct cli *cli, const struct place *place, const struct tool *const *tools,
		 const char *session, struct err *err)
{
	seen.calls++;
	seen.cli = cli;
	snprintf(seen.path, sizeof seen.path, "%s", place->path ? place->path : "none");
	snprintf(seen.session, sizeof seen.session, "%s", session ? session : "none");
	seen.tools = tools;
	return err_set(err, ERR_IO, "the wire is cut");
}

static int set_up(void **state)
{
	(void)state;
	shell_init(&shell);
	memset(&seen, 0, sizeof seen);
	shell.cli.serve = serve;
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
	assert_ptr_equal(seen.cli, &shell.cli);
	assert_string_equal(shell.out, "");
	assert_string_equal(shell.err, "kota: serve: the wire is cut\n");
	assert_false(tmpdir_has(&shell.dir, "store"));
}

static void test_core(void **state)
{
	(void)state;
	assert_int_equal(shell_run(&shell, "serve", "--tools", "core", NULL), 74);
	assert_ptr_equal(seen.tools, tools_core());
	assert_int_equal(shell_run(&shell, "serve", "--tools=all", NULL), 74);
	assert_ptr_equal(seen.tools, tools_all());
	assert_int_equal(seen.calls, 2);
	assert_int_equal(shell_run(&shell, "serve", "--tools", "few", NULL), 2);
	assert_string_equal(shell.err,
			    "kota: serve: --tools: unknown set \"few\"; choose all or core\n");
	assert_int_equal(shell_run(&shell, "serve", "--tools", NULL), 2);
	assert_string_equal(shell.err, "kota: serve: --tools needs a value\n");
	assert_int_equal(shell_run(&shell, "doctor", "--tools", "core", NULL), 2);
	assert_int_equal(seen.calls, 2);
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
	assert_string_equal(strchr(shell.err, '\n'), "\nkota: serve: the wire is cut\n");
}

/* Nor does a store that cannot be opened: whoever asks is told. */
static void test_broken_files_do_not_matter(void **state)
{
	(void)state;
	shell_write(&shell, ".kota", "kota-memory data directory, format 9\n");
	shell_write(&shell, "config.json", "{");
	shell_write(&shell, "state.json", "{");
	shell_run(&shell, "serve", NULL);
	assert_int_equal(seen.calls, 1);
}

/* A client that gets no handshake hides the server, and nobody learns why. */
static void test_no_place(void **state)
{
	(void)state;
	shell_env("KOTA_MEMORY_DIR", "");
	shell_env("HOME", "");
	assert_int_equal(shell_run(&shell, "serve", NULL), 74);
	assert_int_equal(seen.calls, 1);
	assert_string_equal(seen.path, "none");
}

static void test_refused(void **state)
{
	(void)state;
	assert_int_equal(shell_run(&shell, "serve", "now", NULL), 2);
	assert_int_equal(seen.calls, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_serve, set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_core, set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_session, set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_hint, set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_broken_files_do_not_matter, set_up,
						shell_tear_down),
		cmocka_unit_test_setup_teardown(test_no_place, set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_refused, set_up, shell_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
