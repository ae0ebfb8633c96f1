#include "store/history/history.h"

#include "git/gitrepo.h"
#include "git/walk.h"
#include "store/history/commit_message.h"
#include "store/open/store.h"
#include "support/teststore.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <errno.h>
#include <string.h>

/* Subjects from new to old, each with its author's first letter, one a line. */
static void read_log(struct teststore *t, struct str *out)
{
	struct repo *repo;
	struct walk *walk;
	struct commit commit;
	struct err err;

	assert_int_equal(history_repo(t->store, &repo, &err), 0);
	assert_int_equal(walk_open(&walk, repo, NULL, &err), 0);
	while (walk_next(walk, &commit, &err) == 1) {
		str_printf(out, "%c ", commit.author[0]);
		str_add(out, message_subject(commit.message));
		str_addc(out, '\n');
	}
	walk_close(walk);
}

/* What cannot be written into .pending is said to be in doubt: that is no failure here. */
static bool is_in_doubt(struct teststore *t)
{
	size_t count;
	const char *const *notices = store_notices(t->store, &count);
	bool doubt = false;

	for (size_t i = 0; i < count; i++)
		doubt = doubt || strstr(notices[i], "may take this change for an edit");
	return doubt;
}

/* The n-th such call within a change fails. False when there is none. */
static bool set_with_fault(enum fake_call call, unsigned nth)
{
	struct teststore t;
	STR_AUTO log = STR_INIT;
	enum err_code code;
	bool doubt;
	bool hit;

	teststore_open_in(&t, surroundings_with_history);
	gitrepo_isolate(&t.dir);
	assert_int_equal(teststore_set(&t, CATEGORY_STATE, "a", "1", NULL), ERR_NONE);
	fake_sys_reset(TESTSTORE_NOW + 1000);
	fake_sys_fail(call, nth, EIO, FAKE_ONCE);
	code = teststore_set(&t, CATEGORY_STATE, "b", "2", NULL);
	hit = fake_sys_hits() > 0;
	doubt = is_in_doubt(&t);
	fake_sys_reset(TESTSTORE_NOW + 2000);
	teststore_reopen(&t);
	assert_int_equal(teststore_set(&t, CATEGORY_STATE, "c", "3", NULL), ERR_NONE);
	read_log(&t, &log);
	if (code == ERR_NONE && !doubt &&
	    strcmp(log.ptr, "k test state:c\nk test state:b\nk test state:a\nk begin\n") != 0)
		fail_msg("call %u of kind %u fails: %s", nth, (unsigned)call, log.ptr);
	teststore_close(&t);
	return hit;
}

static void no_call_that_fails_makes_a_change_an_edit(void **state)
{
	static const enum fake_call calls[] = {FAKE_FSTATAT, FAKE_OPENAT, FAKE_FSTAT};

	(void)state;
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		unsigned nth = 1;

		while (set_with_fault(calls[i], nth))
			nth++;
		assert_in_range(nth, 5, 200);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_call_that_fails_makes_a_change_an_edit),
	};

	tmpdir_in_memory();
	return cmocka_run_group_tests_name("history_faults", tests, NULL, NULL);
}
