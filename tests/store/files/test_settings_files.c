#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "store/files/settings_files.h"

#include "store/files/dir_lock.h"
#include "support/environ.h"
#include "support/fake_sys.h"
#include "support/tmpdir.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* As the store itself loads them, of an own store. */
static int load_of(struct settings *settings, const char *personal, const char *path,
		   struct err *err)
{
	struct disk disk;
	int result;

	if (!path)
		return settings_load(settings, fake_sys(), environ_look_up, personal, NULL, err);
	assert_int_equal(disk_open(&disk, sys_real(), path, err), 0);
	disk.sys = fake_sys();
	disk.origin.kind = ORIGIN_OWN;
	disk.origin.tracked = false;
	result = settings_load(settings, fake_sys(), environ_look_up, personal, &disk, err);
	disk_close(&disk);
	return result;
}

static void load(struct settings *settings)
{
	struct err err;

	if (load_of(settings, "person.json", "P", &err) != 0)
		fail_msg("%s", err.text);
}

static void layers_from_the_weakest_to_the_strongest(void **state)
{
	static const char *const limits[] = {
		"KOTA_MEMORY_LIMITS_EXPIRY_DAYS=30",
		"KOTA_MEMORY_LIMITS_TOTAL_BYTES=", "KOTA_MEMORY_DIR=/elsewhere", NULL};
	const struct tmpdir *dir = *state;
	struct settings settings;
	struct err err;

	load(&settings);
	assert_int_equal(settings.expiry_days, 90);
	tmpdir_write(dir, "person.json",
		     "{\"git\": \"off\", \"limits\": {\"expiry_days\": 10, \"entry_bytes\": 11}}");
	load(&settings);
	assert_int_equal(settings.expiry_days, 10);
	assert_int_equal(settings.git, GIT_MODE_OFF);
	tmpdir_write(dir, "P/config.json",
		     "{\"limits\": {\"expiry_days\": 20, "
		     "\"total_bytes\": 21}}");
	load(&settings);
	assert_int_equal(settings.expiry_days, 20);
	assert_int_equal(settings.entry_bytes, 11);
	environ_use(limits);
	load(&settings);
	assert_int_equal(settings.expiry_days, 30);
	assert_int_equal(settings.total_bytes, 21);
	assert_int_equal(settings.entry_bytes, 11);
	assert_int_equal(settings.entries_per_category, 100);

	assert_int_equal(load_of(&settings, NULL, NULL, &err), 0);
	assert_int_equal(settings.expiry_days, 30);
	assert_int_equal(settings.entry_bytes, 4096);
}

static void takes_blank_files_for_none(void **state)
{
	const struct tmpdir *dir = *state;
	struct settings settings;

	tmpdir_write(dir, "person.json", "");
	tmpdir_write(dir, "P/config.json", "\xEF\xBB\xBF \n\n");
	load(&settings);
	assert_int_equal(settings.expiry_days, 90);
	tmpdir_write(dir, "P/config.json", "\xEF\xBB\xBF{\"limits\": {\"expiry_days\": 5}}\r\n");
	load(&settings);
	assert_int_equal(settings.expiry_days, 5);
}

static void check_error(const char *begins, const char *contains)
{
	struct settings settings;
	struct settings before;
	struct err err;

	memset(&settings, 0x55, sizeof settings);
	before = settings;
	assert_int_equal(load_of(&settings, "person.json", "P/", &err), -1);
	if (strncmp(err.text, begins, strlen(begins)) != 0)
		fail_msg("%s\ndoes not begin with\n%s", err.text, begins);
	if (!strstr(err.text, contains))
		fail_msg("%s\ndoes not contain\n%s", err.text, contains);
	assert_memory_equal(&settings, &before, sizeof before);
}

/* HOME=/dev/null, or a HOME that was kept when the user changed. */
static void has_no_personal_file_beyond_its_reach(void **state)
{
	struct settings settings;
	struct err err;

	(void)state;
	assert_int_equal(load_of(&settings, "F/data/kota_memory/config.json", "P", &err), 0);
	assert_int_equal(settings.expiry_days, 90);
	fake_sys_fail(FAKE_OPENAT, 1, EACCES, FAKE_ONCE);
	fake_sys_fail(FAKE_FSTATAT, 1, EACCES, FAKE_ONCE);
	load(&settings);
	assert_int_equal(settings.expiry_days, 90);
}

/* What is there but cannot be read may say that nothing is to expire. */
static void insists_on_a_personal_file_in_reach(void **state)
{
	const struct tmpdir *dir = *state;

	tmpdir_write(dir, "person.json", "{\"limits\": {\"expiry_days\": 1000}}");
	fake_sys_fail(FAKE_OPENAT, 1, EACCES, FAKE_ONCE);
	check_error("cannot open person.json", "");
}

static void says_where_a_file_is_wrong(void **state)
{
	const struct tmpdir *dir = *state;

	tmpdir_write(dir, "P/config.json", "{\n  \"git\": \"off\",\n}\n");
	check_error("P/config.json:2:15: ", "comma");
	tmpdir_write(dir, "P/config.json",
		     "{\r\n\t\"limits\": {\r\n\t\t\"expiry_days\": \"soon\"}}");
	check_error("P/config.json:3:18: ", "limits.expiry_days");
	tmpdir_write(dir, "P/config.json", "{\"\xC3\xA9\": 1}");
	check_error("P/config.json:1:7: ", "\xC3\xA9");
	tmpdir_write(dir, "P/config.json", " []");
	check_error("P/config.json:1:2: ", "object");
	tmpdir_write(dir, "person.json", "{\"limits\": {\"entry_bytes\": -1}}");
	check_error("person.json:1:28: ", "limits.entry_bytes");
}

static void names_the_variable(void **state)
{
	static const char *const git[] = {"KOTA_MEMORY_GIT=sometimes", NULL};

	(void)state;
	environ_use(git);
	check_error("KOTA_MEMORY_GIT", "own");
}

static void refuses_what_is_no_file(void **state)
{
	struct tmpdir *dir = *state;

	assert_int_equal(mkfifoat(dir->fd, "P/config.json", 0600), 0);
	check_error("P/config.json is a FIFO", "not a file");
	assert_int_equal(unlinkat(dir->fd, "P/config.json", 0), 0);
	assert_int_equal(mkdirat(dir->fd, "P/config.json", 0700), 0);
	check_error("P/config.json is a directory", "not a file");
	assert_int_equal(unlinkat(dir->fd, "P/config.json", AT_REMOVEDIR), 0);
	assert_int_equal(symlinkat("config.json", dir->fd, "P/config.json"), 0);
	check_error("P/config.json is a link that leads in a circle", "");
	if (geteuid() == 0) {
		/* Not a word of somebody else's file comes into a message. */
		tmpdir_write(dir, "foreign", "{\"secret\":1}");
		assert_int_equal(fchownat(dir->fd, "foreign", 12345, 12345, 0), 0);
		assert_int_equal(unlinkat(dir->fd, "P/config.json", 0), 0);
		assert_int_equal(symlinkat("../foreign", dir->fd, "P/config.json"), 0);
		check_error("P/config.json is a link to somebody else's file", "");
	}
	assert_int_equal(symlinkat("nowhere", dir->fd, "person.json"), 0);
	check_error("person.json is a link to nothing", "");
}

/* A store that came with a repository has no say in what lies outside it. */
static void gives_the_store_less_say_than_the_person(void **state)
{
	const struct tmpdir *dir = *state;
	struct settings settings;

	tmpdir_write(dir, "person.json", "{\"notes_dir\": \"/home/x/notes\"}");
	load(&settings);
	tmpdir_write(dir, "P/config.json", "{\"notes_dir\": \"/home/x/notes\"}");
	check_error("P/config.json:1:15: ", "notes_dir");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, environ_set_up, environ_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(layers_from_the_weakest_to_the_strongest),
		TEST(takes_blank_files_for_none),
		TEST(has_no_personal_file_beyond_its_reach),
		TEST(insists_on_a_personal_file_in_reach),
		TEST(says_where_a_file_is_wrong),
		TEST(names_the_variable),
		TEST(refuses_what_is_no_file),
		TEST(gives_the_store_less_say_than_the_person),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
