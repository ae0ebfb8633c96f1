#include "store/trust/destination.h"

#include "support/fake_sys.h"
#include "support/tmpdir.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOW INT64_C(1795249800123)
#define FILE_NAME "state/kota-memory/projects.json"

static struct tmpdir dir;
static char state_home[PATH_MAX + 8];

static const char *surroundings(const char *name)
{
	return strcmp(name, "XDG_STATE_HOME") == 0 ? state_home : NULL;
}

static int set_up(void **state)
{
	(void)state;
	fake_sys_reset(NOW);
	tmpdir_make(&dir);
	snprintf(state_home, sizeof state_home, "%s/state", dir.path);
	assert_int_equal(mkdirat(dir.fd, "state", 0700), 0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	tmpdir_remove(&dir);
	fake_sys_release();
	return 0;
}

/* The project is the folder of the test, or "project" below it: it has to be there. */
static void check(const char *project, const char *store, const char *before)
{
	struct destination last = {.dirfd = -1};
	STR_AUTO said = STR_INIT;
	STR_AUTO root = STR_INIT;

	str_printf(&root, "%s/%s", dir.path, project);
	mkdirat(dir.fd, project, 0700);
	str_adds(&said, "what was there");
	destination_note(&last, fake_sys(), surroundings, root.ptr, store, &said);
	assert_string_equal(said.len ? said.ptr : "", before);
	destination_release(&last, fake_sys());
}

static void says_once_where_the_last_one_went(void **state)
{
	(void)state;
	check("a", "/one", "");
	check("a", "/one", "");
	check("b", "/two", "");
	check("a", "/two", "/one");
	check("a", "/two", "");
	check("b", "/two", "");
	check("a", "/one", "/two");
	check("a", "/odd \"name\"\n", "/one");
	check("a", "/one", "/odd \"name\"\n");
}

/* One process that stays, and others that note in between. */
static void reads_nothing_again_until_it_changes(void **state)
{
	struct destination last = {.dirfd = -1};
	STR_AUTO said = STR_INIT;
	STR_AUTO root = STR_INIT;
	const struct fake_event *events;
	size_t count;

	(void)state;
	str_printf(&root, "%s/a", dir.path);
	check("a", "/one", "");
	for (int i = 0; i < 2; i++)
		destination_note(&last, fake_sys(), surroundings, root.ptr, "/one", &said);
	fake_sys_clear_trace();
	destination_note(&last, fake_sys(), surroundings, root.ptr, "/one", &said);
	events = fake_sys_trace(&count);
	assert_int_equal(count, 1);
	assert_int_equal(events[0].call, FAKE_FSTATAT);
	assert_int_equal(said.len, 0);
	check("a", "/two", "/one");
	destination_note(&last, fake_sys(), surroundings, root.ptr, "/one", &said);
	assert_string_equal(said.ptr, "/two");
	destination_note(&last, fake_sys(), surroundings, root.ptr, "/three", &said);
	assert_string_equal(said.ptr, "/one");
	destination_release(&last, fake_sys());
}

static void writes_only_what_is_new(void **state)
{
	(void)state;
	check("a", "/one", "");
	fake_sys_clear_trace();
	check("a", "/one", "");
	assert_int_equal(fake_sys_count(FAKE_FSYNC), 0);
	assert_int_equal(fake_sys_count(FAKE_FLOCK), 0);
	assert_int_equal(fake_sys_count(FAKE_WRITE), 0);
}

/* The one that was entered first goes; one that changes is entered anew. */
static void keeps_so_many_projects(void **state)
{
	char name[32];

	(void)state;
	for (int i = 0; i < 200; i++) {
		snprintf(name, sizeof name, "p%d", i);
		check(name, "/one", "");
	}
	check("p0", "/two", "/one");
	check("new", "/one", "");
	check("p0", "/three", "/two");
	check("p2", "/two", "/one");
	check("p1", "/two", "");
}

static void keeps_so_many_bytes(void **state)
{
	char *long_name = malloc(4001);
	char name[32];
	char *text;

	(void)state;
	memset(long_name, 'x', 4000);
	long_name[0] = '/';
	long_name[4000] = '\0';
	for (int i = 0; i < 150; i++) {
		snprintf(name, sizeof name, "p%d", i);
		check(name, long_name, "");
	}
	check("p149", "/one", long_name);
	text = tmpdir_read(&dir, FILE_NAME);
	assert_in_range(strlen(text), 50000, 1 << 18);
	free(text);
	free(long_name);
}

static void takes_a_broken_file_for_none(void **state)
{
	static const char *const texts[] = {"", "{", "[]", "{\"a\": 1, \"a\": 2}", "null"};

	(void)state;
	check("a", "/one", "");
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		tmpdir_write(&dir, FILE_NAME, texts[i]);
		check("a", "/two", "");
		check("a", "/one", "/two");
	}
}

static void keeps_no_name_that_is_no_text(void **state)
{
	(void)state;
	check("a", "/\xff", "");
	assert_false(tmpdir_has(&dir, FILE_NAME));
	check("b\xff", "/one", "");
	assert_false(tmpdir_has(&dir, FILE_NAME));
}

/* Nobody is told of what could not be kept: it would be told with every memory. */
static void says_nothing_where_nothing_can_be_kept(void **state)
{
	(void)state;
	check("a", "/one", "");
	for (unsigned n = 1;; n++) {
		struct destination last = {.dirfd = -1};
		STR_AUTO said = STR_INIT;
		STR_AUTO root = STR_INIT;
		char *text;
		bool kept;

		fake_sys_reset(NOW);
		fake_sys_fail(FAKE_ANY, n, EIO, FAKE_ONCE);
		str_printf(&root, "%s/a", dir.path);
		destination_note(&last, fake_sys(), surroundings, root.ptr,
				 n % 2 ? "/two" : "/three", &said);
		destination_release(&last, fake_sys());
		text = tmpdir_read(&dir, FILE_NAME);
		kept = strstr(text, n % 2 ? "\"/two\"" : "\"/three\"") != NULL;
		free(text);
		if (said.len > 0 && !kept)
			fail_msg("with call %u failing it is said but not kept", n);
		if (fake_sys_hits() == 0) {
			assert_true(said.len > 0);
			break;
		}
		fake_sys_reset(NOW);
		check("a", "/one", kept ? (n % 2 ? "/two" : "/three") : "");
	}
	assert_int_equal(unlinkat(dir.fd, FILE_NAME, 0), 0);
	assert_int_equal(symlinkat("/etc/passwd", dir.fd, FILE_NAME), 0);
	check("a", "/one", "");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(says_once_where_the_last_one_went),
		TEST(reads_nothing_again_until_it_changes),
		TEST(writes_only_what_is_new),
		TEST(keeps_so_many_projects),
		TEST(keeps_so_many_bytes),
		TEST(takes_a_broken_file_for_none),
		TEST(keeps_no_name_that_is_no_text),
		TEST(says_nothing_where_nothing_can_be_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
