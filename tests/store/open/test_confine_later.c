/* What comes after a process was confined, or makes it confine itself later. */
#include "support/confined.h"

#include "model/settings.h"
#include "store/files/dir.h"
#include "store/files/dir_lock.h"
#include "store/files/resolve.h"
#include "store/files/settings_files.h"
#include "store/open/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

static void meet_what_came_later(void)
{
	struct settings settings;
	struct path path;
	struct err err;
	char *config = place_own_path(PLACE_OWN_CONFIG, confined_env);

	confined_start();
	NEED(symlink("../../other/secret.json",
		     confined_path(CONFINED_STORE "/preferences.json")) == 0);
	NEED(path_open(&path, &confined.disk, "preferences.json", &err) != 0);
	NEED(strstr(err.text, "preferences.json is a link"));
	NEED(!strstr(err.text, "confidential"));
	NEED(settings_load(&settings, &confined.table, confined_env, config, NULL, &err) == 0);
	free(config);
}

static void test_a_link_that_comes_later(void **state)
{
	(void)state;
	confined_child(meet_what_came_later);
}

static void make_settings(void)
{
	assert_int_equal(mkdirat(confined.dir.fd, "home/.config", 0700), 0);
	assert_int_equal(mkdirat(confined.dir.fd, "home/.config/kota-memory", 0700), 0);
	tmpdir_write(&confined.dir, "home/.config/kota-memory/config.json", "{}");
}

static void read_settings(void)
{
	struct settings settings;
	struct err err;
	char *config = place_own_path(PLACE_OWN_CONFIG, confined_env);

	confined_start();
	NEED(settings_load(&settings, &confined.table, confined_env, config, NULL, &err) == 0);
	confined_ask();
	NEED(settings_load(&settings, &confined.table, confined_env, config, NULL, &err) != 0);
	NEED(strstr(err.text, "config.json is not among the files"));
	NEED(strstr(err.text, "start the server again"));
	free(config);
}

static void test_settings_that_come_later(void **state)
{
	(void)state;
	confined_child_and(read_settings, make_settings);
}

/* ---- a store that is made or replaced */

static void replace_store(void)
{
	assert_int_equal(renameat(confined.dir.fd, CONFINED_STORE, confined.dir.fd, "data/away"),
			 0);
	assert_int_equal(mkdirat(confined.dir.fd, CONFINED_STORE, 0700), 0);
}

static void serve_replaced(void)
{
	struct err err;

	confined_start();
	NEED(disk_create(&confined.disk, &err) == 0);
	confined_ask();
	NEED(disk_reopen(&confined.disk, &err) != 0);
	NEED(err.code == ERR_CANNOT_WRITE);
	NEED(strstr(err.text, "was replaced"));
	NEED(strstr(err.text, "start the server again"));
	/* Who opens it for the first time is told the same. */
	NEED(confined_open(&err) != 0);
	NEED(strstr(err.text, "start the server again"));
}

static void test_a_store_that_is_replaced(void **state)
{
	(void)state;
	confined_child_and(serve_replaced, replace_store);
}

static void remove_store(void)
{
	assert_int_equal(renameat(confined.dir.fd, CONFINED_STORE, confined.dir.fd, "data/away"),
			 0);
}

static void serve_removed(void)
{
	struct err err;

	confined_start();
	confined_ask();
	NEED(!disk_exists(&confined.disk));
	NEED(disk_create(&confined.disk, &err) != 0);
	NEED(strstr(err.text, "start the server again"));
}

static void test_a_store_that_is_removed(void **state)
{
	(void)state;
	confined_child_and(serve_removed, remove_store);
}

static void make_store(void)
{
	struct place place = confined_place();
	struct store *store;
	struct err err;

	NEED(rmdir(confined_path(CONFINED_STORE)) == 0);
	NEED(store_open_confined(&store, &confined.table, confined_env, &place, &confined.confine,
				 &err) == 0);
	NEED(!confine_is_shut(&confined.confine));
	NEED(store_refresh(store, confined.table.now_ms(), &err) == 0);
	NEED(confined_opens("other/secret.json", O_RDONLY));
	NEED(disk_create(store_disk(store), &err) == 0);
	NEED(confine_is_shut(&confined.confine));
	NEED(confined_closed("other/secret.json", O_RDONLY));
	NEED(confined_opens(CONFINED_STORE "/.kota", O_RDONLY));
	store_close(store);
}

static void make_repository(void)
{
	assert_int_equal(mkdirat(confined.dir.fd, ".git", 0700), 0);
	tmpdir_write(&confined.dir, ".git/HEAD", "ref: refs/heads/main\n");
	assert_int_equal(mkdirat(confined.dir.fd, "home/.local/state/kota-memory/x", 0700), 0);
	tmpdir_write(&confined.dir, "home/.local/state/kota-memory/stores.json", "{}");
}

/* Where it comes from is asked again when the list of own stores has changed. */
static void serve_surrounded(void)
{
	struct err err;

	confined_start();
	NEED(disk_reopen(&confined.disk, &err) == 0);
	confined_ask();
	NEED(disk_reopen(&confined.disk, &err) != 0);
	NEED(strstr(err.text, "the repository around"));
	NEED(strstr(err.text, "start the server again"));
}

static void test_a_repository_that_comes_later(void **state)
{
	(void)state;
	confined.data[0] = '\0'; /* the person's own place belongs to no repository */
	confined_child_and(serve_surrounded, make_repository);
}

static void test_a_store_that_is_made(void **state)
{
	(void)state;
	confined_child(make_store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_link_that_comes_later, confined_set_up,
						confined_tear_down),
		cmocka_unit_test_setup_teardown(test_settings_that_come_later, confined_set_up,
						confined_tear_down),
		cmocka_unit_test_setup_teardown(test_a_store_that_is_replaced, confined_set_up,
						confined_tear_down),
		cmocka_unit_test_setup_teardown(test_a_store_that_is_removed, confined_set_up,
						confined_tear_down),
		cmocka_unit_test_setup_teardown(test_a_repository_that_comes_later, confined_set_up,
						confined_tear_down),
		cmocka_unit_test_setup_teardown(test_a_store_that_is_made, confined_set_up,
						confined_tear_down),
	};

	if (!confined_possible())
		return CONFINED_SKIPPED;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
