#include "git/write/pack_merge.h"

#include "git/gitrepo.h"
#include "git/write/pack.h"
#include "support/fake_sys.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define FAKE_NOW 1795000000000
#define BOOT "4d0fd1a9-9c5b-4c39-a9c5-1c5f3b7a0b11"
#define NEXT_BOOT "5e1fe2b0-9c5b-4c39-a9c5-1c5f3b7a0b11"

/* What a shell says below .git/objects/pack, as a number. */
static long ask(const struct gitrepo *r, const char *words)
{
	STR_AUTO command = STR_INIT;
	char line[32] = "";
	FILE *out;

	str_printf(&command, "cd %s/.git/objects/pack && { %s; }", r->dir.path, words);
	out = popen(command.ptr, "r");
	assert_non_null(out);
	assert_non_null(fgets(line, sizeof line, out));
	pclose(out);
	return strtol(line, NULL, 10);
}

#define PACKS "ls | grep -c 'pack$'"
#define LEFT "ls -a | grep -c tmp"

static void set_boot(struct repo *repo, const char *boot)
{
	snprintf(repo->log.boot, sizeof repo->log.boot, "%s", boot);
}

/* As another process finds it. */
static void reopen(struct gitrepo *r, const char *boot)
{
	struct err err;

	repo_close(r->repo);
	assert_int_equal(repo_open(&r->repo, sys_real(), r->dir.path, &err), 0);
	set_boot(r->repo, boot);
}

/* One change, in a pack of its own. */
static struct object_id commit_and_pack(struct gitrepo *r, int number)
{
	struct object_id id;
	char text[32];
	struct err err;

	snprintf(text, sizeof text, "{\"a\": %d}\n", number);
	id = gitrepo_record(r, "a.json", text, "a change\n");
	if (pack_run(r->repo, &err) != 0)
		fail_msg("%s", err.text);
	return id;
}

/* To its end, in as many steps as it takes; how many that were. */
static unsigned merge_all(struct gitrepo *r)
{
	unsigned steps = 0;
	bool more = true;
	struct err err;

	if (pack_merge_begin(r->repo, &err) != 0)
		fail_msg("%s", err.text);
	for (; more; steps++) {
		if (pack_merge_step(r->repo, &more, &err) != 0)
			fail_msg("%s", err.text);
	}
	return steps;
}

static void check_last(struct gitrepo *r, int last)
{
	char expected[32];
	char *text;

	reopen(r, BOOT);
	snprintf(expected, sizeof expected, "{\"a\": %d}\n", last);
	text = gitrepo_text(r, "a.json");
	assert_string_equal(text, expected);
	free(text);
}

/* git itself reads all of it, and each commit from the last one on has its file. */
static void check_whole(struct gitrepo *r, int last)
{
	STR_AUTO command = STR_INIT;

	check_last(r, last);
	if (system("command -v git >/dev/null") != 0)
		return;
	str_printf(&command,
		   "cd %s && git fsck --strict --full >fsck.out 2>&1 && ! grep -v dangling "
		   "fsck.out && git log -p --format=%%H -- a.json | grep -c '^+{' >count && "
		   "test $(cat count) -eq $(git rev-list --count HEAD)",
		   r->dir.path);
	assert_int_equal(system(command.ptr), 0);
	str_clear(&command);
	str_printf(
		&command,
		"for i in %s/.git/objects/pack/pack-*.idx; do git verify-pack $i || exit 1; done",
		r->dir.path);
	assert_int_equal(system(command.ptr), 0);
}

static int set_up(void **state)
{
	int result = gitrepo_set_up(state);

	set_boot(((struct gitrepo *)*state)->repo, BOOT);
	return result;
}

/* As git repack --geometric does it: the number grows with the logarithm. */
static void test_many_packs_become_few(void **state)
{
	struct gitrepo *r = *state;

	for (int i = 0; i < 150; i++) {
		commit_and_pack(r, i);
		merge_all(r);
		assert_in_range(ask(r, PACKS), 1, 6);
	}
	assert_int_equal(ask(r, LEFT " || true"), 0);
	check_whole(r, 149);
}

static void test_nothing_to_merge(void **state)
{
	struct gitrepo *r = *state;

	assert_int_equal(merge_all(r), 1);
	commit_and_pack(r, 0);
	assert_int_equal(merge_all(r), 1);
	assert_int_equal(ask(r, PACKS), 1);
}

/* One that the person has marked, and one that the person has made. */
static void test_packs_of_the_person_stay(void **state)
{
	struct gitrepo *r = *state;

	if (system("command -v git >/dev/null") != 0)
		skip();
	commit_and_pack(r, 0);
	assert_int_equal(ask(r, "for p in *.pack; do touch ${p%.pack}.keep; done; echo 0"), 0);
	commit_and_pack(r, 1);
	assert_int_equal(ask(r, "git -C ../../.. gc -q; ls *.pack >../theirs; wc -l <../theirs"),
			 2);
	for (int i = 2; i < 20; i++)
		commit_and_pack(r, i);
	merge_all(r);
	assert_int_equal(ask(r, "for p in $(cat ../theirs); do test -e $p || echo 1; done; echo 0"),
			 0);
	assert_in_range(ask(r, PACKS), 3, 6);
	check_whole(r, 19);
}

/* Steps of several processes: each goes on where the one before it was. */
static void test_a_large_merge_takes_many_steps(void **state)
{
	struct gitrepo *r = *state;
	struct object_id blob;
	unsigned steps = 0;
	bool more = true;
	struct err err;

	for (int n = 0; n < 3; n++) {
		STR_AUTO text = STR_INIT;

		/* What cannot be made smaller. */
		for (unsigned i = 0; text.len < 3000000; i++)
			str_printf(&text, "%u", (i + (unsigned)n * 1000003u) * 2654435761u);
		assert_int_equal(repo_blob_write(r->repo, str_slice(&text), &blob, &err), 0);
		commit_and_pack(r, n);
	}
	assert_int_equal(ask(r, PACKS), 3);
	assert_int_equal(pack_merge_begin(r->repo, &err), 0);
	for (; more; steps++) {
		reopen(r, BOOT);
		assert_int_equal(pack_merge_step(r->repo, &more, &err), 0);
	}
	assert_in_range(steps, 4, 40);
	assert_int_equal(ask(r, PACKS), 1);
	check_whole(r, 2);
}

/* More objects than are put into the index at once. */
static void test_many_objects(void **state)
{
	struct gitrepo *r = *state;
	struct object_id blob;
	struct err err;

	for (int n = 0; n < 10000; n++) {
		char text[32];

		snprintf(text, sizeof text, "text %d", n);
		assert_int_equal(repo_blob_put(r->repo, slice_of(text), &blob, &err), 0);
		if (n % 5000 == 4999)
			commit_and_pack(r, n);
	}
	merge_all(r);
	assert_int_equal(ask(r, PACKS), 1);
	assert_true(repo_has(r->repo, &blob));
	check_whole(r, 9999);
}

/* What another boot has written may be torn. */
static void test_after_a_restart_of_the_machine_it_begins_anew(void **state)
{
	struct gitrepo *r = *state;
	bool more;
	struct err err;

	for (int i = 0; i < 4; i++)
		commit_and_pack(r, i);
	assert_int_equal(pack_merge_begin(r->repo, &err), 0);
	reopen(r, NEXT_BOOT);
	assert_int_equal(pack_merge_step(r->repo, &more, &err), 0);
	assert_false(more);
	assert_int_equal(ask(r, PACKS), 4);
	merge_all(r);
	assert_int_equal(ask(r, PACKS), 1);
	check_whole(r, 3);
}

/* git gc took the packs away while they were merged: what it made counts. */
static void test_what_somebody_removed_is_not_put_back(void **state)
{
	struct gitrepo *r = *state;
	bool more = true;
	struct err err;

	if (system("command -v git >/dev/null") != 0)
		skip();
	for (int i = 0; i < 4; i++)
		commit_and_pack(r, i);
	assert_int_equal(pack_merge_begin(r->repo, &err), 0);
	assert_int_equal(ask(r, "git -C ../../.. gc -q --prune=now; " PACKS), 1);
	while (more)
		assert_int_equal(pack_merge_step(r->repo, &more, &err), 0);
	assert_int_equal(ask(r, PACKS), 1);
	assert_int_equal(ask(r, LEFT " || true"), 0);
	check_whole(r, 3);
}

/* It would name packs that are gone. */
static void test_where_there_is_an_index_of_many_packs_none_is_merged(void **state)
{
	struct gitrepo *r = *state;

	for (int i = 0; i < 4; i++)
		commit_and_pack(r, i);
	tmpdir_write(&r->dir, ".git/objects/pack/multi-pack-index", "x");
	merge_all(r);
	assert_int_equal(ask(r, PACKS), 4);
	assert_int_equal(unlinkat(r->dir.fd, ".git/objects/pack/multi-pack-index", 0), 0);
	merge_all(r);
	assert_int_equal(ask(r, PACKS), 1);
	check_whole(r, 3);
}

/* No pack may have an object twice. The one that has it, too, is left alone. */
static void test_an_object_in_two_packs(void **state)
{
	struct gitrepo *r = *state;
	STR_AUTO command = STR_INIT;

	commit_and_pack(r, 0);
	str_printf(&command,
		   "cd %s && mkdir aside && mv .git/objects/pack/pack-* aside && "
		   "cat aside/*.pack | git unpack-objects -q && rm -rf .git/objects/pack/*",
		   r->dir.path);
	if (system("command -v git >/dev/null") != 0)
		skip();
	assert_int_equal(system(command.ptr), 0);
	reopen(r, BOOT);
	/* The same objects and some more, in another pack. */
	commit_and_pack(r, 1);
	str_clear(&command);
	str_printf(&command,
		   "cd %s && cp aside/* .git/objects/pack/ && ls aside | grep -q pack && "
		   "ls aside | sed -n 's/.pack$//p' >>.git/kota-packs",
		   r->dir.path);
	assert_int_equal(system(command.ptr), 0);
	reopen(r, BOOT);
	merge_all(r);
	assert_int_equal(ask(r, PACKS), 2);
	for (int i = 2; i < 6; i++) {
		commit_and_pack(r, i);
		merge_all(r);
	}
	assert_in_range(ask(r, PACKS), 2, 4);
	check_whole(r, 5);
}

/* Who unpacks a store unpacks what somebody else wrote. */
static void test_a_forged_state_leads_nowhere(void **state)
{
	struct gitrepo *r = *state;
	bool more;
	struct err err;

	for (int i = 0; i < 4; i++)
		commit_and_pack(r, i);
	tmpdir_write(&r->dir, "victim.pack", "text\n");
	tmpdir_write(&r->dir, ".git/kota-packs", "pack-../../../../victim\n../../../victim\n");
	tmpdir_write(&r->dir, ".git/kota-merge", "kota-merge 1 and more\n");
	reopen(r, BOOT);
	assert_int_equal(pack_merge_step(r->repo, &more, &err), 0);
	assert_false(more);
	merge_all(r);
	assert_true(tmpdir_has(&r->dir, "victim.pack"));
	assert_int_equal(ask(r, PACKS), 4);
	check_whole(r, 3);
}

static int merge_in_child(void *context)
{
	const struct gitrepo *r = context;
	struct repo *repo;
	bool more = true;
	int result = 0;
	struct err err;

	if (repo_open(&repo, fake_sys(), r->dir.path, &err) != 0)
		return 1;
	set_boot(repo, BOOT);
	result = pack_merge_begin(repo, &err);
	while (result == 0 && more)
		result = pack_merge_step(repo, &more, &err);
	return result == 0 ? 0 : 2;
}

/* Dies at the n-th call, or that call fails; the next process goes on. False when there was none.
 */
static bool trouble_at(struct gitrepo *r, unsigned nth, bool dies)
{
	int status;
	int before = (int)nth * 4;

	for (int i = 0; i < 4; i++)
		commit_and_pack(r, before + i);
	fake_sys_reset(FAKE_NOW);
	if (dies)
		fake_sys_die(FAKE_ANY, nth, 99);
	else
		fake_sys_fail(FAKE_ANY, nth, EIO, FAKE_ONCE);
	status = fake_sys_in_child(merge_in_child, r);
	assert_true(status == 0 || status == (dies ? 99 : 2) || (!dies && status == 1));
	check_last(r, before + 3);
	assert_int_equal(ask(r, "git fsck --strict --full 2>&1 | grep -vc dangling"), 0);
	merge_all(r);
	assert_in_range(ask(r, PACKS), 1, 6);
	assert_int_equal(ask(r, LEFT " || true"), 0);
	check_last(r, before + 3);
	return status != 0;
}

static void test_killed_at_any_call_it_loses_nothing(void **state)
{
	struct gitrepo *r = *state;
	unsigned nth = 1;

	while (trouble_at(r, nth, true))
		nth += 17;
	assert_in_range(nth, 100, 2000);
	fake_sys_release();
	check_whole(r, (int)nth * 4 + 3);
}

static void test_whatever_call_fails_nothing_is_lost(void **state)
{
	struct gitrepo *r = *state;

	for (unsigned nth = 4; nth < 400; nth += 30)
		trouble_at(r, nth, false);
	fake_sys_release();
	check_last(r, 4 * 394 + 3);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, gitrepo_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_many_packs_become_few),
		TEST(test_nothing_to_merge),
		TEST(test_packs_of_the_person_stay),
		TEST(test_a_large_merge_takes_many_steps),
		TEST(test_many_objects),
		TEST(test_after_a_restart_of_the_machine_it_begins_anew),
		TEST(test_what_somebody_removed_is_not_put_back),
		TEST(test_where_there_is_an_index_of_many_packs_none_is_merged),
		TEST(test_an_object_in_two_packs),
		TEST(test_a_forged_state_leads_nowhere),
		TEST(test_killed_at_any_call_it_loses_nothing),
		TEST(test_whatever_call_fails_nothing_is_lost),
	};

	return cmocka_run_group_tests_name("pack_merge", tests, NULL, NULL);
}
