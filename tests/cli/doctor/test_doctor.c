#include "base/time.h"
#include "cli/shell_fixture.h"
#include "store/files/dir_lock.h"
#include "store/log/journal.h"
#include "support/fake_sys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

static char path[PATH_MAX + 64];

static void assert_says(const char *text)
{
	if (!strstr(shell.out, text))
		fail_msg("doctor does not say \"%s\":\n%s", text, shell.out);
}

/* Runs doctor on a store with this file in it, and looks for a sentence. */
static void check_file(const char *name, const char *content, int status, const char *says)
{
	shell_write(&shell, name, content);
	assert_int_equal(shell_run(&shell, "doctor", "--all", NULL), status);
	assert_says(says);
	assert_string_equal(shell.err, "");
}

static const char *in_store(const char *name)
{
	snprintf(path, sizeof path, "%s/%s", shell.store, name);
	return path;
}

static void test_no_store(void **state)
{
	(void)state;
	assert_int_equal(shell_run(&shell, "doctor", "--all", NULL), 0);
	assert_says(shell.store);
	assert_says("KOTA_MEMORY_DIR");
	assert_says("not yet");
	assert_says("Nothing needs doing.");
	assert_false(tmpdir_has(&shell.dir, "store"));
}

static void test_healthy(void **state)
{
	(void)state;
	assert_int_equal(shell_run(&shell, "set", "editor", "vim", NULL), 0);
	assert_int_equal(shell_run(&shell, "notes", "a", NULL), 0);
	assert_int_equal(shell_run(&shell, "delete", "editor", NULL), 0);
	assert_int_equal(shell_run(&shell, "doctor", "--all", NULL), 0);
	assert_says("state.json        ok, ");
	assert_says(", 1 of 100 entries\n");
	assert_says("preferences.json  absent\n");
	assert_says(", 1 record\n");
	assert_says("lock              free\n");
	assert_says("permissions       the owner's alone\n");
	assert_says("Nothing needs doing.");
}

static void test_changes_nothing(void **state)
{
	(void)state;
	shell_write(&shell, "state.json", "{\"a\":1}");
	assert_int_equal(shell_run(&shell, "doctor", "--all", NULL), 0);
	snprintf(path, sizeof path, "%s/only", shell.dir.path);
	assert_int_equal(rename(shell.store, path), 0);
	/* No usage, no lock, no marks. */
	assert_false(tmpdir_has(&shell.dir, "only/usage.jsonl"));
	assert_false(tmpdir_has(&shell.dir, "only/.lock"));
	assert_false(tmpdir_has(&shell.dir, "only/.kota"));
}

static void test_broken_files(void **state)
{
	(void)state;
	check_file("state.json", "{\n  \"a\": 1,\n}\n", 65, "state.json:2:9: ");
	assert_says("state.json        broken\n");
	assert_says("Fix it in an editor");
	shell_write(&shell, "state.json", "{}");
	check_file("archive.json", "[]", 65, "archive.json");
	shell_write(&shell, "archive.json", "{}");
	check_file("config.json", "{\"limits\":{\"entry_bytes\":0}}", 65, "config.json:1:");
	shell_write(&shell, "config.json", "");
	assert_int_equal(mkdir(in_store("archive.cold"), 0700), 0);
	check_file("archive.cold/2026-01.jsonl", "{}\nnonsense\n", 65, "2026-01.jsonl:2");
	shell_write(&shell, "archive.cold/2026-01.jsonl", "");
	assert_int_equal(shell_run(&shell, "doctor", "--all", NULL), 0);
}

static void test_format(void **state)
{
	(void)state;
	check_file(".kota", "kota-memory data directory, format 9\n", 65, "format 9");
	assert_says("Nothing can be read or stored here");
	assert_int_equal(shell_run(&shell, "doctor", "--json", NULL), 65);
	assert_says("\"severity\": \"broken\"");
	assert_says("\"status\": 65");
}

static void test_links(void **state)
{
	char target[PATH_MAX + 16];

	(void)state;
	tmpdir_write(&shell.dir, "real.json", "{\"a\":1}");
	shell_write(&shell, ".kota", "kota-memory data directory, format 1\n");
	snprintf(target, sizeof target, "%s/real.json", shell.dir.path);
	assert_int_equal(symlink(target, in_store("state.json")), 0);
	shell_trust(&shell);
	assert_int_equal(shell_run(&shell, "doctor", "--all", NULL), 0);
	assert_says("1 of 100 entries, a link to /");
	assert_int_equal(link(target, in_store("patterns.json")), 0);
	assert_int_equal(shell_run(&shell, "doctor", "--all", NULL), 1);
	assert_says("todo: patterns.json is a hard link: the file has 2 names\n");
	assert_int_equal(symlink("nowhere", in_store("shortcuts.json")), 0);
	assert_int_equal(shell_run(&shell, "doctor", "--all", NULL), 65);
	assert_says("shortcuts.json    broken\n");
	assert_int_equal(mkfifo(in_store("connections.json"), 0600), 0);
	assert_int_equal(shell_run(&shell, "doctor", "--all", NULL), 65);
	assert_says("connections.json  broken\n");
}

static void test_limits(void **state)
{
	(void)state;
	shell_env("KOTA_MEMORY_LIMITS_ENTRIES_PER_CATEGORY", "1");
	shell_env("KOTA_MEMORY_LIMITS_ENTRY_BYTES", "30");
	shell_env("KOTA_MEMORY_LIMITS_TOTAL_BYTES", "40");
	check_file("state.json", "{\"a\":1,\"b\":\"0123456789012345678901234567890123456789\"}", 1,
		   "todo: state has 2 entries, the limit is 1\n");
	assert_says("todo: state:b has 52 bytes, the limit is 30\n");
	assert_says("todo: the files have 54 bytes, the limit is 40\n");
	assert_says("3 things are to be put right.");
}

static void test_equal_keys(void **state)
{
	(void)state;
	check_file("state.json", "{\"My Editor\":1,\"my_editor\":2,\"other\":3}", 1,
		   "todo: state:my_editor is the same key as one before it");
	assert_says("1 thing is to be put right.");
}

static void test_blank_keys(void **state)
{
	(void)state;
	check_file("state.json", "{\" \":1}", 1, "todo: state has an entry with a blank key\n");
	assert_says("Give it a name: kota mv 'state: ' NAME\n");
	assert_int_equal(shell_run(&shell, "mv", "state: ", "named", NULL), 0);
	assert_int_equal(shell_run(&shell, "doctor", "--all", NULL), 0);
}

static void test_records(void **state)
{
	(void)state;
	check_file(
		"archive.json",
		"{\"state\":[{\"key\":\"a@2026-01-01T00:00:00.000Z\",\"entry\":{\"value\":1}},5],"
		"\"patterns\":7}",
		1, "todo: archive.json has 2 members that cannot be read as a record\n");
	assert_says(", 1 record\n");
}

static void test_cold(void **state)
{
	(void)state;
	shell_write(&shell, ".kota", "kota-memory data directory, format 1\n");
	assert_int_equal(mkdir(in_store("archive.cold"), 0700), 0);
	shell_write(&shell, "archive.cold/2026-01.jsonl",
		    "{\"archivedAt\":\"2026-01-10T00:00:00.000Z\"}\n"
		    "{\"archivedAt\":\"2026-01-11T00:00:00.000Z\"}\n");
	shell_write(&shell, "archive.cold/2026-03.jsonl",
		    "{\"archivedAt\":\"2026-03-10T00:00:00.000Z\"}\n");
	shell_run(&shell, "doctor", "--all", NULL);
	assert_says("archive.cold      3 records of 2 months\n");
}

static void test_open_to_others(void **state)
{
	(void)state;
	shell_write(&shell, "state.json", "{}");
	assert_int_equal(chmod(in_store("state.json"), 0640), 0);
	assert_int_equal(chmod(shell.store, 0755), 0);
	assert_int_equal(shell_run(&shell, "doctor", "--all", NULL), 1);
	assert_says("todo: open to others: the directory (0755), state.json (0640)\n");
	assert_says("chmod -R go= ");
	assert_int_equal(chmod(shell.store, 0700), 0);
	assert_int_equal(chmod(in_store("state.json"), 0600), 0);
	assert_int_equal(shell_run(&shell, "doctor", "--all", NULL), 0);
}

/* What a process leaves that is killed right after its commit point. */
static void leave_journal(void)
{
	const struct change_meta meta = {.tool = "memory_clear_state"};
	struct disk disk;
	struct err err;
	bool committed;

	assert_int_equal(disk_open(&disk, fake_sys(), shell.store, &err), 0);
	disk.env = shell.cli.env;
	assert_int_equal(disk_lock(&disk, 0, &err), 0);
	assert_int_equal(journal_commit(&disk, NULL, 0, &meta, SHELL_NOW, &committed, &err), 0);
	disk_close(&disk);
}

/* The kernel knows who holds a lock, unless /proc is not there. */
static void assert_held_by_me(void)
{
	STR_AUTO held = STR_INIT;

	str_printf(&held, "lock              held by process %ld (test_doctor", (long)getpid());
	assert_says(access("/proc/locks", R_OK) == 0
			    ? held.ptr
			    : "lock              held by another process\n");
}

static void test_lock_and_journal(void **state)
{
	int fd;

	(void)state;
	assert_int_equal(shell_run(&shell, "init", "--dir", shell.store, NULL), 0);
	leave_journal();
	assert_int_equal(shell_run(&shell, "doctor", "--all", NULL), 0);
	assert_says("note: a change was interrupted");
	shell_write(&shell, ".lock", "");
	fd = open(in_store(".lock"), O_RDWR | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_int_equal(shell_run(&shell, "doctor", "--all", NULL), 0);
	assert_held_by_me();
	close(fd);
	assert_int_equal(shell_run(&shell, "doctor", "--all", NULL), 0);
	assert_says("lock              free\n");
	/* Looking did not keep the lock. */
	fd = open(in_store(".lock"), O_RDWR | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
	close(fd);
}

static void test_broken_journal(void **state)
{
	(void)state;
	check_file(".journal", "{}", 1, ".journal is no journal\n");
	assert_says("It is never carried out: remove it when you have seen it: rm ");
	assert_int_equal(unlink(in_store(".journal")), 0);
	assert_int_equal(mkdir(in_store(".journal"), 0700), 0);
	assert_int_equal(shell_run(&shell, "doctor", "--all", NULL), 1);
	assert_says(".journal is no journal");
}

/* Makes something of this name that no change can do without or around; doctor must say so. */
static void check_in_the_way(const char *name, const char *refused, int (*make)(const char *path))
{
	STR_AUTO says = STR_INIT;

	str_printf(&says, "broken: %s is ", name);
	unlink(in_store(name));
	assert_int_equal(make(in_store(name)), 0);
	assert_int_equal(shell_run(&shell, "doctor", "--all", NULL), 65);
	assert_says(says.ptr);
	assert_says(refused);
	assert_int_equal(shell_run(&shell, "set", "shortcuts:a", "1", NULL) != 0,
			 strstr(refused, ".json") == NULL);
	assert_int_not_equal(shell_run(&shell, "notes", "a", NULL), 0);
	assert_int_equal(remove(in_store(name)), 0);
	assert_int_equal(shell_run(&shell, "notes", "a", NULL), 0);
}

static int make_directory(const char *name)
{
	return mkdir(name, 0700);
}

static int make_fifo(const char *name)
{
	return mkfifo(name, 0600);
}

static int make_dangling(const char *name)
{
	return symlink("nowhere", name);
}

static void test_in_the_way(void **state)
{
	static const char *const names[][2] = {
		{".lock", "Changes are refused until it is removed."},
		{".state.json.prev", "Changes of state.json are refused until it is removed."},
		{".archive.json.prev", "Changes of archive.json are refused until it is removed."},
	};

	(void)state;
	assert_int_equal(shell_run(&shell, "notes", "a", NULL), 0);
	assert_int_equal(shell_run(&shell, "notes", "b", NULL), 0);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		check_in_the_way(names[i][0], names[i][1], make_directory);
		check_in_the_way(names[i][0], names[i][1], make_fifo);
		check_in_the_way(names[i][0], names[i][1], make_dangling);
	}
	check_in_the_way(".state.json.tmp",
			 "Changes of state.json are refused until it is removed.", make_directory);
	/* Anything else of a temporary name is cleared away. */
	assert_int_equal(make_fifo(in_store(".patterns.json.tmp")), 0);
	shell_run(&shell, "doctor", "--all", NULL);
	assert_null(strstr(shell.out, "patterns.json.tmp"));
}

static void test_kept_for_the_person(void **state)
{
	(void)state;
	assert_int_equal(shell_run(&shell, "notes", "a", NULL), 0);
	shell_write(&shell, ".state.json.orphan-2", "{}");
	shell_write(&shell, ".preferences.json.prev-broken", "{");
	shell_write(&shell, ".state.json.orphanage", "");
	assert_int_equal(shell_run(&shell, "doctor", "--all", NULL), 1);
	assert_says(
		"todo: .state.json.orphan-2 is kept for you: a text of unknown origin\n"
		"      Look at it with: diff .state.json.orphan-2 state.json; take over what is "
		"missing there, then remove .state.json.orphan-2.\n");
	assert_says("todo: .preferences.json.prev-broken is kept for you: an edit that was not "
		    "valid JSON\n");
	assert_says("2 things are to be put right.");
}

/* The twins of a file that is a link stand beside what it leads to. */
static void test_beside_a_link(void **state)
{
	(void)state;
	assert_int_equal(shell_run(&shell, "notes", "a", NULL), 0);
	tmpdir_write(&shell.dir, "real.json", "{}");
	assert_int_equal(symlink("../real.json", in_store("patterns.json")), 0);
	shell_trust(&shell);
	tmpdir_write(&shell.dir, ".real.json.orphan", "{}");
	assert_int_equal(shell_run(&shell, "doctor", "--all", NULL), 1);
	assert_says("todo: .real.json.orphan, beside the target of the link, is kept for you");
	assert_says("diff .real.json.orphan real.json;");
}

static void test_held_for_an_editor(void **state)
{
	(void)state;
	assert_int_equal(shell_run(&shell, "notes", "a", NULL), 0);
	shell_write(&shell, ".state.json.held-3", "{}");
	assert_int_equal(shell_run(&shell, "doctor", "--all", NULL), 0);
	assert_says("note: .state.json.held-3 is held because a program may still write to it\n");
}

/* What the file system lacks is tried, and nothing is left of the trial. */
static void test_weak_file_system(void **state)
{
	size_t files;

	(void)state;
	assert_int_equal(shell_run(&shell, "notes", "a", NULL), 0);
	files = tmpdir_count(&shell.dir);
	assert_int_equal(shell_run(&shell, "doctor", "--all", NULL), 0);
	assert_null(strstr(shell.out, "may not exchange files"));
	assert_null(strstr(shell.out, "who has a file open"));
	fake_sys_no_rename_flags(EINVAL);
	fake_sys_fail(FAKE_LEASE, 1, EINVAL, FAKE_ALWAYS);
	assert_int_equal(shell_run(&shell, "doctor", "--all", NULL), 0);
	assert_says("note: the store is on this file system, which may not exchange files in one "
		    "step\n");
	assert_says("note: this file system does not say who has a file open for writing\n");
	assert_false(access(in_store(".probe-1"), F_OK) == 0);
	assert_false(access(in_store(".probe-2"), F_OK) == 0);
	assert_int_equal(tmpdir_count(&shell.dir), files);
}

static void test_cold_links(void **state)
{
	(void)state;
	assert_int_equal(shell_run(&shell, "notes", "a", NULL), 0);
	assert_int_equal(make_dangling(in_store("archive.cold")), 0);
	assert_int_equal(shell_run(&shell, "doctor", "--all", NULL), 65);
	assert_says("/archive.cold must be a directory of your own, not a link");
	assert_int_equal(unlink(in_store("archive.cold")), 0);
	assert_int_equal(make_directory(in_store("archive.cold")), 0);
	tmpdir_write(&shell.dir, "month", "");
	assert_int_equal(symlink("../../month", in_store("archive.cold/2026-11.jsonl")), 0);
	assert_int_equal(shell_run(&shell, "doctor", "--all", NULL), 65);
	assert_says("/archive.cold/2026-11.jsonl must be a regular file, not a link");
	assert_int_equal(unlink(in_store("archive.cold/2026-11.jsonl")), 0);
	assert_int_equal(make_fifo(in_store("archive.cold/2026-11.jsonl")), 0);
	assert_int_equal(shell_run(&shell, "doctor", "--all", NULL), 65);
	assert_says("archive.cold      broken\n");
}

static void test_clock(void **state)
{
	(void)state;
	check_file("state.json",
		   "{\"a\":{\"value\":1,\"created_at\":\"2026-11-20T00:00:00.000Z\","
		   "\"last_updated\":\"2027-01-01T00:00:00.000Z\"}}",
		   1, "note: 1 time is in the store later than now\n");
	assert_says("todo: the clock cannot be trusted");
	fake_sys_set_now(SHELL_NOW + 50 * MS_PER_DAY);
	assert_int_equal(shell_run(&shell, "doctor", "--all", NULL), 0);
	fake_sys_set_now(SHELL_NOW + 500 * MS_PER_DAY);
	assert_int_equal(shell_run(&shell, "doctor", "--all", NULL), 1);
	assert_says("todo: the clock cannot be trusted");
}

static void test_usage(void **state)
{
	(void)state;
	check_file("usage.jsonl", "{\"since\":\"2026-11-01T00:00:00.000Z\"}\n", 0,
		   "usage             recorded since 2026-");
	assert_int_equal(unlink(in_store("usage.jsonl")), 0);
	assert_int_equal(mkdir(in_store("usage.jsonl"), 0700), 0);
	assert_int_equal(shell_run(&shell, "doctor", "--all", NULL), 1);
	assert_says("Lookups are not counted");
}

static void test_escapes(void **state)
{
	(void)state;
	shell_env("TERM", "dumb");
	shell.cli.out_is_terminal = true;
	check_file("state.json", "{\"a\\u001b[2J\":1,\"A\\u001b[2J\":2}", 1,
		   "state:A\\x1b[2J is the same key");
	assert_null(strchr(shell.out, '\x1b'));
}

/* Archived entries come back, with their links; what is gone does not. */
static void test_links_of_entries_that_are_gone(void **state)
{
	(void)state;
	shell_write(&shell, "state.json", "{\"a\": 1, \"b\": 2}");
	shell_write(
		&shell, "archive.json",
		"{\"state\": [{\"key\": \"c@2026-01-01T00:00:00Z\", \"entry\": {\"value\": 1}}]}");
	check_file("relations.json",
		   "{\"1\": {\"from\": \"A\", \"to\": \"state:b\"},"
		   " \"2\": {\"from\": \"a\", \"to\": \"state:C\"}}",
		   0, ", 2 links, 1 hidden while an entry is archived\n");
	check_file("relations.json",
		   "{\"1\": {\"from\": \"a\", \"to\": \"state:gone\", \"type\": \"causes\"},"
		   " \"2\": 5, \"3\": {\"from\": \"a\", \"to\": \"b\", \"type\": \"x\"}}",
		   1,
		   "the link (any):a --[causes]--> state:gone is about an entry that is gone: "
		   "state:gone");
	assert_says("relations.json has 2 members that cannot be read as a link");
	/* Where a file cannot be read nothing is said to be gone. */
	check_file("state.json", "{", 65, "state.json:1:2: ");
	assert_null(strstr(shell.out, "is gone"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_no_store, shell_set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_healthy, shell_set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_changes_nothing, shell_set_up,
						shell_tear_down),
		cmocka_unit_test_setup_teardown(test_broken_files, shell_set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_format, shell_set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_links, shell_set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_limits, shell_set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_equal_keys, shell_set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_blank_keys, shell_set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_records, shell_set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_cold, shell_set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_open_to_others, shell_set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_lock_and_journal, shell_set_up,
						shell_tear_down),
		cmocka_unit_test_setup_teardown(test_broken_journal, shell_set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_in_the_way, shell_set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_kept_for_the_person, shell_set_up,
						shell_tear_down),
		cmocka_unit_test_setup_teardown(test_beside_a_link, shell_set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_held_for_an_editor, shell_set_up,
						shell_tear_down),
		cmocka_unit_test_setup_teardown(test_weak_file_system, shell_set_up,
						shell_tear_down),
		cmocka_unit_test_setup_teardown(test_cold_links, shell_set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_links_of_entries_that_are_gone, shell_set_up,
						shell_tear_down),
		cmocka_unit_test_setup_teardown(test_clock, shell_set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_usage, shell_set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_escapes, shell_set_up, shell_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
