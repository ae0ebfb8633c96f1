/* States of the store and of what is in its files. */
#include "cli/doctor_states.h"

#include "base/time.h"
#include "support/fake_sys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char path[PATH_MAX + 64];

const char *in_store(const struct shell *shell, const char *name)
{
	snprintf(path, sizeof path, "%s/%s", shell->store, name);
	return path;
}

void become_link(const struct shell *shell, const char *name, const char *target)
{
	unlink(in_store(shell, name));
	assert_int_equal(symlink(target, in_store(shell, name)), 0);
	shell_trust(shell);
}

static void make_format(struct shell *shell)
{
	shell_write(shell, ".kota", "kota-memory data directory, format 9\n");
}

static void make_closed(struct shell *shell)
{
	snprintf(path, sizeof path, "%s.old", shell->store);
	assert_int_equal(rename(shell->store, path), 0);
	assert_int_equal(symlink("store", shell->store), 0);
}

static void make_settings(struct shell *shell)
{
	shell_write(shell, "config.json", "{\n  \"limits\": {\"entry_byte\": 5}\n}\n");
}

static void make_read_only(struct shell *shell)
{
	if (geteuid() == 0)
		assert_int_equal(chown(shell->store, SOMEBODY_ELSE, (gid_t)-1), 0);
	else
		assert_int_equal(chmod(shell->store, 0500), 0);
}

static void make_open(struct shell *shell)
{
	assert_int_equal(chmod(in_store(shell, "state.json"), 0644), 0);
}

static void make_open_elsewhere(struct shell *shell)
{
	tmpdir_write(&shell->dir, "real.json", "{}");
	snprintf(path, sizeof path, "%s/real.json", shell->dir.path);
	assert_int_equal(chmod(path, 0644), 0);
	become_link(shell, "patterns.json", "../real.json");
}

static void make_foreign(struct shell *shell)
{
	if (geteuid() == 0)
		assert_int_equal(chown(in_store(shell, "usage.jsonl"), SOMEBODY_ELSE, (gid_t)-1),
				 0);
}

static void make_unmarked(struct shell *shell)
{
	shell_write(shell, ".gitignore", "# mine\nmetadata.json\nusage.jsonl\n");
}

static void make_broken(struct shell *shell)
{
	shell_write(shell, "patterns.json", "{\n  \"a\": 1,\n}\n");
}

static void make_markers(struct shell *shell)
{
	tmpdir_write(&shell->dir, "store/patterns.json",
		     "{\n<<<<<<< HEAD\n  \"a\": 1\n=======\n  \"b\": 2\n>>>>>>> theirs\n}\n");
	shell_env("PATH", getenv("PATH"));
}

static void make_damaged(struct shell *shell)
{
	shell_write(shell, "state.json", "");
}

static void make_hard_link(struct shell *shell)
{
	char other[PATH_MAX + 16];

	snprintf(other, sizeof other, "%s/other.json", shell->dir.path);
	assert_int_equal(link(in_store(shell, "state.json"), other), 0);
}

static void make_over_total(struct shell *shell)
{
	(void)shell;
	shell_env("KOTA_MEMORY_LIMITS_TOTAL_BYTES", "40");
}

static void make_over_entries(struct shell *shell)
{
	shell_env("KOTA_MEMORY_LIMITS_ENTRIES_PER_CATEGORY", "1");
	shell_write(shell, "state.json", "{\"a\":1,\"b\":2}");
}

static void make_too_large(struct shell *shell)
{
	(void)shell;
	shell_env("KOTA_MEMORY_LIMITS_ENTRY_BYTES", "10");
}

static void make_pinned(struct shell *shell)
{
	shell_env("KOTA_MEMORY_LIMITS_ENTRIES_PER_CATEGORY", "2");
	shell_write(shell, "state.json",
		    "{\"a\":{\"value\":1,\"pinned\":true},\"b\":{\"value\":1,\"pinned\":true}}");
}

static void make_same_key(struct shell *shell)
{
	shell_write(shell, "state.json", "{\"My Editor\":1,\"my_editor\":2}");
}

static void make_blank_key(struct shell *shell)
{
	shell_write(shell, "state.json", "{\" \":1}");
}

static void make_expiring(struct shell *shell)
{
	shell_write(shell, "usage.jsonl", "{\"since\":\"2026-08-01T00:00:00.000Z\"}\n");
	shell_write(shell, "state.json",
		    "{\"old\":{\"value\":1,\"created_at\":\"2026-08-27T00:00:00.000Z\","
		    "\"last_updated\":\"2026-08-27T00:00:00.000Z\"},"
		    "\"kept\":{\"value\":1,\"created_at\":\"2026-08-27T00:00:00.000Z\","
		    "\"last_updated\":\"2026-08-27T00:00:00.000Z\",\"pinned\":true},"
		    "\"young\":{\"value\":1,\"created_at\":\"2026-08-31T00:00:00.000Z\","
		    "\"last_updated\":\"2026-08-31T00:00:00.000Z\"}}");
}

static void make_secret(struct shell *shell)
{
	shell_env("KOTA_MEMORY_GIT", "off");
	shell_write(shell, "state.json", "{\"door\":\"" DOCTOR_TOKEN "\"}");
}

static void make_password(struct shell *shell)
{
	shell_write(shell, "state.json", "{\"wifi password\":\"hunter2\"}");
}

static void make_bad_records(struct shell *shell)
{
	shell_write(shell, "archive.json", "{\"state\":[5]}");
}

static void make_link_gone(struct shell *shell)
{
	shell_write(shell, "relations.json",
		    "{\"1\":{\"from\":\"state:conversation_notes\",\"to\":\"state:gone\","
		    "\"type\":\"causes\"}}");
}

static void make_bad_links(struct shell *shell)
{
	shell_write(shell, "relations.json", "{\"1\":5}");
}

static void make_cold_broken(struct shell *shell)
{
	snprintf(path, sizeof path, "%s/archive.cold", shell->store);
	if (access(path, F_OK) == 0) {
		char aside[PATH_MAX + 16];

		snprintf(aside, sizeof aside, "%s/cold", shell->dir.path);
		assert_int_equal(rename(path, aside), 0);
	}
	become_link(shell, "archive.cold", "nowhere");
}

static void make_cold_lines(struct shell *shell)
{
	mkdir(in_store(shell, "archive.cold"), 0700);
	shell_write(shell, "archive.cold/2026-01.jsonl", "{}\nnonsense\n");
}

static void make_notes_closed(struct shell *shell)
{
	mkdir(in_store(shell, "notes"), 0700);
	assert_int_equal(mkfifo(in_store(shell, "notes/pipe.md"), 0600), 0);
}

static void make_note_missing(struct shell *shell)
{
	shell_write(shell, "state.json",
		    "{\"a\":{\"value\":1,\"status\":\"promoted\",\"promoted_to\":\"notes/a.md\"}}");
}

static void make_synonyms(struct shell *shell)
{
	shell_write(shell, "synonyms.json", "{\"a\"");
}

static void make_metadata_stale(struct shell *shell)
{
	shell_write(shell, "metadata.json", "{\"version\": 2}");
}

static void make_metadata_blocked(struct shell *shell)
{
	unlink(in_store(shell, "metadata.json"));
	assert_int_equal(mkdir(in_store(shell, "metadata.json"), 0700), 0);
}

static void make_usage_broken(struct shell *shell)
{
	unlink(in_store(shell, "usage.jsonl"));
	assert_int_equal(mkfifo(in_store(shell, "usage.jsonl"), 0600), 0);
}

static void make_clock(struct shell *shell)
{
	(void)shell;
	fake_sys_set_now(SHELL_NOW + 400 * MS_PER_DAY);
}

static void make_later(struct shell *shell)
{
	(void)shell;
	fake_sys_set_now(SHELL_NOW - 1000);
}

const struct doctor_state doctor_states_files[] = {
	{FINDING_STORE_FORMAT, make_format, 65, "has format 9"},
	{FINDING_STORE_CLOSED, make_closed, 1, "Too many levels of symbolic links"},
	{FINDING_SETTINGS_BROKEN, make_settings, 65, "config.json:2:28: there is no setting"},
	{FINDING_NOT_WRITABLE, make_read_only, 1, "it can be read"},
	{FINDING_OPEN_TO_OTHERS, make_open, 1, "open to others: state.json (0644)"},
	{FINDING_OPEN_BEHIND_LINK, make_open_elsewhere, 1, "open to others: patterns.json (0644)"},
	{FINDING_FOREIGN_OWNER, make_foreign, 1, "usage.jsonl belongs to another user (65534)"},
	{FINDING_MARKS_MISSING, make_unmarked, 0,
	 ".gitignore lacks lines, the first is \\\".*\\\""},
	{FINDING_FILE_BROKEN, make_broken, 65, "patterns.json:2:9: "},
	{FINDING_MERGE_MARKERS, make_markers, 65, "patterns.json:2:1: conflict markers of git"},
	{FINDING_FILE_DAMAGED, make_damaged, 65, "state.json is empty; it had 1 entry: `kota "},
	{FINDING_HARD_LINK, make_hard_link, 1, "state.json is a hard link: the file has 2 names"},
	{FINDING_OVER_TOTAL, make_over_total, 1, "the limit is 40"},
	{FINDING_OVER_ENTRIES, make_over_entries, 1, "state has 2 entries, the limit is 1"},
	{FINDING_ENTRY_TOO_LARGE, make_too_large, 1, "the limit is 10"},
	{FINDING_OVER_PINNED, make_pinned, 1, "2 entries of state are pinned, more than half"},
	{FINDING_SAME_KEY, make_same_key, 1, "state:my_editor is the same key"},
	{FINDING_BLANK_KEY, make_blank_key, 1, "state has an entry with a blank key"},
	{FINDING_EXPIRES_SOON, make_expiring, 0,
	 "unless it is used, state:old expires within 7 days"},
	{FINDING_SECRET, make_secret, 1, "state:door holds a secret (GitHub token)"},
	{FINDING_PASSWORD, make_password, 0, "state:wifi password holds a secret (password)"},
	{FINDING_BAD_RECORDS, make_bad_records, 1, "archive.json has 1 member that cannot"},
	{FINDING_LINK_GONE, make_link_gone, 1, "is about an entry that is gone: state:gone"},
	{FINDING_BAD_LINKS, make_bad_links, 1, "relations.json has 1 member that cannot"},
	{FINDING_COLD_BROKEN, make_cold_broken, 65, "archive.cold must be a directory"},
	{FINDING_COLD_LINES, make_cold_lines, 65, "2026-01.jsonl:2"},
	{FINDING_NOTES_CLOSED, make_notes_closed, 1, "notes: 1 note is passed over"},
	{FINDING_NOTE_MISSING, make_note_missing, 1, "state:a was promoted to notes/a.md"},
	{FINDING_SYNONYMS_BROKEN, make_synonyms, 1, "synonyms.json:1:"},
	{FINDING_METADATA_STALE, make_metadata_stale, 0, "metadata.json does not say"},
	{FINDING_METADATA_BLOCKED, make_metadata_blocked, 1, "metadata.json is a directory"},
	{FINDING_USAGE_BROKEN, make_usage_broken, 1, "usage.jsonl"},
	{FINDING_CLOCK, make_clock, 1, "the clock cannot be trusted"},
	{FINDING_LATER_TIMES, make_later, 0, "in the store later than now"},
	{0},
};
