#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "store/log/journal.h"

#include "base/map.h"
#include "base/mem.h"
#include "store/files/dir_lock.h"
#include "support/fake_sys.h"
#include "support/tmpdir.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOW INT64_C(1795000000000)

static const struct change_meta meta = {
	.id = "1-2-3",
	.tool = "memory_set",
	.client = "client \"x\"",
	.session = "s",
	.undoes = "4f1c set state:a",
};

static struct tmpdir dir;
static struct disk disk;

static int setup(void **state)
{
	struct err err;

	(void)state;
	fake_sys_reset(NOW);
	tmpdir_make(&dir);
	fake_sys_root(dir.path);
	return disk_open(&disk, fake_sys(), dir.path, &err);
}

static int teardown(void **state)
{
	(void)state;
	fake_sys_reset(NOW);
	disk_close(&disk);
	tmpdir_remove(&dir);
	return 0;
}

static int commit(bool *committed, struct err *err)
{
	const struct op ops[] = {
		{OP_PUT, CATEGORY_STATE, slice_make("a\0\xC3\xA9\"", 5),
		 slice_of("{\"value\": 1.0}"), UINT64_MAX, NOW},
		{OP_REMOVE, CATEGORY_PREFERENCES, slice_of(""), {NULL, 0}, 1, -5},
		{OP_RECORD_ADD, CATEGORY_PATTERNS, slice_of("k@t"), slice_of("{}"), 0, NOW},
		{OP_RECORD_REMOVE, CATEGORY_SHORTCUTS, slice_of("k@t"), {NULL, 0}, 0, NOW},
		{OP_COLD_ADD, CATEGORY_CONNECTIONS, slice_of("k"), slice_of("{}"), 0, NOW},
	};

	return journal_commit(&disk, ops, 5, &meta, NOW, committed, err);
}

static void test_round_trip(void **state)
{
	struct journal journal;
	bool committed;
	struct stat st;
	struct err err;

	(void)state;
	assert_int_equal(journal_read(&journal, &disk, &err), 0);
	assert_false(journal.found);
	journal_release(&journal);
	assert_int_equal(commit(&committed, &err), 0);
	assert_true(committed);
	assert_int_equal(fstatat(dir.fd, ".journal", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(journal_read(&journal, &disk, &err), 0);
	assert_true(journal.found);
	assert_int_equal(journal.at_ms, NOW);
	assert_string_equal(journal.meta.id, "1-2-3");
	assert_string_equal(journal.meta.tool, "memory_set");
	assert_string_equal(journal.meta.client, "client \"x\"");
	assert_null(journal.meta.client_version);
	assert_int_equal(journal.count, 5);
	assert_int_equal(journal.ops[0].kind, OP_PUT);
	assert_int_equal(journal.ops[0].category, CATEGORY_STATE);
	assert_true(slice_equal(journal.ops[0].key, slice_make("a\0\xC3\xA9\"", 5)));
	assert_true(slice_is(journal.ops[0].text, "{\"value\": 1.0}"));
	assert_true(journal.ops[0].before == UINT64_MAX);
	assert_true(slice_is(journal.ops[1].key, ""));
	assert_null(journal.ops[1].text.ptr);
	assert_int_equal(journal.ops[1].at_ms, -5);
	assert_int_equal(journal.ops[4].kind, OP_COLD_ADD);
	journal_release(&journal);
	assert_int_equal(journal_remove(&disk, &err), 0);
	assert_false(tmpdir_has(&dir, ".journal"));
	assert_int_equal(journal_remove(&disk, &err), 0);
}

static void test_order(void **state)
{
	bool committed;
	struct err err;
	size_t named;

	(void)state;
	tmpdir_write(&dir, ".journal.tmp", "left by somebody");
	assert_int_equal(commit(&committed, &err), 0);
	named = fake_sys_at(FAKE_RENAMEAT2, ".journal", 0);
	assert_true(fake_sys_at(FAKE_WRITE, ".journal.tmp", 0) <
		    fake_sys_at(FAKE_FSYNC, ".journal.tmp", 0));
	assert_true(fake_sys_at(FAKE_FSYNC, ".journal.tmp", 0) < named);
	assert_true(fake_sys_at(FAKE_FSYNC, ".", named) != SIZE_MAX);
}

static void test_each_call_fails(void **state)
{
	(void)state;
	for (unsigned n = 1;; n++) {
		bool committed;
		struct err err;
		size_t hits;
		int result;

		fake_sys_reset(NOW);
		fake_sys_fail(FAKE_ANY, n, EIO, FAKE_ONCE);
		result = commit(&committed, &err);
		hits = fake_sys_hits();
		fake_sys_reset(NOW);
		assert_false(tmpdir_has(&dir, ".journal.tmp"));
		assert_int_equal(tmpdir_has(&dir, ".journal"), committed);
		if (result == 0)
			assert_true(committed);
		assert_int_equal(journal_remove(&disk, &err), 0);
		if (hits == 0)
			break;
	}
}

static void check_unreadable(void)
{
	struct journal journal;
	struct err err;

	assert_int_equal(journal_read(&journal, &disk, &err), -1);
	if (!strstr(err.text, "/.journal"))
		fail_msg("%s", err.text);
}

/* Nobody can have written it on purpose: it is not carried out, and holds nothing up. */
static void check_refused(void)
{
	struct journal journal;
	struct err err;

	assert_int_equal(journal_read(&journal, &disk, &err), 0);
	assert_false(journal.found);
	assert_true(journal.refused);
	assert_false(journal.only_unsigned);
	assert_int_equal(journal.count, 0);
	assert_true(journal.why.len > 0);
	journal_release(&journal);
}

/* Only ENOENT means that there is none. */
static void test_unreadable(void **state)
{
	static const int errors[] = {EIO, EACCES, EMFILE};

	(void)state;
	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
		fake_sys_fail(FAKE_OPENAT, 1, errors[i], FAKE_ONCE);
		check_unreadable();
	}
}

/* What stands in the place of a journal and can be none. */
static void test_no_file(void **state)
{
	(void)state;
	assert_int_equal(mkdirat(dir.fd, ".journal", 0700), 0);
	check_refused();
	assert_int_equal(unlinkat(dir.fd, ".journal", AT_REMOVEDIR), 0);
	assert_int_equal(mkfifoat(dir.fd, ".journal", 0600), 0);
	check_refused();
	assert_int_equal(unlinkat(dir.fd, ".journal", 0), 0);
	assert_int_equal(symlinkat("elsewhere", dir.fd, ".journal"), 0);
	check_refused();
}

static void test_every_damage_is_noticed(void **state)
{
	bool committed;
	struct err err;
	char *text;
	size_t len;

	(void)state;
	assert_int_equal(commit(&committed, &err), 0);
	text = tmpdir_read(&dir, ".journal");
	len = strlen(text);
	for (size_t i = 0; i + 1 < len; i++) {
		char *copy = mem_strndup(text, len);

		tmpdir_write_slice(&dir, ".journal", slice_make(text, i));
		check_refused();
		copy[i] ^= 1;
		tmpdir_write(&dir, ".journal", copy);
		check_refused();
		free(copy);
	}
	free(text);
}

static void test_journals_that_we_do_not_know(void **state)
{
	static const char *const texts[] = {
		"",
		"{}",
		"[]",
		"{\"digest\":\"0\",\"journal\":{}}",
		"{\"digest\":\"g\",\"journal\":{}}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		tmpdir_write(&dir, ".journal", texts[i]);
		check_refused();
	}
}

/* A journal of this body, with the digest that belongs to it. */
static void write_journal(const char *body)
{
	STR_AUTO text = STR_INIT;

	str_printf(&text, "{\"digest\":\"%" PRIx64 "\",\"journal\":%s}\n", hash64(slice_of(body)),
		   body);
	tmpdir_write(&dir, ".journal", text.ptr);
}

#define BODY(format, at, ops) "{\"format\":" format ",\"at\":" at ",\"ops\":" ops "}"
#define OP(kind, category, rest) "[{\"op\":\"" kind "\",\"category\":\"" category "\"" rest "}]"
#define OP_REST ",\"before\":\"0\",\"at\":1"

/* Whole journals, as another version of the program may leave them behind. */
static void test_bodies_that_we_do_not_know(void **state)
{
	static const char *const bodies[] = {
		"{}",
		"1",
		BODY("0", "1", "[]"),
		BODY("3", "1", "[]"),
		BODY("\"1\"", "1", "[]"),
		BODY("1", "null", "[]"),
		BODY("1", "1", "{}"),
		BODY("1", "1", "[1]"),
		BODY("1", "1", OP("swap", "state", ",\"key\":\"k\"" OP_REST)),
		BODY("1", "1", OP("remove", "moods", ",\"key\":\"k\"" OP_REST)),
		BODY("1", "1", OP("remove", "state", OP_REST)),
		BODY("1", "1", OP("remove", "state", ",\"key\":1" OP_REST)),
		BODY("1", "1", OP("remove", "state", ",\"key\":\"k\",\"at\":1")),
		BODY("1", "1", OP("remove", "state", ",\"key\":\"k\",\"before\":\"0\"")),
		BODY("1", "1", OP("remove", "state", ",\"key\":\"k\",\"before\":\"x\",\"at\":1")),
		BODY("1", "1",
		     OP("remove", "state", ",\"key\":\"k\",\"before\":\"0\",\"at\":\"1\"")),
		BODY("1", "1", OP("put", "state", ",\"key\":\"k\"" OP_REST)),
	};
	struct journal journal;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
		write_journal(bodies[i]);
		assert_int_equal(journal_read(&journal, &disk, &err), -1);
		assert_int_equal(err.code, ERR_BAD_DATA);
		if (!strstr(err.text, "names what this program does not know"))
			fail_msg("%s: %s", bodies[i], err.text);
	}
	write_journal(BODY("1", "1", OP("remove", "state", ",\"key\":\"k\"" OP_REST)));
	assert_int_equal(journal_read(&journal, &disk, &err), 0);
	assert_int_equal(journal.count, 1);
	journal_release(&journal);
	write_journal(BODY("2", "1", OP("remove", "state", ",\"key\":\"k\"" OP_REST)));
	assert_int_equal(journal_read(&journal, &disk, &err), 0);
	assert_int_equal(journal.count, 1);
	journal_release(&journal);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_round_trip),
		TEST(test_order),
		TEST(test_each_call_fails),
		TEST(test_unreadable),
		TEST(test_no_file),
		TEST(test_every_damage_is_noticed),
		TEST(test_journals_that_we_do_not_know),
		TEST(test_bodies_that_we_do_not_know),
	};
	int result = cmocka_run_group_tests(tests, NULL, NULL);

	fake_sys_release();
	return result;
}
