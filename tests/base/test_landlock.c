#include "base/landlock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* As the kernel lays them out. */
struct ruleset {
	uint64_t files;
	uint64_t net;
	uint64_t scoped;
};

struct rule {
	uint64_t allowed;
	int32_t fd;
} __attribute__((packed));

static struct {
	int version;
	int error; /* of the call `failing` */
	enum { NONE, CREATE, ADD, RESTRICT } failing;
	struct ruleset set;
	struct rule rule;
	int enforced;
} seen;

static int fails(void)
{
	errno = seen.error;
	return -1;
}

static int version(void)
{
	return seen.version < 0 ? fails() : seen.version;
}

static int create_ruleset(const void *attr, size_t size)
{
	if (seen.failing == CREATE)
		return fails();
	assert_int_equal(size, sizeof seen.set);
	memcpy(&seen.set, attr, sizeof seen.set);
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static int add_rule(int fd, int type, const void *attr)
{
	struct stat st;

	if (seen.failing == ADD)
		return fails();
	assert_true(fd >= 0);
	assert_int_equal(type, 1);
	memcpy(&seen.rule, attr, sizeof seen.rule);
	/* As the kernel: a rule for a file must not be about folders. */
	assert_int_equal(fstat(seen.rule.fd, &st), 0);
	if (!S_ISDIR(st.st_mode) && (seen.rule.allowed & 0x3ff8)) {
		errno = EINVAL;
		return -1;
	}
	return 0;
}

static int restrict_self(int fd)
{
	if (seen.failing == RESTRICT)
		return fails();
	assert_true(fd >= 0);
	seen.enforced++;
	return 0;
}

static struct sys table;

static int set_up(void **state)
{
	(void)state;
	memset(&seen, 0, sizeof seen);
	table = *sys_real();
	table.landlock_version = version;
	table.landlock_create_ruleset = create_ruleset;
	table.landlock_add_rule = add_rule;
	table.landlock_restrict_self = restrict_self;
	return 0;
}

static void test_version(void **state)
{
	int number = -1;

	(void)state;
	seen.version = 4;
	assert_int_equal(landlock_abi(&table, &number), 4);
	assert_int_equal(number, 0);
	seen.version = -1;
	seen.error = EOPNOTSUPP;
	assert_int_equal(landlock_abi(&table, &number), 0);
	assert_int_equal(number, EOPNOTSUPP);
	assert_int_equal(landlock_abi(&table, NULL), 0);
}

/* A right that the kernel does not know would make it refuse all of them. */
static void test_what_each_version_knows(void **state)
{
	static const struct {
		int abi;
		struct ruleset set;
	} rows[] = {
		{2, {0x3fff, 0, 0}}, {3, {0x7fff, 0, 0}}, {4, {0x7fff, 3, 0}},
		{5, {0xffff, 3, 0}}, {6, {0xffff, 3, 3}}, {9, {0xffff, 3, 3}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct landlock rules;
		struct err err;

		assert_int_equal(landlock_begin(&rules, &table, rows[i].abi, &err), 0);
		assert_int_equal(seen.set.files, rows[i].set.files);
		assert_int_equal(seen.set.net, rows[i].set.net);
		assert_int_equal(seen.set.scoped, rows[i].set.scoped);
		landlock_release(&rules);
		assert_int_equal(rules.fd, -1);
	}
}

static uint64_t allowed(int abi, const char *path, enum landlock_rights rights)
{
	int fd = open(path, O_PATH | O_CLOEXEC);
	struct landlock rules;
	struct err err;

	assert_true(fd >= 0);
	assert_int_equal(landlock_begin(&rules, &table, abi, &err), 0);
	assert_int_equal(landlock_allow(&rules, fd, rights, &err), 0);
	assert_int_equal(seen.rule.fd, fd);
	landlock_release(&rules);
	close(fd);
	return seen.rule.allowed;
}

static void test_rights(void **state)
{
	(void)state;
	assert_int_equal(allowed(6, "/", LANDLOCK_READ), 0x000c);
	assert_int_equal(allowed(6, "/", LANDLOCK_CHANGE), 0x412e);
	assert_int_equal(allowed(6, "/", LANDLOCK_ALL), 0x7ffe);
	/* To start a program is none of them. */
	assert_int_equal(allowed(6, "/", LANDLOCK_ALL) & 0x0001, 0);
	/* The kernel refuses a rule for a file with rights of folders, or with one it does not
	 * know. */
	assert_int_equal(allowed(6, "/dev/null", LANDLOCK_READ), 0x0004);
	assert_int_equal(allowed(6, "/dev/null", LANDLOCK_CHANGE), 0x4006);
	assert_int_equal(allowed(2, "/dev/null", LANDLOCK_CHANGE), 0x0006);
}

static void test_enforce(void **state)
{
	struct landlock rules;
	struct err err;

	(void)state;
	assert_int_equal(landlock_begin(&rules, &table, 6, &err), 0);
	assert_int_equal(seen.enforced, 0);
	assert_int_equal(landlock_enforce(&rules, &err), 0);
	assert_int_equal(seen.enforced, 1);
	landlock_release(&rules);
}

static void test_failures(void **state)
{
	struct landlock rules;
	struct err err;

	(void)state;
	seen.error = E2BIG;
	seen.failing = CREATE;
	assert_int_equal(landlock_begin(&rules, &table, 6, &err), -1);
	assert_int_equal(err.code, ERR_IO);
	seen.failing = NONE;
	assert_int_equal(landlock_begin(&rules, &table, 6, &err), 0);
	seen.failing = ADD;
	assert_int_equal(landlock_allow(&rules, rules.fd, LANDLOCK_READ, &err), -1);
	seen.failing = RESTRICT;
	assert_int_equal(landlock_enforce(&rules, &err), -1);
	assert_non_null(strstr(err.text, "cannot apply the landlock rules"));
	assert_int_equal(seen.enforced, 0);
	landlock_release(&rules);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_version, set_up),
		cmocka_unit_test_setup(test_what_each_version_knows, set_up),
		cmocka_unit_test_setup(test_rights, set_up),
		cmocka_unit_test_setup(test_enforce, set_up),
		cmocka_unit_test_setup(test_failures, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
