#include "base/file.h"
#include "base/file_swap.h"
#include "support/tmpdir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <unistd.h>

static struct tmpdir dir;
static struct sys table;
static struct err err;
static const char *saved; /* what somebody saves right before the rename; NULL: nothing */
static bool without_exchange;
static int fd;

static void put(const char *text)
{
	struct err ignored;

	assert_int_equal(
		file_replace(sys_real(), fd, "n.md", slice_of(text), 0600, 0, NULL, &ignored), 0);
}

static int racing_renameat2(int from_dirfd, const char *from, int to_dirfd, const char *to,
			    unsigned int flags)
{
	if (saved) {
		const char *text = saved;

		saved = NULL;
		put(text);
	}
	if (without_exchange && flags != 0) {
		errno = EINVAL;
		return -1;
	}
	return sys_real()->renameat2(from_dirfd, from, to_dirfd, to, flags);
}

static int set_up(void **unused)
{
	(void)unused;
	tmpdir_make(&dir);
	fd = open(dir.path, O_RDONLY | O_DIRECTORY);
	table = *sys_real();
	table.renameat2 = racing_renameat2;
	saved = NULL;
	without_exchange = false;
	err_clear(&err);
	return 0;
}

static int tear_down(void **unused)
{
	(void)unused;
	close(fd);
	tmpdir_remove(&dir);
	return 0;
}

static int swap_texts(const char *before, const char *after)
{
	return file_swap(&table, fd, "n.md", slice_of(before), slice_of(after), 0600, FILE_DURABLE,
			 &err);
}

/* The text of the file, which is all that the folder has; NULL for an empty folder. */
static void assert_text(const char *wanted)
{
	STR_AUTO text = STR_INIT;
	struct file_id id;
	size_t count = 0;
	DIR *names = fdopendir(dup(fd));

	rewinddir(names);
	for (const struct dirent *entry = readdir(names); entry; entry = readdir(names))
		count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	closedir(names);
	assert_int_equal(file_read(sys_real(), fd, "n.md", 1000, &text, &id, &err), 0);
	assert_int_equal(count, wanted ? 1 : 0);
	assert_string_equal(text.ptr, wanted ? wanted : "");
}

static void test_replaces_what_was_looked_at(void **unused)
{
	(void)unused;
	assert_int_equal(swap_texts(NULL, "one"), 0);
	assert_text("one");
	assert_int_equal(swap_texts("one", "two"), 0);
	assert_text("two");
	assert_int_equal(swap_texts("one", "three"), -1);
	assert_int_equal(err.code, ERR_BUSY);
	assert_int_equal(swap_texts(NULL, "three"), -1);
	assert_int_equal(swap_texts("one", NULL), -1);
	assert_text("two");
	assert_int_equal(swap_texts("two", NULL), 0);
	assert_text(NULL);
}

static void test_keeps_what_is_saved_meanwhile(void **unused)
{
	static const struct {
		const char *before;
		const char *after;
	} cases[] = {{"one", "two"}, {"one", NULL}, {NULL, "two"}};

	(void)unused;
	for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
		const char *before = cases[i / 2].before;

		unlinkat(fd, "n.md", 0);
		if (before)
			put(before);
		saved = "mine, by hand";
		err_clear(&err);
		assert_int_equal(swap_texts(before, cases[i / 2].after), -1);
		assert_int_equal(err.code, ERR_BUSY);
		assert_text("mine, by hand");
	}
}

static void test_without_an_exchange(void **unused)
{
	(void)unused;
	without_exchange = true;
	put("one");
	assert_int_equal(swap_texts("one", "two"), 0);
	assert_text("two");
	saved = "mine, by hand";
	assert_int_equal(swap_texts("two", "three"), -1);
	assert_text("mine, by hand");
	assert_int_equal(swap_texts("mine, by hand", NULL), 0);
	assert_text(NULL);
	assert_int_equal(swap_texts(NULL, "new"), 0);
	assert_text("new");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_replaces_what_was_looked_at, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_keeps_what_is_saved_meanwhile, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_without_an_exchange, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
