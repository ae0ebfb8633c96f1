/* What a confined process can still do, in children: what is given up does not come back. */
#include "support/confined.h"

#include "base/mem.h"
#include "store/files/dir.h"
#include "store/files/dir_lock.h"
#include "store/files/resolve.h"
#include "store/open/confine_rules.h"
#include "store/open/store.h"
#include "store/trust/state_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- what is closed and what is open */

static void reach_outside(void)
{
	NEED(confined_opens("other/secret.json", O_RDONLY));
	confined_start();
	NEED(confined_closed("other/secret.json", O_RDONLY));
	NEED(confined_closed("other/secret.json", O_WRONLY));
	NEED(confined_closed("other/new", O_WRONLY | O_CREAT));
	NEED(confined_closed("data", O_RDONLY));
	NEED(confined_closed("home", O_RDONLY));
	NEED(confined_closed("/", O_RDONLY));
	NEED(unlink(confined_path("other/secret.json")) != 0 && errno == EACCES);
	NEED(rename(confined_path("other/secret.json"), confined_path(CONFINED_STORE "/s")) != 0);
	NEED(link(confined_path("other/secret.json"), confined_path(CONFINED_STORE "/s")) != 0);
	NEED(mkdir(confined_path("other/folder"), 0700) != 0 && errno == EACCES);
	/* A link leads where it leads, and not further. */
	NEED(symlink("../../other/secret.json", confined_path(CONFINED_STORE "/link")) == 0);
	NEED(confined_closed(CONFINED_STORE "/link", O_RDONLY));
}

static void test_outside_is_closed(void **state)
{
	char *text;

	(void)state;
	confined_child(reach_outside);
	text = tmpdir_read(&confined.dir, "other/secret.json");
	assert_string_equal(text, CONFINED_SECRET);
	free(text);
}

static void work_inside(void)
{
	confined_start();
	NEED(confined_opens(CONFINED_STORE, O_RDONLY));
	NEED(confined_opens(CONFINED_STORE "/a", O_RDWR | O_CREAT));
	NEED(truncate(confined_path(CONFINED_STORE "/a"), 10) == 0);
	NEED(mkdir(confined_path(CONFINED_STORE "/notes"), 0700) == 0);
	/* Into another folder: this is what takes the second version. */
	NEED(rename(confined_path(CONFINED_STORE "/a"), confined_path(CONFINED_STORE "/notes/b")) ==
	     0);
	NEED(symlink("b", confined_path(CONFINED_STORE "/notes/c")) == 0);
	NEED(unlink(confined_path(CONFINED_STORE "/notes/c")) == 0);
	NEED(unlink(confined_path(CONFINED_STORE "/notes/b")) == 0);
	NEED(rmdir(confined_path(CONFINED_STORE "/notes")) == 0);
	NEED(confined_opens("/etc/passwd", O_RDONLY));
	NEED(confined_opens("/proc/self/status", O_RDONLY));
	NEED(confined_opens("/proc/sys/kernel/random/boot_id", O_RDONLY));
	NEED(confined_opens("/dev/null", O_RDONLY));
	NEED(confined_opens("/usr/share/zoneinfo", O_RDONLY) || errno == ENOENT);
	NEED(confined_closed("/etc/passwd", O_WRONLY | O_APPEND));
	/* What is in the place of a file of the store may have to be given another name. */
	NEED(mkfifo(confined_path(CONFINED_STORE "/fifo"), 0600) == 0);
	NEED(unlink(confined_path(CONFINED_STORE "/fifo")) == 0);
}

static void test_the_store_is_open(void **state)
{
	(void)state;
	confined_child(work_inside);
}

static void reach_others(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(9)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int version_of_kernel = confined.abi;

	confined_start();
	execl("/bin/true", "true", (char *)NULL);
	NEED(errno == EACCES);
	if (fd >= 0 && version_of_kernel >= 4) {
		at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		NEED(connect(fd, (struct sockaddr *)&at, sizeof at) != 0 && errno == EACCES);
		NEED(bind(fd, (struct sockaddr *)&at, sizeof at) != 0 && errno == EACCES);
	}
	if (version_of_kernel >= 6)
		NEED(kill(getppid(), 0) != 0 && errno == EPERM);
	NEED(kill(getpid(), 0) == 0);
}

static void test_nothing_is_started_or_called(void **state)
{
	(void)state;
	confined_child(reach_others);
}

/* ---- folders that lie elsewhere */

static void use_what_was_there(void)
{
	struct path path;
	struct err err;
	int fd = -1;

	confined_start();
	NEED(confined_opens("other/secret.json", O_RDWR));
	NEED(confined_opens("other/new", O_WRONLY | O_CREAT));
	NEED(rename(confined_path("other/new"), confined_path("other/newer")) == 0);
	NEED(unlink(confined_path("other/newer")) == 0);
	/* Files are replaced there, and no folders made. */
	NEED(mkdir(confined_path("other/folder"), 0700) != 0 && errno == EACCES);
	NEED(path_open(&path, &confined.disk, "preferences.json", &err) == 0);
	NEED(path.linked);
	path_release(&path);
	NEED(confined_opens("home/vault/note.md", O_RDWR));
	NEED(confined_opens("home/.config/kota-memory/config.json", O_RDONLY));
	NEED(confined_closed("home/.config/kota-memory/config.json", O_RDWR));
	NEED(confined_closed("home", O_RDONLY));
	NEED(confined_opens("home/.gitconfig", O_RDONLY));
	NEED(confined_closed("home/.gitconfig", O_RDWR));
	NEED(state_folder_open(&confined.table, confined_env, NULL, true, &fd, &err) == 0 &&
	     fd >= 0);
	NEED(confined_opens("home/.local/state/kota-memory/hook", O_WRONLY | O_CREAT));
	NEED(confined_closed("home/.local/state/other", O_WRONLY | O_CREAT));
}

static void make_home(void)
{
	STR_AUTO text = STR_INIT;

	assert_int_equal(mkdirat(confined.dir.fd, "home/.config", 0700), 0);
	assert_int_equal(mkdirat(confined.dir.fd, "home/.config/kota-memory", 0700), 0);
	assert_int_equal(mkdirat(confined.dir.fd, "home/vault", 0700), 0);
	tmpdir_write(&confined.dir, "home/vault/note.md", "# a\n");
	tmpdir_write(&confined.dir, "home/.gitconfig", "[user]\n");
	str_printf(&text, "{\"notes_dir\": \"%s/vault\"}", confined.home);
	tmpdir_write(&confined.dir, "home/.config/kota-memory/config.json", text.ptr);
}

static void test_folders_that_are_known(void **state)
{
	(void)state;
	make_home();
	assert_int_equal(symlinkat("../../other/secret.json", confined.dir.fd,
				   CONFINED_STORE "/preferences.json"),
			 0);
	confined_child(use_what_was_there);
	assert_true(tmpdir_has(&confined.dir, "home/.local/state/kota-memory"));
}

/* ---- where it cannot be done */

/* The control of all the above: with no rules the same link is gone after, and the file read. */
static void go_without(void)
{
	struct err err;

	NEED(confined_open(&err) == 0);
	NEED(!confine_is_shut(&confined.confine));
	NEED(!confined.confine.trouble.text[0]);
	NEED(symlink("../../other/secret.json", confined_path(CONFINED_STORE "/link")) == 0);
	NEED(confined_opens(CONFINED_STORE "/link", O_RDWR));
	NEED(confined_opens("other/secret.json", O_RDWR));
	NEED(confined_opens("other/new", O_WRONLY | O_CREAT));
}

static void test_a_kernel_without(void **state)
{
	(void)state;
	confined.abi = 0;
	confined_child(go_without);
	unlinkat(confined.dir.fd, CONFINED_STORE "/link", 0);
	confined.abi = 1;
	confined_child(go_without);
}

static bool more; /* calls that have not failed yet */

static void fail_once(void)
{
	struct place place = confined_place();
	struct store *store;
	const char *const *notices;
	struct err err;
	size_t count;

	NEED(store_open_confined(&store, &confined.table, confined_env, &place, &confined.confine,
				 &err) == 0);
	if (confined.calls < confined.fail_at)
		_exit(2);
	NEED(!confine_is_shut(&confined.confine));
	NEED(confined.confine.trouble.text[0]);
	NEED(confined_opens("other/secret.json", O_RDONLY));
	/* It is served all the same, and its person told. */
	NEED(store_refresh(store, confined.table.now_ms(), &err) == 0);
	notices = store_notices(store, &count);
	NEED(count == 1 && strstr(notices[0], "is not confined to its files"));
	store_close(store);
}

static void test_each_call_fails(void **state)
{
	(void)state;
	more = true;
	for (confined.fail_at = 1; more; confined.fail_at++) {
		int status = -1;
		pid_t child = fork();

		assert_true(child >= 0);
		if (child == 0) {
			confined.confine = (struct confine){.enter = confine_rules_enter,
							    .sys = &confined.table,
							    .env = confined_env};
			fail_once();
			_exit(0);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		more = status == 0;
		if (!more)
			assert_int_equal(WEXITSTATUS(status), 2);
	}
	assert_true(confined.fail_at > 5);
}

static void do_nothing(void)
{
	struct place place = {.path = mem_strdup(confined_path("other")), .kind = PLACE_NAMED};
	struct disk disk;
	struct err err;

	NEED(!confine_is_shut(NULL));
	/* Once is enough, and a second store does not widen it. */
	confined_start();
	NEED(disk_open_confined(&disk, &confined.table, confined_env, &place, &confined.confine,
				&err) != 0);
	NEED(confined_closed("other/secret.json", O_RDONLY));
	free(place.path);
}

static void test_nobody_and_once(void **state)
{
	(void)state;
	confined_child(do_nothing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_outside_is_closed, confined_set_up,
						confined_tear_down),
		cmocka_unit_test_setup_teardown(test_the_store_is_open, confined_set_up,
						confined_tear_down),
		cmocka_unit_test_setup_teardown(test_nothing_is_started_or_called, confined_set_up,
						confined_tear_down),
		cmocka_unit_test_setup_teardown(test_folders_that_are_known, confined_set_up,
						confined_tear_down),
		cmocka_unit_test_setup_teardown(test_a_kernel_without, confined_set_up,
						confined_tear_down),
		cmocka_unit_test_setup_teardown(test_each_call_fails, confined_set_up,
						confined_tear_down),
		cmocka_unit_test_setup_teardown(test_nobody_and_once, confined_set_up,
						confined_tear_down),
	};

	if (!confined_possible())
		return CONFINED_SKIPPED;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
