#include "git/write/pack_writer.h"

#include "git/gitrepo.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TEXTS_MAX 300

/* Texts that were added, by their ids. */
struct added {
	struct object_id ids[TEXTS_MAX];
	struct str texts[TEXTS_MAX];
	size_t count;
};

static void add(struct gitrepo *r, struct pack_writer *writer, struct added *added,
		struct slice text)
{
	struct object_id *id = &added->ids[added->count];
	struct str *copy = &added->texts[added->count++];
	struct err err;

	str_init(copy);
	str_add(copy, text);
	assert_int_equal(repo_blob_id(r->repo, text, id, &err), 0);
	assert_int_equal(pack_writer_add(writer, GIT_OBJECT_BLOB, id, text, &err), 0);
	assert_true(pack_writer_has(writer, id));
}

/* git itself judges the pack, and another process reads what is in it. */
static void finish_and_check(struct gitrepo *r, struct pack_writer *writer, struct added *added)
{
	STR_AUTO command = STR_INIT;
	STR_AUTO name = STR_INIT;
	struct repo *other;
	struct err err;

	if (pack_writer_finish(writer, &name, &err) != 0)
		fail_msg("%s", err.text);
	pack_writer_free(writer);
	str_printf(&command, "git verify-pack %s/.git/objects/pack/%s.idx", r->dir.path, name.ptr);
	if (system("command -v git >/dev/null") == 0)
		assert_int_equal(system(command.ptr), 0);
	assert_int_equal(repo_open(&other, sys_real(), r->dir.path, &err), 0);
	for (size_t i = 0; i < added->count; i++) {
		STR_AUTO text = STR_INIT;

		assert_int_equal(repo_blob_read(other, &added->ids[i], &text, &err), 0);
		assert_true(slice_equal(str_slice(&text), str_slice(&added->texts[i])));
		str_release(&added->texts[i]);
	}
	repo_close(other);
}

static struct pack_writer *begin(struct gitrepo *r)
{
	struct pack_writer *writer;
	struct err err;

	if (pack_writer_open(&writer, r->repo, &err) != 0)
		fail_msg("%s", err.text);
	return writer;
}

/* More than a chain of differences is deep, each with a change at another place. */
static void versions_of_a_text(void **state)
{
	struct gitrepo *r = *state;
	struct pack_writer *writer = begin(r);
	struct added added = {.count = 0};
	STR_AUTO text = STR_INIT;

	for (int i = 0; i < 200; i++)
		str_printf(&text, "line %d of a text\n", i);
	for (int i = 0; i < 200; i++) {
		text.ptr[(size_t)i * 37 % text.len] = (char)('A' + i % 26);
		if (i % 3 == 0)
			str_adds(&text, "longer\n");
		add(r, writer, &added, str_slice(&text));
		add(r, writer, &added, slice_of("the same every time"));
		added.count--;
		str_release(&added.texts[added.count]);
	}
	finish_and_check(r, writer, &added);
}

/* Empty, with zeroes, longer than a part of a stream, and than what is copied at once. */
static void texts_of_many_lengths(void **state)
{
	static const size_t lengths[] = {0,     1,      15,     16,     127,    128,
					 65534, 65535,  65536,  65537,  131070, 200000,
					 70000, 140000, 300000, 1000000};
	struct gitrepo *r = *state;
	struct pack_writer *writer = begin(r);
	struct added added = {.count = 0};

	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		STR_AUTO text = STR_INIT;

		for (size_t at = 0; at < lengths[i]; at++)
			str_addc(&text, (char)(at * at >> 7));
		add(r, writer, &added, str_slice(&text));
		str_adds(&text, "end");
		add(r, writer, &added, str_slice(&text));
	}
	finish_and_check(r, writer, &added);
}

/* Of a pack of one text of 5,000 bytes in 200 versions little more than one is written. */
static void versions_take_little_room(void **state)
{
	struct gitrepo *r = *state;
	struct pack_writer *writer = begin(r);
	struct added added = {.count = 0};
	STR_AUTO path = STR_INIT;
	STR_AUTO text = STR_INIT;
	STR_AUTO name = STR_INIT;
	struct stat st;
	struct err err;

	for (int i = 0; text.len < 5000; i++)
		str_printf(&text, "%d ", i * 7919);
	for (int i = 0; i < 200; i++) {
		snprintf(text.ptr + 2000, 8, "v%06d", i);
		text.ptr[2007] = ' ';
		add(r, writer, &added, str_slice(&text));
		str_release(&added.texts[i]);
	}
	assert_int_equal(pack_writer_finish(writer, &name, &err), 0);
	pack_writer_free(writer);
	str_printf(&path, ".git/objects/pack/%s.pack", name.ptr);
	assert_int_equal(fstatat(r->dir.fd, path.ptr, &st, 0), 0);
	assert_in_range(st.st_size, 1, 5000 * 4 + 200 * 60);
}

static void without_objects_there_is_no_pack(void **state)
{
	struct gitrepo *r = *state;
	struct pack_writer *writer = begin(r);
	STR_AUTO name = STR_INIT;
	struct err err;

	assert_int_equal(pack_writer_finish(writer, &name, &err), 0);
	assert_int_equal(name.len, 0);
	pack_writer_free(writer);
	assert_int_equal(faccessat(r->dir.fd, ".git/objects/pack/tmp_git2_kota", F_OK, 0), -1);
}

/* What a killed process left is replaced; what is not finished leaves nothing. */
static void what_was_left_is_replaced(void **state)
{
	struct gitrepo *r = *state;
	struct added added = {.count = 0};
	struct pack_writer *writer;

	tmpdir_write(&r->dir, ".git/objects/pack/tmp_git2_kota", "half");
	writer = begin(r);
	add(r, writer, &added, slice_of("text"));
	finish_and_check(r, writer, &added);
	writer = begin(r);
	pack_writer_free(writer);
	assert_int_equal(faccessat(r->dir.fd, ".git/objects/pack/tmp_git2_kota", F_OK, 0), -1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, gitrepo_set_up, gitrepo_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(versions_of_a_text),        TEST(texts_of_many_lengths),
		TEST(versions_take_little_room), TEST(without_objects_there_is_no_pack),
		TEST(what_was_left_is_replaced),
	};

	return cmocka_run_group_tests_name("pack_writer", tests, NULL, NULL);
}
