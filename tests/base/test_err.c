#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

static void test_set(void **unused)
{
	struct err err;

	(void)unused;
	assert_int_equal(err_set(&err, ERR_NOT_FOUND, "no entry %s:%d", "a", 5), -1);
	assert_int_equal(err.code, ERR_NOT_FOUND);
	assert_string_equal(err.text, "no entry a:5");
	err_clear(&err);
	assert_int_equal(err.code, ERR_NONE);
	assert_string_equal(err.text, "");
}

static void test_errno(void **unused)
{
	struct err err;

	(void)unused;
	assert_int_equal(err_set_errno(&err, ERR_IO, ENOENT, "cannot open %s", "x"), -1);
	assert_int_equal(err.code, ERR_IO);
	assert_string_equal(err.text, "cannot open x: No such file or directory");
}

static void test_prefix(void **unused)
{
	struct err err;

	(void)unused;
	err_set(&err, ERR_BAD_DATA, "a comma is missing");
	assert_int_equal(err_prefix(&err, "%s:%d", "state.json", 3), -1);
	assert_int_equal(err.code, ERR_BAD_DATA);
	assert_string_equal(err.text, "state.json:3: a comma is missing");
}

/* Fills err->text up to its last byte, minus room, with the tail at the end. */
static void fill(struct err *err, size_t room, const char *tail)
{
	int width = (int)(ERR_TEXT_MAX - 1 - room);

	err_set(err, ERR_IO, "%*s%s", width, "", tail);
}

static void test_cut_at_character(void **unused)
{
	static const char *const tails[] = {"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
	struct err err;

	(void)unused;
	for (size_t i = 0; i < 3; i++) {
		size_t len = strlen(tails[i]);

		fill(&err, len, tails[i]);
		assert_int_equal(strlen(err.text), ERR_TEXT_MAX - 1);
		for (size_t room = 0; room < len; room++) {
			fill(&err, room, tails[i]);
			assert_int_equal(strlen(err.text), ERR_TEXT_MAX - 1 - room);
		}
	}
}

static void test_cut_with_additions(void **unused)
{
	struct err err;

	(void)unused;
	fill(&err, 0, "");
	assert_int_equal(err_prefix(&err, "\xc3\xa9"), -1);
	assert_int_equal(strlen(err.text), ERR_TEXT_MAX - 1);
	assert_memory_equal(err.text, "\xc3\xa9: ", 4);
	err_set_errno(&err, ERR_IO, EIO, "%*s", 5000, "x");
	assert_int_equal(strlen(err.text), ERR_TEXT_MAX - 1);
	/* A text of stray bytes alone must not make the cut run out of it. */
	char stray[2 * ERR_TEXT_MAX];
	memset(stray, 0x80, sizeof stray - 1);
	stray[sizeof stray - 1] = '\0';
	err_set(&err, ERR_IO, "%s", stray);
	assert_true(strlen(err.text) < ERR_TEXT_MAX);
}

static void test_codes(void **unused)
{
	(void)unused;
	assert_string_equal(err_slug(ERR_NONE), "none");
	assert_int_equal(err_exit_status(ERR_NONE), 0);
	assert_string_equal(err_slug(ERR_NOT_FOUND), "not_found");
	assert_int_equal(err_exit_status(ERR_NOT_FOUND), 1);
	assert_int_equal(err_exit_status(ERR_USAGE), 2);
	assert_int_equal(err_exit_status(ERR_BAD_FORMAT), 65);
	assert_int_equal(err_exit_status(ERR_IO), 74);
	assert_string_equal(err_slug(ERR_BUSY), "busy");
	assert_int_equal(err_exit_status(ERR_BUSY), 75);
}

static void test_code_of_write(void **unused)
{
	static const int refusals[] = {ENOSPC, EDQUOT, EACCES, EPERM, EROFS};
	static const int others[] = {EIO, ENAMETOOLONG, ELOOP, ENOENT, ENOTDIR, EMFILE, ENOMEM};

	(void)unused;
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
		assert_int_equal(err_code_of_write(refusals[i]), ERR_CANNOT_WRITE);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_int_equal(err_code_of_write(others[i]), ERR_IO);
}

static void test_in_folder(void **unused)
{
	struct err err;

	(void)unused;
	err_set(&err, ERR_BUSY, "cannot open %s: try %s again", "a.json", "a.json");
	assert_int_equal(err_in_folder(&err, "/x/y", "a.json"), -1);
	assert_int_equal(err.code, ERR_BUSY);
	assert_string_equal(err.text, "cannot open /x/y/a.json: try a.json again");
	err_set(&err, ERR_IO, "no memory");
	err_in_folder(&err, "/x", "a.json");
	assert_string_equal(err.text, "/x: no memory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set),
		cmocka_unit_test(test_errno),
		cmocka_unit_test(test_prefix),
		cmocka_unit_test(test_cut_at_character),
		cmocka_unit_test(test_cut_with_additions),
		cmocka_unit_test(test_codes),
		cmocka_unit_test(test_code_of_write),
		cmocka_unit_test(test_in_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
