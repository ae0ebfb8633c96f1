/* kota doctor --fix: the problem is there, is fixed, is gone; and every entry has its bytes. */
#include "base/time.h"
#include "cli/shell_fixture.h"
#include "git/gitrepo.h"
#include "store/files/dir_lock.h"
#include "store/log/journal.h"
#include "support/fake_sys.h"
#include "support/forge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* As a person would write it, so that a file that is printed anew is another one. */
#define ODD "{ \"a\":1.0,\n\n\t\"b\" : {\"value\":\"x\",  \"mine\":1e400 } }\n"

static char path[PATH_MAX + 64];

static int set_up(void **state)
{
	(void)state;
	shell_init(&shell);
	gitrepo_isolate(&shell.dir);
	shell_env("KOTA_MEMORY_GIT", "own");
	assert_int_equal(shell_run(&shell, "notes", "a", NULL), 0);
	shell_write(&shell, "patterns.json", ODD);
	assert_int_equal(shell_run(&shell, "notes", "b", NULL), 0);
	assert_int_equal(shell_run(&shell, "doctor", NULL), 0);
	return 0;
}

static const char *in_store(const char *name)
{
	snprintf(path, sizeof path, "%s/%s", shell.store, name);
	return path;
}

static bool says(const char *text)
{
	return strstr(shell.out, text) != NULL;
}

static void assert_says(const char *text)
{
	if (!says(text))
		fail_msg("doctor does not say \"%s\":\n%s\n%s", text, shell.out, shell.err);
}

static mode_t mode_of(const char *name)
{
	struct stat st;

	assert_int_equal(stat(in_store(name), &st), 0);
	return st.st_mode & 07777;
}

/* The bytes of all entries and records, and of what else the person may have written. */
static void collect(struct str *out)
{
	static const char *const names[] = {"preferences.json", "connections.json", "patterns.json",
					    "shortcuts.json",   "state.json",       "archive.json",
					    "relations.json",   "config.json"};

	str_clear(out);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char *text = shell_read(&shell, names[i]);

		str_printf(out, "%s\n%s\n", names[i], text ? text : "absent");
		free(text);
	}
}

/*
 * Found; told by a dry run, which changes nothing; fixed; found no more; and a second time there
 * is nothing to do. Entries keep their bytes throughout.
 */
static void check_fix(const char *what, int status_after)
{
	STR_AUTO before = STR_INIT;
	STR_AUTO after = STR_INIT;
	STR_AUTO fixed = STR_INIT;

	collect(&before);
	shell_run(&shell, "doctor", NULL);
	assert_says(what);
	assert_says("kota doctor --fix ");
	shell_run(&shell, "doctor", "--fix", "--dry-run", NULL);
	str_printf(&fixed, "would fix: %s", what);
	assert_says(fixed.ptr);
	shell_run(&shell, "doctor", NULL);
	assert_says(what);
	assert_int_equal(shell_run(&shell, "doctor", "--fix", NULL), status_after);
	str_clear(&fixed);
	str_printf(&fixed, "fixed: %s", what);
	assert_says(fixed.ptr);
	assert_int_equal(shell_run(&shell, "doctor", NULL), status_after);
	assert_false(says(what));
	assert_true(status_after == 0 || says("\nkota doctor --fix does nothing about that.\n"));
	assert_int_equal(shell_run(&shell, "doctor", "--fix", NULL), status_after);
	assert_says("There is nothing that --fix could do.\n");
	collect(&after);
	assert_string_equal(after.ptr, before.ptr);
}

static void test_modes(void **state)
{
	(void)state;
	assert_int_equal(chmod(in_store("state.json"), 0664), 0);
	assert_int_equal(chmod(in_store("usage.jsonl"), 0404), 0);
	assert_int_equal(chmod(shell.store, 0755), 0);
	check_fix("open to others: the directory (0755), state.json (0664), usage.jsonl (0404)", 0);
	assert_int_equal(mode_of(""), 0700);
	assert_int_equal(mode_of("state.json"), 0600);
	assert_int_equal(mode_of("usage.jsonl"), 0400);
}

/* What a link leads to, and what has other names, lies elsewhere too. */
static void test_modes_elsewhere(void **state)
{
	char other[PATH_MAX + 16];

	(void)state;
	snprintf(other, sizeof other, "%s/real.json", shell.dir.path);
	tmpdir_write(&shell.dir, "real.json", "{}");
	assert_int_equal(chmod(other, 0644), 0);
	assert_int_equal(symlink("../real.json", in_store("shortcuts.json")), 0);
	shell_trust(&shell);
	assert_int_equal(chmod(in_store("state.json"), 0640), 0);
	assert_int_equal(shell_run(&shell, "doctor", "--fix", NULL), 1);
	assert_says("fixed: open to others: state.json (0640)");
	assert_says("todo: open to others: shortcuts.json (0644)");
	assert_says("It is also used elsewhere, so you decide: chmod go= FILE.");
	assert_int_equal(mode_of("shortcuts.json"), 0644);
	assert_int_equal(mode_of("state.json"), 0600);
}

static void test_metadata(void **state)
{
	char *text;

	(void)state;
	shell_write(&shell, "metadata.json", "{\"version\": 2, \"cou");
	check_fix("metadata.json does not say what is in the files", 0);
	text = shell_read(&shell, "metadata.json");
	assert_non_null(strstr(text, "\"patterns\": 2"));
	free(text);
	/* Nobody can count what cannot be read. */
	shell_write(&shell, "metadata.json", "{}");
	shell_write(&shell, "shortcuts.json", "{");
	assert_int_equal(shell_run(&shell, "doctor", "--fix", NULL), 65);
	assert_false(says("fixed: metadata.json"));
	text = shell_read(&shell, "shortcuts.json");
	assert_string_equal(text, "{");
	free(text);
}

/* What a process leaves that is killed right after its commit point. */
static void test_journal(void **state)
{
	const struct change_meta meta = {.id = "1", .tool = "memory_set"};
	const struct op ops[] = {
		{.kind = OP_COLD_ADD,
		 .category = CATEGORY_STATE,
		 .key = slice_of("gone@2026-11-01T00:00:00.000Z"),
		 .text = slice_of(
			 "{\"category\":\"state\",\"key\":\"gone@2026-11-01T00:00:00.000Z\","
			 "\"originalKey\":\"gone\","
			 "\"archivedAt\":\"2026-11-01T00:00:00.000Z\",\"reason\":\"deleted\","
			 "\"entry\":{\"value\":1}}"),
		 .at_ms = SHELL_NOW},
	};
	struct disk disk;
	struct err err;
	bool committed;

	(void)state;
	assert_int_equal(disk_open(&disk, fake_sys(), shell.store, &err), 0);
	disk.env = shell.cli.env;
	assert_int_equal(disk_lock(&disk, 0, &err), 0);
	assert_int_equal(journal_commit(&disk, ops, 1, &meta, SHELL_NOW, &committed, &err), 0);
	disk_close(&disk);
	check_fix("a change was interrupted after it was committed: .journal is there", 0);
	assert_int_not_equal(access(in_store(".journal"), F_OK), 0);
	assert_int_equal(shell_run(&shell, "archived", NULL), 0);
	assert_says("state:gone@2026-11-01");
}

/* One that anybody can have written: shown, then carried out because the person asked for it. */
static void test_unsigned_journal(void **state)
{
	STR_AUTO body = STR_INIT;
	STR_AUTO text = STR_INIT;

	(void)state;
	forge_body(&body, "put", "state", "old", "\"of 0.1.0\"");
	forge_unsigned(&text, body.ptr);
	shell_write(&shell, ".journal", text.ptr);
	/* A change sets it aside, and doctor names it in either place. */
	for (int i = 0; i < 2; i++) {
		const char *says_it = i ? ".journal.aside-1 is a change that was not finished and "
					  "is not carried out by itself; it sets state:old"
					: ".journal is a change that was not finished and is not "
					  "carried out by itself; it sets state:old";

		assert_int_equal(shell_run(&shell, "doctor", NULL), 1);
		assert_says(says_it);
		assert_int_equal(shell_run(&shell, "doctor", "--fix", "--dry-run", NULL), 1);
		assert_says(says_it);
		assert_int_not_equal(shell_run(&shell, "get", "old", NULL), 0);
		if (i == 0)
			assert_int_equal(shell_run(&shell, "set", "patterns:x", "y", NULL), 0);
	}
	assert_int_equal(shell_run(&shell, "doctor", "--fix", NULL), 0);
	assert_says("fixed: .journal.aside-1");
	assert_non_null(strstr(shell.err, "now carried out: .journal.aside-1"));
	assert_non_null(strstr(shell.err, "it sets state:old"));
	assert_int_equal(shell_run(&shell, "get", "old", NULL), 0);
	assert_says("of 0.1.0");
	assert_int_not_equal(access(in_store(".journal.aside-1"), F_OK), 0);
	assert_int_not_equal(access(in_store(".journal"), F_OK), 0);
}

/* What is signed with another key, or damaged, is left where it is. */
static void test_refused_journal(void **state)
{
	char *text;

	(void)state;
	shell_write(&shell, ".journal", "{\"digest\":\"1\",\"journal\":{}}");
	assert_int_equal(shell_run(&shell, "doctor", NULL), 1);
	assert_says("todo: .journal has been changed\n");
	assert_int_equal(shell_run(&shell, "set", "patterns:x", "y", NULL), 0);
	assert_int_equal(shell_run(&shell, "doctor", NULL), 1);
	assert_says("todo: .journal.aside-1 has been changed\n");
	assert_says("It is never carried out: remove it when you have seen it: rm ");
	assert_int_equal(shell_run(&shell, "doctor", "--fix", NULL), 1);
	text = shell_read(&shell, ".journal.aside-1");
	assert_string_equal(text, "{\"digest\":\"1\",\"journal\":{}}");
	free(text);
}

static void test_leftovers(void **state)
{
	(void)state;
	shell_write(&shell, ".journal.tmp", "{\"ha");
	shell_write(&shell, ".kota.tmp", "{");
	shell_write(&shell, ".usage.jsonl.tmp", "{");
	shell_write(&shell, ".purge.tmp", "{");
	shell_write(&shell, ".maintained.tmp", "2026");
	check_fix("an interrupted change has left .journal.tmp, .kota.tmp, .usage.jsonl.tmp, "
		  ".purge.tmp, .maintained.tmp",
		  0);
	assert_int_not_equal(access(in_store(".journal.tmp"), F_OK), 0);
}

/* One beside a file of entries is compared: what is nowhere else is kept for the person. */
static void test_leftover_of_a_file(void **state)
{
	char *kept;

	(void)state;
	shell_write(&shell, ".shortcuts.json.tmp", "");
	check_fix("an interrupted change has left .shortcuts.json.tmp", 0);
	shell_write(&shell, ".shortcuts.json.tmp", "{\"only\":\"here\"}");
	assert_int_equal(shell_run(&shell, "doctor", "--fix", NULL), 1);
	assert_says("fixed: an interrupted change has left .shortcuts.json.tmp");
	assert_says(".shortcuts.json.orphan is kept for you");
	kept = shell_read(&shell, ".shortcuts.json.orphan");
	assert_string_equal(kept, "{\"only\":\"here\"}");
	free(kept);
}

static void test_marks(void **state)
{
	char *text;

	(void)state;
	shell_write(&shell, ".gitignore", "# mine\nmetadata.json\n!.kota\n.*");
	check_fix(".gitignore lacks lines, the first is \"usage.jsonl\"", 0);
	text = shell_read(&shell, ".gitignore");
	assert_string_equal(text, "# mine\nmetadata.json\n!.kota\n.*\n"
				  "usage.jsonl\n.*\n!.kota\n!.gitignore\n");
	free(text);
	assert_int_equal(unlink(in_store(".kota")), 0);
	check_fix(".kota is missing", 0);
	assert_int_equal(unlink(in_store(".gitignore")), 0);
	check_fix(".gitignore is missing", 0);
}

static void test_unrecorded(void **state)
{
	(void)state;
	shell_write(&shell, "connections.json", "{\"Ada\": \"Lisbon\"}\n");
	check_fix("edited by hand and not in the history yet: connections.json", 0);
	assert_int_equal(shell_run(&shell, "log", "connections:Ada", NULL), 0);
	assert_says("added \"Lisbon\"");
	/* What waits since git was at work. */
	shell_write(&shell, ".git/index.lock", "");
	assert_int_equal(shell_run(&shell, "set", "state:c", "1", NULL), 0);
	assert_int_equal(unlink(in_store(".git/index.lock")), 0);
	check_fix("1 change is not in the history yet", 0);
}

/* A lock is never removed, nor anything done while somebody holds ours. */
static void test_foreign_locks(void **state)
{
	int fd;

	(void)state;
	shell_write(&shell, ".git/index.lock", "");
	shell_write(&shell, "connections.json", "{\"Ada\": 1}\n");
	shell_write(&shell, "metadata.json", "{}");
	shell_run(&shell, "doctor", "--fix", NULL);
	assert_int_equal(access(in_store(".git/index.lock"), F_OK), 0);
	assert_says("fixed: metadata.json");
	assert_says("note: edited by hand and not in the history yet: connections.json");
	shell_write(&shell, "metadata.json", "{}");
	fd = open(in_store(".lock"), O_RDWR | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	shell_run(&shell, "doctor", "--fix", NULL);
	assert_non_null(strstr(shell.err, "kota: doctor: another process has been changing"));
	assert_says("note: metadata.json does not say what is in the files");
	close(fd);
}

/* Nothing expires, and what cannot be read, or is somebody's, is left alone. */
static void test_what_is_left_alone(void **state)
{
	char *text;

	(void)state;
	shell_write(&shell, "state.json",
		    "{\"old\":{\"value\":1,\"created_at\":\"2026-07-01T00:00:00.000Z\","
		    "\"last_updated\":\"2026-07-01T00:00:00.000Z\"}}");
	shell_write(&shell, "usage.jsonl", "{\"since\":\"2026-07-01T00:00:00.000Z\"}\n");
	shell_write(&shell, "config.json", "{\"git\": \"owl\"}");
	shell_write(&shell, "relations.json",
		    "{\"1\":{\"from\":\"state:no\",\"to\":\"state:none\",\"type\":\"causes\"}}");
	shell_write(&shell, "metadata.json", "{}");
	shell_write(&shell, ".state.json.orphan", "{}");
	assert_int_equal(shell_run(&shell, "doctor", "--fix", NULL), 65);
	assert_says("broken: ");
	assert_says("todo: the link state:no --[causes]--> state:none");
	text = shell_read(&shell, "state.json");
	assert_non_null(strstr(text, "\"old\""));
	free(text);
	text = shell_read(&shell, "config.json");
	assert_string_equal(text, "{\"git\": \"owl\"}");
	free(text);
	text = shell_read(&shell, "relations.json");
	assert_non_null(strstr(text, "state:none"));
	free(text);
	assert_int_equal(access(in_store(".state.json.orphan"), F_OK), 0);
}

/* There is nothing to fix where there is no store; none is made for it. */
static void test_no_store(void **state)
{
	(void)state;
	shell_env("KOTA_MEMORY_DIR", NULL);
	snprintf(path, sizeof path, "%s/none", shell.dir.path);
	assert_int_equal(shell_run(&shell, "doctor", "--fix", "--dir", path, NULL), 0);
	assert_false(tmpdir_has(&shell.dir, "none"));
	assert_says("There is nothing that --fix could do.\n");
}

static void test_json(void **state)
{
	(void)state;
	shell_write(&shell, "metadata.json", "{}");
	assert_int_equal(shell_run(&shell, "doctor", "--fix", "--dry-run", "--json", NULL), 0);
	assert_says("\"would_fix\": [\n    {\n      \"kind\": \"metadata-stale\"");
	assert_int_equal(shell_run(&shell, "doctor", "--fix", "--json", NULL), 0);
	assert_says("\"fixed\": [\n    {\n      \"kind\": \"metadata-stale\"");
	assert_says("\"findings\": []");
}

static void test_words(void **state)
{
	(void)state;
	assert_int_equal(shell_run(&shell, "doctor", "--dry-run", NULL), 2);
	assert_non_null(strstr(shell.err, "--dry-run needs --fix"));
	assert_int_equal(shell_run(&shell, "doctor", "--fix", "--record", NULL), 2);
	assert_int_equal(shell_run(&shell, "doctor", "--fixx", NULL), 2);
	assert_non_null(strstr(shell.err, "unknown option --fixx; did you mean --fix? kota help"));
	assert_int_equal(shell_run(&shell, "doctor", "all", NULL), 2);
	assert_int_equal(shell_run(&shell, "doctor", "--help", NULL), 0);
	assert_says("usage: kota doctor [--fix [--dry-run]] [--all]\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, shell_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_modes),
		TEST(test_modes_elsewhere),
		TEST(test_metadata),
		TEST(test_journal),
		TEST(test_unsigned_journal),
		TEST(test_refused_journal),
		TEST(test_leftovers),
		TEST(test_leftover_of_a_file),
		TEST(test_marks),
		TEST(test_unrecorded),
		TEST(test_foreign_locks),
		TEST(test_what_is_left_alone),
		TEST(test_no_store),
		TEST(test_json),
		TEST(test_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
