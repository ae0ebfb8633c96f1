/* States of what is around the files: changes, history, clients, the program. */
#include "cli/doctor_states.h"

#include "cli/doctor/hook_errors.h"
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
#include <unistd.h>

static char path[PATH_MAX + 64];

static void in_home(const struct shell *shell, const char *name, const char *text)
{
	char folder[64];
	char *slash;

	snprintf(folder, sizeof folder, "%s", name);
	for (slash = strchr(folder, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdirat(shell->dir.fd, folder, 0700);
		*slash = '/';
	}
	tmpdir_write(&shell->dir, name, text);
}

static void make_lock_blocked(struct shell *shell)
{
	become_link(shell, ".lock", "state.json");
}

/* Signed, and of a newer program. */
static void make_journal_broken(struct shell *shell)
{
	STR_AUTO home = STR_INIT;
	STR_AUTO body = STR_INIT;
	STR_AUTO text = STR_INIT;

	str_printf(&home, "%s/.local/state", shell->dir.path);
	str_printf(&body, "{\"format\":3,\"store\":{\"path\":\"%s\"}}", shell->store);
	assert_int_equal(shell_run(shell, "clear-state", NULL), 0);
	forge_signed(&text, body.ptr, home.ptr);
	shell_write(shell, ".journal", text.ptr);
}

static void make_journal_unsigned(struct shell *shell)
{
	STR_AUTO body = STR_INIT;
	STR_AUTO text = STR_INIT;

	forge_body(&body, "note_remove", "state", "todo.md", "# todo\n");
	forge_unsigned(&text, body.ptr);
	shell_write(shell, ".journal.aside-3", text.ptr);
}

static void make_journal_refused(struct shell *shell)
{
	shell_write(shell, ".journal", "{}");
}

static void make_no_key(struct shell *shell)
{
	STR_AUTO key = STR_INIT;

	assert_int_equal(shell_run(shell, "clear-state", NULL), 0);
	str_printf(&key, "%s/.local/state/kota-memory/key", shell->dir.path);
	assert_int_equal(chmod(key.ptr, 0644), 0);
}

static void make_journal_left(struct shell *shell)
{
	const struct change_meta meta = {.tool = "memory_clear_state"};
	struct disk disk;
	struct err err;
	bool committed;

	assert_int_equal(disk_open(&disk, fake_sys(), shell->store, &err), 0);
	disk.env = shell->cli.env;
	assert_int_equal(disk_lock(&disk, 0, &err), 0);
	assert_int_equal(journal_commit(&disk, NULL, 0, &meta, SHELL_NOW, &committed, &err), 0);
	disk_close(&disk);
}

static void make_purge_left(struct shell *shell)
{
	shell_write(shell, ".purge", "{}");
}

static void make_in_the_way(struct shell *shell)
{
	unlink(in_store(shell, ".state.json.prev"));
	assert_int_equal(mkfifo(in_store(shell, ".state.json.prev"), 0600), 0);
}

static void make_leftover(struct shell *shell)
{
	shell_write(shell, ".journal.tmp", "{");
}

static void make_kept(struct shell *shell)
{
	shell_write(shell, ".state.json.orphan", "{}");
}

static void make_edit_left(struct shell *shell)
{
	shell_write(shell, "config.json", "{}");
	shell_write(shell, ".config.json.edit", "{\"git\": \"off\"}");
}

static void make_settings_kept(struct shell *shell)
{
	shell_write(shell, "synonyms.json", "{}");
	shell_write(shell, ".synonyms.json.orphan", "{\"a\": [\"b\"]}");
}

static void make_held(struct shell *shell)
{
	shell_write(shell, ".state.json.held-3", "{}");
}

static void make_weak(struct shell *shell)
{
	(void)shell;
	fake_sys_no_rename_flags(ENOSYS);
}

static void make_no_leases(struct shell *shell)
{
	(void)shell;
	fake_sys_fail(FAKE_LEASE, 1, EINVAL, FAKE_ALWAYS);
}

static void make_full(struct shell *shell)
{
	(void)shell;
	fake_sys_fail(FAKE_WRITE, 1, ENOSPC, FAKE_ALWAYS);
}

static void make_no_inodes(struct shell *shell)
{
	(void)shell;
	fake_sys_no_inodes();
}

static void make_history_gone(struct shell *shell)
{
	char aside[PATH_MAX + 16];

	snprintf(aside, sizeof aside, "%s/git", shell->dir.path);
	assert_int_equal(rename(in_store(shell, ".git"), aside), 0);
}

static void make_no_history(struct shell *shell)
{
	make_history_gone(shell);
	into_repository(shell, NULL);
	shell_env("KOTA_MEMORY_GIT", NULL);
}

static void make_waiting(struct shell *shell)
{
	shell_write(shell, ".git/index.lock", "");
	assert_int_equal(shell_run(shell, "set", "--category", "state", "waits", "1", NULL), 0);
}

static void make_refused(struct shell *shell)
{
	shell_write(shell, ".git/MERGE_HEAD", "0123456789012345678901234567890123456789\n");
}

/* As after a restart: the log of objects is of another boot. Three changes are in it. */
static int make_old_log(struct shell *shell, char *tip, size_t size)
{
	char *text;
	int fd;

	for (int i = 0; i < 3; i++) {
		char value[] = {(char)('0' + i), '\0'};

		text = shell_read(shell, ".git/refs/heads/main");
		snprintf(tip, size, "%s", text);
		free(text);
		assert_int_equal(
			shell_run(shell, "set", "--category", "state", "logged", value, NULL), 0);
	}
	fd = open(in_store(shell, ".git/kota-objects"), O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, "01", 2, 36), 2);
	return fd;
}

/* The branch and a commit that the disk had not yet when the power went. */
static void make_log_cut(struct shell *shell)
{
	char tip[64];
	char object[96];
	char *last;

	assert_int_equal(close(make_old_log(shell, tip, sizeof tip)), 0);
	last = shell_read(shell, ".git/refs/heads/main");
	snprintf(object, sizeof object, ".git/objects/%.2s/%.38s", last, last + 2);
	free(last);
	assert_int_equal(unlink(in_store(shell, object)), 0);
	shell_write(shell, ".git/refs/heads/main", tip);
}

static void make_log_broken(struct shell *shell)
{
	char tip[64];
	uint64_t length;
	int fd = make_old_log(shell, tip, sizeof tip);

	/* The record behind the first: one begins at a multiple of 512, its length stands at 16. */
	assert_int_equal(pread(fd, &length, sizeof length, 512 + 16), sizeof length);
	assert_int_equal(
		pwrite(fd, "broken", 6, (off_t)(512 + (32 + length + 511) / 512 * 512 + 40)), 6);
	assert_int_equal(close(fd), 0);
	/* Whoever would change something finds it. */
	assert_int_not_equal(shell_run(shell, "set", "--category", "state", "logged", "4", NULL),
			     0);
}

static void make_tip_gone(struct shell *shell)
{
	shell_write(shell, ".git/refs/heads/main", "0123456789012345678901234567890123456789\n");
}

/* The same in a repository of the person's. */
static void make_damaged(struct shell *shell)
{
	make_tip_gone(shell);
	assert_int_equal(unlink(in_store(shell, ".git/info/kota-memory")), 0);
}

/* Each folder of objects that is not there yet is something else. */
static void make_objects_closed(struct shell *shell)
{
	for (unsigned i = 0; i < 256; i++) {
		char name[32];

		snprintf(name, sizeof name, ".git/objects/%02x", i);
		if (access(in_store(shell, name), F_OK) != 0)
			shell_write(shell, name, "");
	}
}

static void make_git_lock(struct shell *shell)
{
	const struct timespec times[2] = {{.tv_sec = SHELL_NOW / 1000 - 120},
					  {.tv_sec = SHELL_NOW / 1000 - 120}};

	shell_write(shell, ".git/index.lock", "");
	assert_int_equal(utimensat(AT_FDCWD, in_store(shell, ".git/index.lock"), times, 0), 0);
}

static void make_index_aside(struct shell *shell)
{
	shell_write(shell, ".git/index.unreadable", "");
}

static void make_unrecorded(struct shell *shell)
{
	shell_write(shell, "patterns.json", "{\"lunch\": \"noon\"}\n");
}

static void make_secret_waits(struct shell *shell)
{
	shell_write(shell, "patterns.json", "{\"door\": \"" DOCTOR_TOKEN "\"}\n");
}

static void make_pending_broken(struct shell *shell)
{
	unlink(in_store(shell, ".pending"));
	assert_int_equal(mkdir(in_store(shell, ".pending"), 0700), 0);
}

static void make_client_gone(struct shell *shell)
{
	in_home(shell, ".cursor/mcp.json",
		"{\"mcpServers\":{\"memory\":{\"command\":\"/nowhere/"
		"kota\",\"args\":[\"serve\"]}}}");
}

static void make_client_other(struct shell *shell)
{
	STR_AUTO text = STR_INIT;

	in_home(shell, "bin/kota",
		"\x7f"
		"ELF and so on @(#)kota 9.8.7\n");
	snprintf(path, sizeof path, "%s/bin/kota", shell->dir.path);
	assert_int_equal(chmod(path, 0755), 0);
	str_printf(&text, "[mcp_servers.memory]\ncommand = \"%s\"\nargs = [\"serve\"]\n", path);
	in_home(shell, ".codex/config.toml", text.ptr);
}

static void make_client_foreign(struct shell *shell)
{
	in_home(shell, ".claude.json",
		"{\"mcpServers\":{\"memory\":{\"command\":\"npx\",\"args\":[\"-y\",\"server\"]}}}");
}

static void make_client_twice(struct shell *shell)
{
	make_client_other(shell);
	shell_env("PATH", "/nowhere");
	in_home(shell, ".claude/settings.json",
		"{\"enabledPlugins\":{\"kota-memory@kota-memory\":true}}");
	in_home(shell, ".claude.json",
		"{\"mcpServers\":{\"memory\":{\"command\":\"kota\",\"args\":[\"serve\"]}}}");
}

static void make_client_broken(struct shell *shell)
{
	in_home(shell, ".gemini/settings.json", "{\n  \"mcpServers\": {,}\n}\n");
}

static void make_hook_failed(struct shell *shell)
{
	hook_error_keep(&shell->cli, "the store is on the moon");
}

static void make_terminal(struct shell *shell)
{
	(void)shell;
	shell_env("LC_ALL", "de_DE.ISO-8859-1");
}

static void make_unconfined(struct shell *shell)
{
	(void)shell;
	fake_sys_fail(FAKE_LANDLOCK, 1, EOPNOTSUPP, FAKE_ALWAYS);
}

static void make_kernel_old(struct shell *shell)
{
	(void)shell;
	fake_sys_fail(FAKE_LANDLOCK, 1, ENOSYS, FAKE_ALWAYS);
}

static int first_version(void)
{
	return 1;
}

static void make_kernel_early(struct shell *shell)
{
	static struct sys table;

	table = *shell->cli.sys;
	table.landlock_version = first_version;
	shell->cli.sys = &table;
}

static void make_forbidden(struct shell *shell)
{
	(void)shell;
	fake_sys_fail(FAKE_LANDLOCK, 1, EPERM, FAKE_ALWAYS);
}

const struct doctor_state doctor_states_around[] = {
	{FINDING_LOCK_BLOCKED, make_lock_blocked, 65, ".lock is not a regular file"},
	{FINDING_JOURNAL_BROKEN, make_journal_broken, 65,
	 ".journal names what this program does not know"},
	{FINDING_JOURNAL_UNSIGNED, make_journal_unsigned, 1, "it removes the note todo.md"},
	{FINDING_JOURNAL_REFUSED, make_journal_refused, 1, ".journal is no journal"},
	{FINDING_NO_KEY, make_no_key, 1, "key can be read by others"},
	{FINDING_JOURNAL_LEFT, make_journal_left, 0, "a change was interrupted"},
	{FINDING_PURGE_LEFT, make_purge_left, 1, "a purge was begun"},
	{FINDING_IN_THE_WAY, make_in_the_way, 65, ".state.json.prev is not a regular file"},
	{FINDING_LEFTOVER, make_leftover, 0, "has left .journal.tmp"},
	{FINDING_TEXT_KEPT, make_kept, 1, ".state.json.orphan is kept for you"},
	{FINDING_TEXT_KEPT, make_edit_left, 1, ".config.json.edit is kept for you: what an"},
	{FINDING_TEXT_KEPT, make_settings_kept, 1, ".synonyms.json.orphan is kept for you"},
	{FINDING_TEXT_HELD, make_held, 0, ".state.json.held-3 is held"},
	{FINDING_FILE_SYSTEM, make_weak, 0, "may not exchange files in one step"},
	{FINDING_NO_LEASES, make_no_leases, 0, "who has a file open"},
	{FINDING_DISK_FULL, make_full, 1, "No space left on device"},
	{FINDING_NO_INODES, make_no_inodes, 1, "all 4096 inodes"},
	{FINDING_NO_HISTORY, make_no_history, 0, "the store lies in the repository"},
	{FINDING_HISTORY_GONE, make_history_gone, 1, "/.git is gone, in which the history was"},
	{FINDING_WAITING, make_waiting, 0, "at work in the history ("},
	{FINDING_HISTORY_REFUSED, make_refused, 1, "a merge is under way"},
	{FINDING_HISTORY_DAMAGED, make_damaged, 65, "lacks objects"},
	{FINDING_HISTORY_TIP, make_tip_gone, 65, "what is in the files and the archive is safe"},
	{FINDING_HISTORY_CUT, make_log_cut, 0, "a power cut has taken 1 recorded change"},
	{FINDING_HISTORY_LOG, make_log_broken, 65, "the log of changes cannot be read as a whole"},
	{FINDING_HISTORY_CLOSED, make_objects_closed, 1, "folders of objects cannot be written to"},
	{FINDING_GIT_LOCK, make_git_lock, 1, ".git/index.lock has been there for a while"},
	{FINDING_INDEX_ASIDE, make_index_aside, 0, "index.unreadable"},
	{FINDING_UNRECORDED, make_unrecorded, 0, "not in the history yet: patterns.json"},
	{FINDING_SECRET_WAITS, make_secret_waits, 1, "an edit waits, since a secret"},
	{FINDING_PENDING_BROKEN, make_pending_broken, 1, ".pending"},
	{FINDING_CLIENT_GONE, make_client_gone, 1,
	 "Point it to this program: kota setup cursor --user"},
	{FINDING_CLIENT_OTHER, make_client_other, 0, "bin/kota, version 9.8.7"},
	{FINDING_CLIENT_FOREIGN, make_client_foreign, 0,
	 "calls something else \\\"memory\\\": npx -y server"},
	{FINDING_CLIENT_TWICE, make_client_twice, 1, "has the plugin kota-memory, and beside it"},
	{FINDING_CLIENT_BROKEN, make_client_broken, 1, "settings.json:2:18: "},
	{FINDING_HOOK_FAILED, make_hook_failed, 1, "the store is on the moon"},
	{FINDING_TERMINAL, make_terminal, 0, "de_DE.ISO-8859-1"},
	{FINDING_NOT_CONFINED, make_unconfined, 0, "landlock is switched off in this kernel"},
	{FINDING_NOT_CONFINED, make_kernel_old, 0, "this kernel has no landlock"},
	{FINDING_NOT_CONFINED, make_kernel_early, 0, "it forbids renaming between folders"},
	{FINDING_NOT_CONFINED, make_forbidden, 0, "landlock is forbidden here"},
	{0},
};
