#include "torture/gitlog.h"

#include "store/history/commit_message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* One byte before each commit, as no message has it. */
#define MARK '\1'

void gitlog_prepare(const char *home)
{
	setenv("HOME", home, 1);
	setenv("XDG_CONFIG_HOME", home, 1);
	setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
	/* A look must not write the index, which git does not make durable. */
	setenv("GIT_OPTIONAL_LOCKS", "0", 1);
	setenv("KOTA_MEMORY_GIT", "own", 1);
	if (system("git --version >/dev/null 2>&1") != 0)
		row_skip("there is no git program");
}

int gitlog_git(const char *dir, const char *words, struct str *out)
{
	STR_AUTO command = STR_INIT;
	char buffer[4096];
	size_t got;
	FILE *pipe;
	int status;

	str_printf(&command, "git -C '%s' %s 2>&1", dir, words);
	pipe = popen(command.ptr, "re");
	if (!pipe)
		row_fatal("popen");
	if (out)
		str_clear(out);
	while ((got = fread(buffer, 1, sizeof buffer, pipe)) > 0) {
		if (out)
			str_add(out, slice_make(buffer, got));
	}
	status = pclose(pipe);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

size_t gitlog_count(const struct gitlog *log, const char *deed)
{
	size_t count = 0;

	map_get(&log->deeds, slice_of(deed), &count);
	return count;
}

static void add_deed(struct gitlog *log, struct slice tool, struct slice ref)
{
	STR_AUTO deed = STR_INIT;
	size_t count;

	str_add(&deed, tool);
	str_addc(&deed, ' ');
	str_add(&deed, ref);
	count = gitlog_count(log, deed.ptr);
	map_put(&log->deeds, arena_copy(&log->arena, str_slice(&deed)), count + 1);
}

/* author, then the message: "kota-memory\nset state:a\n\nKota-Tool: ..." */
static void take_commit(struct gitlog *log, struct row *row, const char *text)
{
	const char *from = text;
	struct slice tool = message_trailer(&from, "Kota-Tool");
	struct slice change = message_trailer(&from, "Kota-Change");
	struct slice ref = message_trailer(&from, "Kota-Ref");
	const char *subject = strchr(text, '\n');

	log->commits++;
	if (change.ptr) {
		log->ours++;
		if (map_get(&log->changes, change, NULL))
			row_violation(row, "change %.*s is in the history twice", (int)change.len,
				      change.ptr);
		map_put(&log->changes, arena_copy(&log->arena, change), 1);
		add_deed(log, tool, ref);
	} else if (strncmp(text, "kota-memory\n", 12) != 0) {
		log->edits++;
	} else if (subject && strncmp(subject, "\nrecovered", 10) == 0) {
		log->recovered++;
	}
}

void gitlog_read(struct gitlog *out, struct row *row, const char *dir)
{
	STR_AUTO text = STR_INIT;

	*out = (struct gitlog){.arena = ARENA_INIT};
	if (gitlog_git(dir, "log --format='%x01%an%n%B'", &text) != 0) {
		row_violation(row, "HEAD cannot be read: %s", text.ptr);
		return;
	}
	for (char *at = text.ptr; at && *at == MARK;) {
		char *next = strchr(at + 1, MARK);

		if (next)
			*next = '\0';
		take_commit(out, row, at + 1);
		if (next)
			*next = MARK;
		at = next;
	}
}

void gitlog_release(struct gitlog *log)
{
	map_release(&log->deeds);
	map_release(&log->changes);
	arena_release(&log->arena);
}

void gitlog_check_objects(struct row *row, const char *dir)
{
	STR_AUTO text = STR_INIT;

	if (gitlog_git(dir, "fsck --full --strict --no-dangling --no-progress", &text) != 0 ||
	    strstr(text.ptr, "missing") || strstr(text.ptr, "error"))
		row_violation(row, "git fsck: %s", text.ptr);
}

void gitlog_check(struct row *row, const char *dir)
{
	STR_AUTO text = STR_INIT;

	gitlog_check_objects(row, dir);
	if (gitlog_git(dir, "status --porcelain", &text) != 0 || text.len > 0)
		row_violation(row, "git status: %s", text.ptr);
}
