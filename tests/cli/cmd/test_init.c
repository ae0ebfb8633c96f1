#include "cli/shell_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <unistd.h>

static char path[PATH_MAX + 16];

/* Nothing says where the store is. */
static int set_up(void **state)
{
	(void)state;
	shell_init(&shell);
	shell_env("KOTA_MEMORY_DIR", NULL);
	return 0;
}

static void test_default(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(shell_run(&shell, "init", NULL), 0);
	assert_string_equal(shell.out, "./data/kota_memory: made, with .kota and .gitignore\n");
	assert_string_equal(shell.err, "");
	assert_int_equal(stat("data/kota_memory", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	assert_true(tmpdir_has(&shell.dir, "data/kota_memory/.kota"));
	assert_int_equal(shell_run(&shell, "init", NULL), 0);
	assert_string_equal(shell.out, "./data/kota_memory: is a store already, nothing to do\n");
	assert_int_equal(shell_run(&shell, "set", "a", "1", NULL), 0);
	assert_true(tmpdir_has(&shell.dir, "data/kota_memory/state.json"));
}

static void test_dir(void **state)
{
	(void)state;
	snprintf(path, sizeof path, "%s/x", shell.dir.path);
	assert_int_equal(shell_run(&shell, "init", "--dir", path, "--json", NULL), 0);
	assert_non_null(strstr(shell.out, "\"made\": [\n    \".\",\n    \".kota\",\n"
					  "    \".gitignore\"\n  ]"));
	assert_true(tmpdir_has(&shell.dir, "x/.kota"));
	assert_false(tmpdir_has(&shell.dir, "data"));
	assert_int_equal(shell_run(&shell, "init", "--dir", path, "--json", NULL), 0);
	assert_non_null(strstr(shell.out, "\"made\": []"));
}

static void test_shared(void **state)
{
	(void)state;
	assert_int_equal(mkdir(".git", 0700), 0);
	assert_int_equal(mkdir(".git/objects", 0700), 0);
	assert_int_equal(mkdir(".git/refs", 0700), 0);
	tmpdir_write(&shell.dir, ".git/HEAD", "ref: refs/heads/main\n");
	assert_int_equal(shell_run(&shell, "init", NULL), 0);
	assert_string_equal(shell.out, "./data/kota_memory: made, with .kota, .gitignore and "
				       ".gitattributes\n");
	assert_true(tmpdir_has(&shell.dir, "data/kota_memory/.gitattributes"));
}

static void test_fills_up(void **state)
{
	(void)state;
	assert_int_equal(mkdir("data", 0700), 0);
	assert_int_equal(mkdir("data/kota_memory", 0750), 0);
	tmpdir_write(&shell.dir, "data/kota_memory/.gitignore", "mine\n");
	assert_int_equal(shell_run(&shell, "init", NULL), 0);
	assert_string_equal(shell.out, "./data/kota_memory: made .kota\n");
}

static void test_another_store_is_used(void **state)
{
	(void)state;
	shell_env("KOTA_MEMORY_DIR", shell.store);
	assert_int_equal(shell_run(&shell, "init", NULL), 0);
	assert_non_null(strstr(shell.err, "kota: init: other commands use "));
	assert_non_null(strstr(shell.err, "(KOTA_MEMORY_DIR)\n"));
	shell_env("KOTA_MEMORY_DIR", "data/../data/kota_memory");
	assert_int_equal(shell_run(&shell, "init", NULL), 0);
	assert_string_equal(shell.err, "");
}

static void test_refused(void **state)
{
	(void)state;
	tmpdir_write(&shell.dir, "data", "a file");
	assert_int_equal(shell_run(&shell, "init", NULL), 65);
	assert_string_equal(shell.err, "kota: init: ./data/kota_memory is not a directory\n");
	assert_string_equal(shell.out, "");
	assert_int_equal(unlink("data"), 0);
	assert_int_equal(mkdir("data", 0700), 0);
	assert_int_equal(mkdir("data/kota_memory", 0700), 0);
	tmpdir_write(&shell.dir, "data/kota_memory/.kota",
		     "kota-memory data directory, format 9\n");
	assert_int_equal(shell_run(&shell, "init", NULL), 65);
	assert_non_null(strstr(shell.err, "format 9"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_default, set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_dir, set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_shared, set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_fills_up, set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_another_store_is_used, set_up,
						shell_tear_down),
		cmocka_unit_test_setup_teardown(test_refused, set_up, shell_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
