#include "support/confined.h"

#include "base/landlock.h"
#include "store/files/dir_lock.h"
#include "store/open/confine_rules.h"
#include "support/surroundings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

struct confined confined;

/* Of confined_child_and(): the child asks through the first, and is answered through the other. */
static int hands[2][2];

const char *confined_env(const char *name)
{
	if (strcmp(name, "HOME") == 0)
		return confined.home;
	if (strcmp(name, "XDG_DATA_HOME") == 0)
		return confined.data;
	/* The folder of state is in this home. */
	return strcmp(name, "XDG_STATE_HOME") == 0 ? NULL : surroundings_plain(name);
}

static int version(void)
{
	return confined.abi;
}

static bool strikes(void)
{
	errno = E2BIG;
	return ++confined.calls == confined.fail_at;
}

static int create_ruleset(const void *attr, size_t size)
{
	return strikes() ? -1 : sys_real()->landlock_create_ruleset(attr, size);
}

static int add_rule(int fd, int type, const void *attr)
{
	return strikes() ? -1 : sys_real()->landlock_add_rule(fd, type, attr);
}

static int restrict_self(int fd)
{
	return strikes() ? -1 : sys_real()->landlock_restrict_self(fd);
}

const char *confined_path(const char *name)
{
	static char path[4][2 * PATH_MAX];
	static unsigned next;
	char *out = path[next++ % 4];

	snprintf(out, sizeof path[0], "%s/%s", confined.dir.path, name);
	return out;
}

bool confined_possible(void)
{
	bool possible = landlock_abi(sys_real(), NULL) >= LANDLOCK_ABI_MIN;

	if (!possible)
		print_message("skipped: there is no landlock here\n");
	return possible;
}

int confined_set_up(void **state)
{
	(void)state;
	tmpdir_make(&confined.dir);
	assert_int_equal(mkdirat(confined.dir.fd, "home", 0700), 0);
	assert_int_equal(mkdirat(confined.dir.fd, "other", 0700), 0);
	assert_int_equal(mkdirat(confined.dir.fd, "data", 0700), 0);
	assert_int_equal(mkdirat(confined.dir.fd, CONFINED_STORE, 0700), 0);
	snprintf(confined.home, sizeof confined.home, "%s/home", confined.dir.path);
	snprintf(confined.data, sizeof confined.data, "%s/data", confined.dir.path);
	tmpdir_write(&confined.dir, "other/secret.json", CONFINED_SECRET);
	confined.table = *sys_real();
	confined.table.landlock_version = version;
	confined.table.landlock_create_ruleset = create_ruleset;
	confined.table.landlock_add_rule = add_rule;
	confined.table.landlock_restrict_self = restrict_self;
	confined.abi = landlock_abi(sys_real(), NULL);
	confined.calls = 0;
	confined.fail_at = 0;
	return 0;
}

int confined_tear_down(void **state)
{
	(void)state;
	tmpdir_remove(&confined.dir);
	return 0;
}

void confined_child(void (*body)(void))
{
	int status = -1;
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		confined.confine = (struct confine){
			.enter = confine_rules_enter, .sys = &confined.table, .env = confined_env};
		body();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

bool confined_opens(const char *name, int flags)
{
	int fd = open(name[0] == '/' ? name : confined_path(name), flags | O_CLOEXEC | O_NONBLOCK,
		      0600);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

bool confined_closed(const char *name, int flags)
{
	return !confined_opens(name, flags) && errno == EACCES;
}

struct place confined_place(void)
{
	static char path[sizeof confined.dir.path + 32];

	snprintf(path, sizeof path, "%s/" CONFINED_STORE, confined.dir.path);
	return (struct place){.path = path, .kind = PLACE_PERSONAL};
}

int confined_open(struct err *err)
{
	struct place place = confined_place();

	return disk_open_confined(&confined.disk, &confined.table, confined_env, &place,
				  &confined.confine, err);
}

void confined_start(void)
{
	struct err err;

	NEED(confined_open(&err) == 0);
	NEED(confine_is_shut(&confined.confine));
	NEED(!confined.confine.trouble.text[0]);
}

void confined_ask(void)
{
	char byte = 'x';

	NEED(write(hands[0][1], &byte, 1) == 1);
	NEED(read(hands[1][0], &byte, 1) == 1);
}

void confined_child_and(void (*body)(void), void (*meanwhile)(void))
{
	pid_t child;
	int status = -1;
	char byte;

	assert_int_equal(pipe(hands[0]), 0);
	assert_int_equal(pipe(hands[1]), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		confined.confine = (struct confine){
			.enter = confine_rules_enter, .sys = &confined.table, .env = confined_env};
		close(hands[0][0]);
		close(hands[1][1]);
		body();
		_exit(0);
	}
	close(hands[0][1]);
	close(hands[1][0]);
	if (read(hands[0][0], &byte, 1) == 1)
		meanwhile();
	assert_int_equal(write(hands[1][1], "y", 1), 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(hands[0][0]);
	close(hands[1][1]);
}
