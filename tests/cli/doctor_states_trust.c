/* States of where the store comes from, and of what others have made of it. */
#include "cli/doctor_states.h"

#include "base/map.h"
#include "git/write/commit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROJECT "project"

/* Records the file, and the archive, which each of these stores has. */
static void record_file(struct repo *repo, const char *path)
{
	struct recorded_file files[] = {{.path = path}, {.path = "store/archive.json"}};
	struct commit_spec spec = {
		.files = files, .count = 2, .message = "one", .time_ms = SHELL_NOW};
	struct recording *recording;
	struct object_id id;
	struct err err;

	if (repo_blob_write(repo, slice_of("{}"), &files[0].blob, &err) != 0 ||
	    repo_blob_write(repo, slice_of("{}"), &files[1].blob, &err) != 0 ||
	    recording_begin(&recording, repo, &err) != 0 ||
	    recording_add(recording, &spec, &id, &err) != 0 ||
	    recording_finish(recording, &err) != 0)
		fail_msg("%s", err.text);
}

void into_repository(struct shell *shell, const char *tracked)
{
	char project[PATH_MAX + 32];
	char before[sizeof shell->store];
	struct repo *repo;
	struct err err;

	memcpy(before, shell->store, sizeof before);
	snprintf(project, sizeof project, "%s/" PROJECT, shell->dir.path);
	assert_int_equal(mkdir(project, 0700), 0);
	snprintf(shell->store, sizeof shell->store, "%s/" PROJECT "/store", shell->dir.path);
	assert_int_equal(rename(before, shell->store), 0);
	if (repo_create(&repo, sys_real(), project, &err) != 0)
		fail_msg("%s", err.text);
	if (tracked)
		record_file(repo, tracked);
	repo_close(repo);
}

static void write_there(struct shell *shell, const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof path, PROJECT "/store/%s", name);
	tmpdir_write(&shell->dir, path, text);
}

/* The person trusts the store as it is. */
static void say_yes(struct shell *shell)
{
	char terminal[PATH_MAX + 16];

	tmpdir_write(&shell->dir, "tty", "y\n");
	snprintf(terminal, sizeof terminal, "%s/tty", shell->dir.path);
	shell->cli.terminal = terminal;
	if (shell_run(shell, "trust", NULL) != 0)
		fail_msg("%s", shell->err);
	shell->cli.terminal = NULL;
}

static void distrust(struct shell *shell)
{
	assert_int_equal(shell_run(shell, "trust", "--remove", NULL), 0);
}

static void make_foreign(struct shell *shell)
{
	into_repository(shell, "store/state.json");
	distrust(shell);
}

static void put_link(struct shell *shell)
{
	tmpdir_write(&shell->dir, "elsewhere.json", "{}");
	unlink(in_store(shell, "patterns.json"));
	assert_int_equal(symlink("../elsewhere.json", in_store(shell, "patterns.json")), 0);
}

static void make_unreviewed(struct shell *shell)
{
	distrust(shell);
	put_link(shell);
}

static void make_link_tracked(struct shell *shell)
{
	into_repository(shell, "store/state.json");
	tmpdir_write(&shell->dir, PROJECT "/elsewhere.json", "{}");
	assert_int_equal(symlink("../elsewhere.json", in_store(shell, "patterns.json")), 0);
}

static void make_settings_held(struct shell *shell)
{
	into_repository(shell, "store/state.json");
	say_yes(shell);
	write_there(shell, "config.json", "{\"secrets\": \"off\"}");
}

static void make_state_tracked(struct shell *shell)
{
	into_repository(shell, "store/usage.jsonl");
}

static void make_name_odd(struct shell *shell)
{
	into_repository(shell, "store/.x;touch y;.prev");
}

static void make_changed(struct shell *shell)
{
	into_repository(shell, "store/state.json");
	say_yes(shell);
	write_there(shell, "state.json", "{\"theirs\": 1}");
}

static void make_not_known(struct shell *shell)
{
	into_repository(shell, "store/state.json");
}

static void make_no_state_folder(struct shell *shell)
{
	char path[PATH_MAX + 32];

	snprintf(path, sizeof path, "%s/.local/state", shell->dir.path);
	assert_int_equal(chmod(path, 0777), 0);
}

/* Entries that a repository shares, and that nobody has used here for long. */
static void make_due_shared(struct shell *shell)
{
	into_repository(shell, "store/state.json");
	write_there(shell, "state.json",
		    "{\"old\":{\"value\":1,\"created_at\":\"2026-07-01T00:00:00.000Z\","
		    "\"last_updated\":\"2026-07-01T00:00:00.000Z\"}}");
	write_there(shell, "usage.jsonl", "{\"since\":\"2026-07-01T00:00:00.000Z\"}\n");
	say_yes(shell);
}

/* A store with a remote that was never reached. */
static void make_due_unsynced(struct shell *shell)
{
	tmpdir_write(&shell->dir, "store/state.json",
		     "{\"old\":{\"value\":1,\"created_at\":\"2026-07-01T00:00:00.000Z\","
		     "\"last_updated\":\"2026-07-01T00:00:00.000Z\"}}");
	tmpdir_write(&shell->dir, "store/usage.jsonl",
		     "{\"since\":\"2026-07-01T00:00:00.000Z\"}\n");
	tmpdir_write(&shell->dir, "store/.synced", "host: other-1234\n");
}

/* "1" stands in the place of "2"; the digest is that of its text. */
static void make_conflict(struct shell *shell)
{
	STR_AUTO text = STR_INIT;

	str_adds(&text, "{\"state\":[{\"key\":\"a@0\",\"originalKey\":\"a\",\"reason\":"
			"\"conflict\",\"front\":\"");
	hex_add(&text, hash64(slice_of("1")));
	str_adds(&text, "\",\"entry\":{\"value\":2}}]}");
	tmpdir_write(&shell->dir, "store/state.json", "{\"a\":1}");
	tmpdir_write(&shell->dir, "store/archive.json", text.ptr);
}

static void make_no_driver(struct shell *shell)
{
	into_repository(shell, "store/state.json");
	say_yes(shell);
	tmpdir_write(&shell->dir, PROJECT "/.git/config",
		     "[core]\n\trepositoryformatversion = 0\n");
	/* It has none of its own: whoever shares it does so by the one around it. */
	assert_int_equal(rename(PROJECT "/store/.git", "own.git"), 0);
	shell_env("PATH", getenv("PATH"));
}

/* As an older version set it up: git merged the bases like any two sides. */
static void make_old_driver(struct shell *shell)
{
	make_no_driver(shell);
	tmpdir_write(&shell->dir, PROJECT "/.git/config",
		     "[core]\n\trepositoryformatversion = 0\n[merge \"kota\"]\n"
		     "\tname = entries of a kota memory\n"
		     "\tdriver = kota merge-driver %O %A %B %P\n\trecursive = binary\n");
}

/* A record that moved to the cold archive is in no file that the others get. */
static void make_half_tracked(struct shell *shell)
{
	into_repository(shell, "store/state.json");
	say_yes(shell);
	assert_int_equal(mkdir(PROJECT "/store/archive.cold", 0700), 0);
	write_there(shell, "archive.cold/2026-01.jsonl", "");
}

static void make_half_ignored(struct shell *shell)
{
	into_repository(shell, "store/state.json");
	say_yes(shell);
	tmpdir_write(&shell->dir, PROJECT "/.gitignore", "archive.cold/\nrelations.json\n");
}

const struct doctor_state doctor_states_trust[] = {
	{FINDING_STORE_FOREIGN, make_foreign, 1, "kota trust makes it your own"},
	{FINDING_STORE_UNREVIEWED, make_unreviewed, 1, "do not count: links (patterns.json)"},
	{FINDING_LINK_REFUSED, put_link, 1, "kota trust --link patterns.json"},
	{FINDING_LINK_REFUSED, make_link_tracked, 1, "Put a file in its place"},
	{FINDING_SETTINGS_HELD, make_settings_held, 1, "not in force: secrets"},
	{FINDING_STATE_TRACKED, make_state_tracked, 1, "rm -r --cached -- usage.jsonl"},
	{FINDING_STATE_TRACKED, make_name_odd, 1, "git rm --cached FILE"},
	{FINDING_CHANGED_BY_OTHERS, make_changed, 0, "others have changed state:theirs"},
	{FINDING_CHANGED_BY_OTHERS, make_not_known, 0, "it is not known which entries"},
	{FINDING_NO_STATE_FOLDER, make_no_state_folder, 1, "can be written by others"},
	{FINDING_MERGE_DRIVER_MISSING, make_no_driver, 1, "merges the files of the store as texts"},
	{FINDING_MERGE_DRIVER_OUTDATED, make_old_driver, 1, "another version has set it up"},
	{FINDING_HALF_TRACKED, make_half_tracked, 1, "/store add -- archive.cold"},
	{FINDING_HALF_IGNORED, make_half_ignored, 1, "but ignores relations.json archive.cold/20"},
	{FINDING_DUE_UNSYNCED, make_due_unsynced, 0,
	 "waits for a sync; the last was never; due is"},
	{FINDING_CONFLICT, make_conflict, 1, "changed on both sides: state:a"},
	{FINDING_DUE_SHARED, make_due_shared, 0, "state:old would have expired, but others"},
	{0},
};
