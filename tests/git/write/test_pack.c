#include "git/write/pack.h"

#include "git/gitrepo.h"
#include "support/fake_sys.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define FAKE_NOW 1795000000000

/* Loose objects and packs of the repository, counted by who does not use the code under test. */
static size_t count(const struct gitrepo *r, const char *what)
{
	STR_AUTO command = STR_INIT;
	char line[32] = "";
	FILE *out;

	str_printf(&command, "find %s/.git/objects -type f %s | wc -l", r->dir.path, what);
	out = popen(command.ptr, "r");
	assert_non_null(out);
	assert_non_null(fgets(line, sizeof line, out));
	pclose(out);
	return strtoul(line, NULL, 10);
}

#define LOOSE "-regex '.*objects/[0-9a-f][0-9a-f]/.*'"
#define PACKS "-name '*.pack'"

static void commit_some(struct gitrepo *r, int from, int to)
{
	for (int i = from; i < to; i++) {
		char text[32];

		snprintf(text, sizeof text, "{\"a\": %d}\n", i);
		gitrepo_record(r, "a.json", text, "a change\n");
	}
}

static void check_last(struct gitrepo *r, const char *expected)
{
	char *text = gitrepo_text(r, "a.json");

	assert_string_equal(text, expected);
	free(text);
}

static void test_loose_objects_move_into_a_pack(void **state)
{
	struct gitrepo *r = *state;
	struct object_id first;
	struct err err;

	first = gitrepo_record(r, "a.json", "{}\n", "first\n");
	commit_some(r, 0, 20);
	assert_int_equal(pack_run(r->repo, &err), 0);
	assert_int_equal(count(r, LOOSE), 0);
	assert_int_equal(count(r, PACKS), 1);
	check_last(r, "{\"a\": 19}\n");
	assert_true(repo_has(r->repo, &first));
	commit_some(r, 20, 22);
	assert_int_equal(pack_run(r->repo, &err), 0);
	assert_int_equal(count(r, PACKS), 2);
	check_last(r, "{\"a\": 21}\n");
}

static void test_nothing_to_pack(void **state)
{
	struct gitrepo *r = *state;
	struct err err;

	assert_int_equal(pack_run(r->repo, &err), 0);
	assert_int_equal(count(r, PACKS), 0);
}

static void test_what_nobody_refers_to_stays(void **state)
{
	struct gitrepo *r = *state;
	struct object_id blob;
	STR_AUTO text = STR_INIT;
	struct err err;

	assert_int_equal(repo_blob_write(r->repo, slice_of("pending"), &blob, &err), 0);
	assert_int_equal(pack_run(r->repo, &err), 0);
	assert_int_equal(count(r, LOOSE), 0);
	assert_int_equal(repo_blob_read(r->repo, &blob, &text, &err), 0);
	assert_string_equal(text.ptr, "pending");
}

static void test_due_when_a_few_folders_have_two_each(void **state)
{
	static const char *const folders[] = {"00", "40", "80", "c0"};
	struct gitrepo *r = *state;

	for (int i = 0; i < 8; i++) {
		char name[80];

		assert_false(pack_is_due(r->repo));
		snprintf(name, sizeof name, ".git/objects/%s", folders[i % 4]);
		mkdirat(r->dir.fd, name, 0700);
		snprintf(name, sizeof name, ".git/objects/%s/%038x", folders[i % 4], (unsigned)i);
		tmpdir_write(&r->dir, name, "x");
	}
	assert_true(pack_is_due(r->repo));
}

/* Files of a process that was killed go when they are old, and not before. */
static void test_leftovers_go_when_they_are_old(void **state)
{
	struct gitrepo *r = *state;
	const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
	struct err err;

	tmpdir_write(&r->dir, ".git/objects/pack/pack_git2_0123456789abcdef", "x");
	tmpdir_write(&r->dir, ".git/objects/tmp_object_git2_0123456789abcdef", "x");
	tmpdir_write(&r->dir, ".git/objects/pack/pack-1.idx", "x");
	tmpdir_write(&r->dir, ".git/objects/pack/pack-2.idx", "x");
	assert_int_equal(
		utimensat(r->dir.fd, ".git/objects/tmp_object_git2_0123456789abcdef", old, 0), 0);
	assert_int_equal(utimensat(r->dir.fd, ".git/objects/pack/pack-1.idx", old, 0), 0);
	assert_int_equal(pack_run(r->repo, &err), 0);
	assert_true(tmpdir_has(&r->dir, ".git/objects/pack/pack_git2_0123456789abcdef"));
	assert_false(tmpdir_has(&r->dir, ".git/objects/tmp_object_git2_0123456789abcdef"));
	assert_false(tmpdir_has(&r->dir, ".git/objects/pack/pack-1.idx"));
	assert_true(tmpdir_has(&r->dir, ".git/objects/pack/pack-2.idx"));
}

/* An index of a pack that can be seen has all that its head says, and its pack lies beside it. */
static void check_indexes(const struct gitrepo *r)
{
	STR_AUTO command = STR_INIT;

	str_printf(&command,
		   "for i in %s/.git/objects/pack/pack-*.idx; do test -e \"$i\" || continue; "
		   "test -e \"${i%%.idx}.pack\" || exit 1; "
		   "n=$(od -An -tu1 -j1028 -N4 \"$i\" | awk '{ print ($3 * 256) + $4 }'); "
		   "test $(stat -c %%s \"$i\") -eq $((1032 + 28 * n + 40)) || exit 1; done",
		   r->dir.path);
	assert_int_equal(system(command.ptr), 0);
}

static int pack_in_child(void *context)
{
	const struct gitrepo *r = context;
	struct repo *repo;
	struct err err;

	return repo_open(&repo, fake_sys(), r->dir.path, &err) != 0 || pack_run(repo, &err) != 0;
}

/* Dies, with some objects loose; all can be read, and the next packing finishes. */
static void die_at(struct gitrepo *r, enum fake_call call, unsigned nth)
{
	struct object_id blob;
	struct err err;
	char expected[32];
	int number = (int)nth + 1000 * (int)call;

	commit_some(r, number, number + 1);
	snprintf(expected, sizeof expected, "{\"a\": %d}\n", number);
	assert_int_equal(repo_blob_write(r->repo, slice_of(expected + 1), &blob, &err), 0);
	fake_sys_reset(FAKE_NOW);
	fake_sys_die(call, nth, 99);
	assert_int_equal(fake_sys_in_child(pack_in_child, r), 99);
	check_indexes(r);
	repo_close(r->repo);
	assert_int_equal(repo_open(&r->repo, sys_real(), r->dir.path, &err), 0);
	check_last(r, expected);
	assert_true(repo_has(r->repo, &blob));
	assert_int_equal(pack_run(r->repo, &err), 0);
	assert_int_equal(count(r, LOOSE), 0);
	check_last(r, expected);
	assert_true(repo_has(r->repo, &blob));
}

static void test_killed_at_any_call_it_loses_nothing(void **state)
{
	struct gitrepo *r = *state;

	/* The first calls look at what there is, the last ones remove the loose objects. */
	for (unsigned nth = 1; nth < 400; nth *= 4)
		die_at(r, FAKE_ANY, nth);
	for (unsigned nth = 1; nth <= 4; nth++)
		die_at(r, FAKE_UNLINKAT, nth);
	/* Those that write the pack, its index and the list of packs, and give them their names. */
	for (unsigned nth = 1; nth <= 4; nth++)
		die_at(r, FAKE_WRITE, nth);
	for (unsigned nth = 1; nth <= 3; nth++) {
		die_at(r, FAKE_FSYNC, nth);
		die_at(r, FAKE_RENAMEAT2, nth);
	}
	fake_sys_release();
}

/* A text of 5,000 bytes in 100 versions takes not much more than one: each is a difference. */
static void test_versions_take_little_room(void **state)
{
	struct gitrepo *r = *state;
	STR_AUTO command = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct err err;

	for (unsigned i = 0; text.len < 5000; i++)
		str_printf(&text, "%u ", i * 2654435761u);
	for (int i = 0; i < 100; i++) {
		snprintf(text.ptr + 100 + 40 * (i % 100), 8, "v%06d", i);
		text.ptr[107 + 40 * (i % 100)] = ' ';
		gitrepo_record(r, "a.json", text.ptr, "m\n");
	}
	assert_int_equal(pack_run(r->repo, &err), 0);
	str_printf(&command, "test $(stat -c %%s %s/.git/objects/pack/*.pack) -lt %d", r->dir.path,
		   2 * 5000 + 100 * 600);
	assert_int_equal(system(command.ptr), 0);
	check_last(r, text.ptr);
}

/* What a process left that was killed before it removed them: they are in one pack, not in two. */
static void test_what_is_packed_already_is_not_packed_again(void **state)
{
	struct gitrepo *r = *state;
	STR_AUTO command = STR_INIT;
	struct err err;

	commit_some(r, 0, 5);
	str_printf(&command, "cd %s/.git && cp -a objects saved", r->dir.path);
	assert_int_equal(system(command.ptr), 0);
	assert_int_equal(pack_run(r->repo, &err), 0);
	str_clear(&command);
	str_printf(&command, "cd %s/.git && cp -a saved/?? objects && rm -r saved", r->dir.path);
	assert_int_equal(system(command.ptr), 0);
	assert_int_equal(count(r, LOOSE), 16);
	assert_int_equal(pack_run(r->repo, &err), 0);
	assert_int_equal(count(r, LOOSE), 0);
	assert_int_equal(count(r, PACKS), 1);
	check_last(r, "{\"a\": 4}\n");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, gitrepo_set_up, gitrepo_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_loose_objects_move_into_a_pack),
		TEST(test_nothing_to_pack),
		TEST(test_what_nobody_refers_to_stays),
		TEST(test_due_when_a_few_folders_have_two_each),
		TEST(test_leftovers_go_when_they_are_old),
		TEST(test_killed_at_any_call_it_loses_nothing),
		TEST(test_versions_take_little_room),
		TEST(test_what_is_packed_already_is_not_packed_again),
	};

	return cmocka_run_group_tests_name("pack", tests, NULL, NULL);
}
