#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "store/location/location.h"

#include "support/environ.h"
#include "support/fake_sys.h"
#include "support/tmpdir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENV(...)                                                                                   \
	(const char *const[])                                                                      \
	{                                                                                          \
		__VA_ARGS__, NULL                                                                  \
	}

/* ---- where the store is */

struct row {
	const char *dir; /* --dir */
	const char *const *env;
	const char *path; /* NULL: there is none */
	const char *why;
};

/* What lies in a project is opened below it, whatever a person calls it. */
static void check_root(const struct place *place, const char *why)
{
	char *store;

	if (place->kind != PLACE_PROJECT) {
		assert_null(place->root);
		assert_int_equal(place->kind, strchr("$~", why[0]) ? PLACE_PERSONAL : PLACE_NAMED);
		return;
	}
	store = realpath(place->path, NULL);
	assert_non_null(store);
	assert_memory_equal(store, place->root, strlen(place->root));
	assert_string_equal(store + strlen(place->root), "/data/kota_memory");
	free(store);
}

static void check_rows(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct place place;
		struct err err;
		int result;

		environ_use(rows[i].env);
		result = place_find(&place, fake_sys(), environ_look_up, rows[i].dir, &err);
		if (!rows[i].path) {
			assert_int_equal(result, -1);
			assert_int_equal(err.code, ERR_USAGE);
			assert_non_null(strstr(err.text, "--dir"));
			continue;
		}
		if (result != 0)
			fail_msg("row %zu: %s", i, err.text);
		assert_string_equal(place.path, rows[i].path);
		assert_string_equal(place.why, rows[i].why);
		check_root(&place, rows[i].why);
		place_release(&place);
		assert_null(place.path);
	}
}

#define CHECK_ROWS(rows) check_rows(rows, sizeof(rows) / sizeof *(rows))

static void finds_the_first_that_applies(void **state)
{
	const struct row rows[] = {
		{"x/y", ENV("KOTA_MEMORY_DIR=/k", "HOME=/h"), "x/y", "--dir"},
		{NULL, ENV("KOTA_MEMORY_DIR=/k", "CLAUDE_PROJECT_DIR=P", "HOME=/h"), "/k",
		 "KOTA_MEMORY_DIR"},
		{NULL, ENV("KOTA_MEMORY_DIR=rel"), "rel", "KOTA_MEMORY_DIR"},
		{NULL, ENV("CLAUDE_PLUGIN_OPTION_MEMORY_DIR=/o", "KOTA_MEMORY_DIR=/k"), "/o",
		 "the plugin's option"},
		{NULL, ENV("CLAUDE_PLUGIN_OPTION_MEMORY_DIR=", "KOTA_MEMORY_DIR=/k"), "/k",
		 "KOTA_MEMORY_DIR"},
		{NULL, ENV("CLAUDE_PROJECT_DIR=P", "XDG_DATA_HOME=/x"), "P/data/kota_memory",
		 "$CLAUDE_PROJECT_DIR/data/kota_memory exists"},
		{NULL, ENV("CLAUDE_PROJECT_DIR=P//"), "P/data/kota_memory",
		 "$CLAUDE_PROJECT_DIR/data/kota_memory exists"},
		{NULL, ENV("XDG_DATA_HOME=/x", "HOME=/h"), "/x/kota_memory",
		 "$XDG_DATA_HOME/kota_memory"},
		{NULL, ENV("HOME=/h"), "/h/.local/share/kota_memory", "~/.local/share/kota_memory"},
		{NULL, ENV("HOME=/"), "/.local/share/kota_memory", "~/.local/share/kota_memory"},
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void passes_over_what_does_not_apply(void **state)
{
	const struct row rows[] = {
		{"", ENV("KOTA_MEMORY_DIR=", "CLAUDE_PROJECT_DIR=", "XDG_DATA_HOME=", "HOME=/h"),
		 "/h/.local/share/kota_memory", "~/.local/share/kota_memory"},
		{NULL, ENV("CLAUDE_PROJECT_DIR=none", "HOME=/h"), "/h/.local/share/kota_memory",
		 "~/.local/share/kota_memory"},
		{NULL, ENV("CLAUDE_PROJECT_DIR=F", "HOME=/h"), "/h/.local/share/kota_memory",
		 "~/.local/share/kota_memory"},
		{NULL, ENV("CLAUDE_PROJECT_DIR=F/data/kota_memory", "HOME=/h"),
		 "/h/.local/share/kota_memory", "~/.local/share/kota_memory"},
		{NULL, ENV("XDG_DATA_HOME=rel/share", "HOME=/h"), "/h/.local/share/kota_memory",
		 "~/.local/share/kota_memory"},
		{NULL, ENV("XDG_DATA_HOME=rel"), NULL, NULL},
		{NULL, ENV("HOME="), NULL, NULL},
		{NULL, environ_nothing, NULL, NULL},
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void finds_the_store_of_the_working_directory(void **state)
{
	const struct row rows[] = {
		{NULL, ENV("XDG_DATA_HOME=/x"), "./data/kota_memory", "./data/kota_memory exists"},
		{NULL, environ_nothing, "./data/kota_memory", "./data/kota_memory exists"},
		{NULL, ENV("CLAUDE_PROJECT_DIR=/none"), "./data/kota_memory",
		 "./data/kota_memory exists"},
	};

	(void)state;
	assert_int_equal(chdir("P"), 0);
	CHECK_ROWS(rows);
}

/* Whatever cannot be seen: the store of the project, or an error, and never another store. */
static void does_not_choose_another_store_after_a_failure(void **state)
{
	static const char *const project_and_home[] = {"CLAUDE_PROJECT_DIR=P", "HOME=/h", NULL};
	unsigned failures = 0;

	(void)state;
	environ_use(project_and_home);
	for (unsigned n = 1;; n++) {
		struct place place = {0};
		struct err err;
		int result;

		fake_sys_reset(ENVIRON_NOW);
		fake_sys_fail(FAKE_ANY, n, EIO, FAKE_ONCE);
		result = place_find(&place, fake_sys(), environ_look_up, NULL, &err);
		if (fake_sys_hits() == 0) {
			place_release(&place);
			break;
		}
		if (result == 0) {
			assert_string_equal(place.path, "P/data/kota_memory");
		} else {
			assert_int_equal(err.code, ERR_IO);
			assert_non_null(strstr(err.text, "--dir"));
			assert_null(place.path);
			failures++;
		}
		place_release(&place);
	}
	assert_true(failures >= 6);
}

/* What is closed to this user is not the user's. */
static void passes_over_what_is_closed(void **state)
{
	static const char *const project_and_home[] = {"CLAUDE_PROJECT_DIR=P", "HOME=/h", NULL};
	static const int numbers[] = {EACCES, ENOENT, ENOTDIR};

	(void)state;
	environ_use(project_and_home);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		struct place place;
		struct err err;

		fake_sys_reset(ENVIRON_NOW);
		fake_sys_fail(FAKE_FSTATAT, 1, numbers[i], FAKE_ALWAYS);
		assert_int_equal(place_find(&place, fake_sys(), environ_look_up, NULL, &err), 0);
		assert_string_equal(place.path, "/h/.local/share/kota_memory");
		place_release(&place);
	}
}

/* A folder that is called in a roundabout way is what it is. */
static void goes_by_real_paths(void **state)
{
	const struct tmpdir *dir = *state;
	const struct row rows[] = {
		{NULL, ENV("CLAUDE_PROJECT_DIR=L"), "L/data/kota_memory",
		 "$CLAUDE_PROJECT_DIR/data/kota_memory exists"},
		{NULL, ENV("CLAUDE_PROJECT_DIR=F/../P"), "F/../P/data/kota_memory",
		 "$CLAUDE_PROJECT_DIR/data/kota_memory exists"},
	};

	assert_int_equal(symlinkat("P", dir->fd, "L"), 0);
	CHECK_ROWS(rows);
}

static const char *const home[] = {"HOME=/h", NULL};

/* The root of the work tree is known also where the store is elsewhere. */
static void knows_the_project(void **state)
{
	const struct tmpdir *dir = *state;
	char top[PATH_MAX + 8];
	struct place place;
	struct place copy;
	struct err err;

	assert_int_equal(mkdirat(dir->fd, "P/.git", 0700), 0);
	snprintf(top, sizeof top, "%s/P", dir->path);
	environ_use(home);
	assert_int_equal(chdir("P/data"), 0);
	assert_int_equal(place_find(&place, fake_sys(), environ_look_up, "/x", &err), 0);
	assert_string_equal(place.project, top);
	assert_int_equal(place.kind, PLACE_NAMED);
	place_copy(&copy, &place);
	place_release(&place);
	assert_string_equal(copy.project, top);
	assert_string_equal(copy.path, "/x");
	place_release(&copy);
	assert_int_equal(chdir("../../F"), 0);
	assert_int_equal(place_find(&place, fake_sys(), environ_look_up, NULL, &err), 0);
	assert_null(place.project);
	place_release(&place);
}

static void says_what_was_considered(void **state)
{
	const struct tmpdir *dir = *state;
	static const char *const verdicts[][2] = {
		{"--dir", "not set"},
		{"the plugin's option", "not set"},
		{"KOTA_MEMORY_DIR", "not set"},
		{"$CLAUDE_PROJECT_DIR", "not set"},
		{"the working folder", "no data/kota_memory in it, and no work tree around it"},
		{"$XDG_DATA_HOME/kota_memory", "XDG_DATA_HOME is not set"},
	};
	struct place_survey survey = {0};
	struct place place;
	struct err err;

	environ_use(home);
	assert_int_equal(place_survey(&place, &survey, fake_sys(), environ_look_up, "", &err), 0);
	assert_int_equal(survey.count, sizeof verdicts / sizeof *verdicts);
	for (size_t i = 0; i < survey.count; i++) {
		assert_string_equal(survey.items[i].what, verdicts[i][0]);
		assert_string_equal(survey.items[i].verdict, verdicts[i][1]);
	}
	assert_string_equal(survey.items[4].path, dir->path);
	place_survey_release(&survey);
	place_release(&place);
}

static void finds_the_personal_config(void **state)
{
	const struct {
		const char *const *env;
		const char *path;
	} rows[] = {
		{ENV("XDG_CONFIG_HOME=/x", "HOME=/h"), "/x/kota-memory/config.json"},
		{ENV("XDG_CONFIG_HOME=x", "HOME=/h"), "/h/.config/kota-memory/config.json"},
		{ENV("XDG_CONFIG_HOME=", "HOME=/h/"), "/h/.config/kota-memory/config.json"},
		{ENV("XDG_CONFIG_HOME=", "HOME="), NULL},
		{environ_nothing, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char *path;

		environ_use(rows[i].env);
		path = place_own_path(PLACE_OWN_CONFIG, environ_look_up);
		if (rows[i].path)
			assert_string_equal(path, rows[i].path);
		else
			assert_null(path);
		free(path);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, environ_set_up, environ_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(finds_the_first_that_applies),
		TEST(passes_over_what_does_not_apply),
		TEST(finds_the_store_of_the_working_directory),
		TEST(does_not_choose_another_store_after_a_failure),
		TEST(passes_over_what_is_closed),
		TEST(goes_by_real_paths),
		TEST(knows_the_project),
		TEST(says_what_was_considered),
		TEST(finds_the_personal_config),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
