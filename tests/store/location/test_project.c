#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "store/location/location.h"
#include "store/location/project.h"

#include "support/environ.h"
#include "support/fake_sys.h"
#include "support/tmpdir.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* From the working folder `from`, with `env`: path, why and kind. A path may begin with "@": DIR.
 */
struct case_row {
	const char *from;
	const char *const *env;
	const char *path;
	const char *why;
	enum place_kind kind;
	const char *root; /* NULL: none */
};

static void check_case(const struct tmpdir *dir, const struct case_row *row)
{
	char path[PATH_MAX + 64];
	char root[PATH_MAX + 64];
	struct place place;
	struct err err;

	environ_use(row->env);
	assert_int_equal(fchdir(dir->fd), 0);
	assert_int_equal(chdir(row->from), 0);
	if (place_find(&place, fake_sys(), environ_look_up, NULL, &err) != 0)
		fail_msg("%s: %s", row->from, err.text);
	assert_int_equal(fchdir(dir->fd), 0);
	snprintf(path, sizeof path, "%s%s", row->path[0] == '@' ? dir->path : "",
		 row->path + (row->path[0] == '@'));
	assert_string_equal(place.path, path);
	assert_string_equal(place.why, row->why);
	assert_int_equal(place.kind, row->kind);
	if (row->root) {
		snprintf(root, sizeof root, "%s%s", dir->path, row->root);
		assert_string_equal(place.root, root);
	} else {
		assert_null(place.root);
	}
	place_release(&place);
}

#define CHECK_CASES(dir, cases)                                                                    \
	for (size_t i = 0; i < sizeof(cases) / sizeof *(cases); i++)                               \
	check_case(dir, &(cases)[i])

#define OWN "/h/.local/share/kota_memory", "~/.local/share/kota_memory", PLACE_PERSONAL, NULL

static const char *const home[] = {"HOME=/h", NULL};
static const char *const project_w[] = {"CLAUDE_PROJECT_DIR=../W/src", "HOME=/h", NULL};

/* W is a work tree with a store at its root, and a folder with one of its own. */
static void make_work_tree(const struct tmpdir *dir)
{
	static const char *const folders[] = {
		"W",          "W/.git",      "W/data",      "W/data/kota_memory",
		"W/src",      "W/src/deep",  "W/part",      "W/part/data",
		"W/part/sub", "W/sub",       "W/sub/inner", "W/part/data/kota_memory",
		"N",          "N/elsewhere", "N/data",      "N/data/kota_memory",
	};

	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		assert_int_equal(mkdirat(dir->fd, folders[i], 0700), 0);
}

static void finds_the_store_of_the_project_from_below(void **state)
{
	const struct tmpdir *dir = *state;
	static const char above[] = "the project of the working folder has it";
	const struct case_row cases[] = {
		{"W", home, "./data/kota_memory", "./data/kota_memory exists", PLACE_PROJECT, "/W"},
		{"W/src", home, "@/W/data/kota_memory", above, PLACE_PROJECT, "/W"},
		{"W/src/deep", home, "@/W/data/kota_memory", above, PLACE_PROJECT, "/W"},
		{"W/part/sub", home, "@/W/part/data/kota_memory", above, PLACE_PROJECT, "/W/part"},
		{"N/elsewhere", project_w, "@/W/data/kota_memory",
		 "the project of $CLAUDE_PROJECT_DIR has it", PLACE_PROJECT, "/W"},
		/* Without a work tree there is the folder itself, and nothing above it. */
		{"N", home, "./data/kota_memory", "./data/kota_memory exists", PLACE_PROJECT, "/N"},
		{"N/elsewhere", home, OWN},
	};

	make_work_tree(dir);
	/* $CLAUDE_PROJECT_DIR is relative to the working folder. */
	assert_int_equal(symlinkat("../W", dir->fd, "N/W"), 0);
	CHECK_CASES(dir, cases);
}

/* A submodule is a work tree of its own, whether its `.git` is a file or a folder. */
static void stops_at_the_root_of_the_work_tree(void **state)
{
	const struct tmpdir *dir = *state;
	const struct case_row cases[] = {
		{"W/sub", home, OWN},
		{"W/sub/inner", home, OWN},
	};

	make_work_tree(dir);
	tmpdir_write(dir, "W/sub/.git", "gitdir: ../.git/modules/sub\n");
	CHECK_CASES(dir, cases);
	assert_int_equal(unlinkat(dir->fd, "W/sub/.git", 0), 0);
	assert_int_equal(mkdirat(dir->fd, "W/sub/.git", 0700), 0);
	CHECK_CASES(dir, cases);
}

/* The store has a `.git` of its own, and is no project for that. */
static void finds_the_store_that_it_is_called_in(void **state)
{
	const struct tmpdir *dir = *state;
	static const char inside[] = "the working folder lies in it";
	const struct case_row cases[] = {
		{"W/data/kota_memory", home, "@/W/data/kota_memory", inside, PLACE_PROJECT, "/W"},
		{"W/data/kota_memory/notes", home, "@/W/data/kota_memory", inside, PLACE_PROJECT,
		 "/W"},
		{"N/data/kota_memory", home, "@/N/data/kota_memory", inside, PLACE_PROJECT, "/N"},
	};
	/* A folder of that name that is no store is one like any other. */
	const struct case_row other[] = {
		{"F/data/kota_memory", home, OWN},
		{"F/data/kota_memory/src", home, OWN},
	};

	make_work_tree(dir);
	assert_int_equal(mkdirat(dir->fd, "W/data/kota_memory/.git", 0700), 0);
	assert_int_equal(mkdirat(dir->fd, "W/data/kota_memory/notes", 0700), 0);
	tmpdir_write(dir, "W/data/kota_memory/.kota", "kota-memory data directory, format 1\n");
	/* As the original handler leaves it. */
	tmpdir_write(dir, "N/data/kota_memory/state.json", "{}");
	CHECK_CASES(dir, cases);
	assert_int_equal(unlinkat(dir->fd, "F/data/kota_memory", 0), 0);
	assert_int_equal(mkdirat(dir->fd, "F/data/kota_memory", 0700), 0);
	assert_int_equal(mkdirat(dir->fd, "F/data/kota_memory/src", 0700), 0);
	CHECK_CASES(dir, other);
}

static void skip_without_root(void)
{
	if (geteuid() != 0) {
		print_message("skipped: only root can give folders to another user\n");
		skip();
	}
}

/* What lies above may be anybody's: /tmp/.git, /home/data. */
static void never_crosses_an_owner(void **state)
{
	const struct tmpdir *dir = *state;
	const struct case_row cases[] = {
		{"W/src", home, OWN},
		{"W/src/deep", home, OWN},
	};
	const struct case_row inside[] = {{"W/data/kota_memory", home, OWN}};

	skip_without_root();
	make_work_tree(dir);
	tmpdir_write(dir, "W/data/kota_memory/.kota", "kota-memory data directory, format 1\n");
	assert_int_equal(fchownat(dir->fd, "W/src", 12345, 12345, 0), 0);
	assert_int_equal(fchownat(dir->fd, "W/src/deep", 12345, 12345, 0), 0);
	CHECK_CASES(dir, cases);
	assert_int_equal(fchownat(dir->fd, "W/data/kota_memory", 12345, 12345, 0), 0);
	CHECK_CASES(dir, inside);
	/* Folders of one other user are crossed, as by who administers for that user. */
	assert_int_equal(fchownat(dir->fd, "W", 12345, 12345, 0), 0);
	check_case(dir, &(const struct case_row){"W/src/deep", home, "@/W/data/kota_memory",
						 "the project of the working folder has it",
						 PLACE_PROJECT, "/W"});
}

static void check_refused(const struct tmpdir *dir, const char *from, const char *link)
{
	char text[PATH_MAX + 64];
	struct place place = {0};
	struct err err;

	environ_use(home);
	assert_int_equal(chdir(from), 0);
	assert_int_equal(place_find(&place, fake_sys(), environ_look_up, NULL, &err), -1);
	assert_int_equal(fchdir(dir->fd), 0);
	assert_int_equal(err.code, ERR_BAD_FORMAT);
	snprintf(text, sizeof text, "%s/%s is a link: ", dir->path, link);
	assert_memory_equal(err.text, text, strlen(text));
	assert_null(place.path);
}

/* Neither taken nor passed over: who set the link meant something by it. */
static void refuses_links_in_place_of_the_store(void **state)
{
	const struct tmpdir *dir = *state;
	static const struct {
		const char *target;
		const char *name;
	} links[] = {
		{"../../P/data/kota_memory", "L/data/kota_memory"},
		{"nowhere", "L/data/kota_memory"},
		{"kota_memory", "L/data/kota_memory"},
		{"../../F/data/kota_memory", "L/data/kota_memory"},
	};

	assert_int_equal(mkdirat(dir->fd, "L", 0700), 0);
	assert_int_equal(mkdirat(dir->fd, "L/.git", 0700), 0);
	assert_int_equal(mkdirat(dir->fd, "L/src", 0700), 0);
	assert_int_equal(mkdirat(dir->fd, "L/data", 0700), 0);
	for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
		assert_int_equal(symlinkat(links[i].target, dir->fd, links[i].name), 0);
		check_refused(dir, "L", links[i].name);
		check_refused(dir, "L/src", links[i].name);
		assert_int_equal(unlinkat(dir->fd, links[i].name, 0), 0);
	}
	assert_int_equal(unlinkat(dir->fd, "L/data", AT_REMOVEDIR), 0);
	assert_int_equal(symlinkat("../P/data", dir->fd, "L/data"), 0);
	check_refused(dir, "L/src", "L/data");
}

/* Many a `data` is a link to a larger disk, and has nothing to do with memories. */
static void passes_over_links_without_a_store(void **state)
{
	const struct tmpdir *dir = *state;
	static const char *const targets[] = {"../P", "nowhere", "../F/data"};

	assert_int_equal(mkdirat(dir->fd, "L", 0700), 0);
	for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
		assert_int_equal(symlinkat(targets[i], dir->fd, "L/data"), 0);
		check_case(dir, &(const struct case_row){"L", home, OWN});
		assert_int_equal(unlinkat(dir->fd, "L/data", 0), 0);
	}
}

/* What is no repository does not make a project, and does not stop anything. */
static void is_not_stopped_by_odd_files(void **state)
{
	const struct tmpdir *dir = *state;
	const struct case_row cases[] = {{"W/src", home, "@/W/data/kota_memory",
					  "the project of the working folder has it", PLACE_PROJECT,
					  "/W"}};

	make_work_tree(dir);
	assert_int_equal(mkfifoat(dir->fd, "W/src/.git", 0600), 0);
	assert_int_equal(mkfifoat(dir->fd, "W/src/data", 0600), 0);
	CHECK_CASES(dir, cases);
	assert_int_equal(unlinkat(dir->fd, "W/src/.git", 0), 0);
	assert_int_equal(symlinkat(".git", dir->fd, "W/src/.git"), 0);
	CHECK_CASES(dir, cases);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, environ_set_up, environ_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(finds_the_store_of_the_project_from_below),
		TEST(stops_at_the_root_of_the_work_tree),
		TEST(finds_the_store_that_it_is_called_in),
		TEST(never_crosses_an_owner),
		TEST(refuses_links_in_place_of_the_store),
		TEST(passes_over_links_without_a_store),
		TEST(is_not_stopped_by_odd_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
