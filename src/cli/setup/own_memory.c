#include "cli/setup/own_memory.h"

#include "base/mem.h"
#include "cli/args/run_tool.h"
#include "cli/term/streams.h"
#include "json/write.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

struct own_memory {
	struct run *run;
	struct arena arena;
	struct slice *folders; /* paths that end in a NUL */
	size_t count;
	size_t cap;
};

static void own_memory_add(struct own_memory *own, struct slice path)
{
	struct stat st;

	if (own->run->cli->sys->fstatat(AT_FDCWD, path.ptr, &st, 0) == 0 && S_ISDIR(st.st_mode))
		*MEM_ADD(own->folders, own->count, own->cap) = path;
}

/* ---- which folders */

/* A folder that the settings name: absolute, or in the home. */
static void own_memory_find_named(struct own_memory *own, const struct setup_target *settings)
{
	struct slice text = str_slice(&settings->file.text);
	const char *home = own->run->cli->env("HOME");
	struct json_fault fault;
	struct jsonc doc;

	if (text.len == 0 || jsonc_parse(&doc, text, &fault) != 0)
		return;
	struct slice path = json_member_text(&doc.json, JSON_ROOT, "autoMemoryDirectory",
					     &own->arena);
	jsonc_release(&doc);
	if (slice_starts(path, "~/") && home)
		path = arena_printf(&own->arena, "%s%s", home, path.ptr + 1);
	if (slice_starts(path, "/"))
		own_memory_add(own, path);
}

/* The client calls a project by its path, in which all but letters and digits is "-". */
static void own_memory_find_here(struct own_memory *own, struct slice projects,
				 struct slice project)
{
	struct slice path = arena_printf(&own->arena, "%s/%s/memory", projects.ptr, project.ptr);
	char *at = (char *)(uintptr_t)path.ptr + projects.len + 1;

	for (size_t i = 0; i < project.len; i++) {
		if (!isalnum((unsigned char)at[i]))
			at[i] = '-';
	}
	own_memory_add(own, path);
}

static int own_memory_compare(const void *a, const void *b)
{
	return slice_compare(*(const struct slice *)a, *(const struct slice *)b);
}

static int own_memory_find_all(struct own_memory *own, struct slice projects, struct err *err)
{
	const struct sys *sys = own->run->cli->sys;
	int fd = file_open(sys, AT_FDCWD, projects.ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	DIR *dir = fd < 0 ? NULL : sys->fdopendir(fd);
	struct dirent *entry;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (!dir) {
		err_set_errno(err, ERR_IO, errno, "cannot open %s", projects.ptr);
		file_close(sys, &fd);
		return -1;
	}
	while ((entry = sys->readdir(dir)) != NULL) {
		if (entry->d_name[0] != '.')
			own_memory_add(own, arena_printf(&own->arena, "%s/%s/memory", projects.ptr,
							 entry->d_name));
	}
	sys->closedir(dir);
	/* Which of two notes of one name is taken must not depend on the file system. */
	if (own->count > 0)
		qsort(own->folders, own->count, sizeof *own->folders, own_memory_compare);
	return 0;
}

static int own_memory_find(struct own_memory *own, enum setup_scope scope,
			   const struct setup_target *settings, struct err *err)
{
	const struct cli *cli = own->run->cli;
	const char *config = cli->env("CLAUDE_CONFIG_DIR");
	const char *home = cli->env("HOME");
	STR_AUTO project = STR_INIT;
	struct slice projects;

	own_memory_find_named(own, settings);
	if (config && *config)
		projects = arena_printf(&own->arena, "%s/projects", config);
	else if (home && *home)
		projects = arena_printf(&own->arena, "%s/.claude/projects", home);
	else
		return err_set(err, ERR_NOT_FOUND, "HOME is not set");
	if (scope == SCOPE_USER)
		return own_memory_find_all(own, projects, err);
	if (setup_find_project(&project, cli->sys, err) != 0)
		return -1;
	own_memory_find_here(own, projects, str_slice(&project));
	return 0;
}

/* ---- taking them over */

static int own_memory_import(struct own_memory *own, bool yes, struct err *err)
{
	const struct tool *tool = tool_find_command(own->run->tools, slice_of("import"));
	int status = 0;

	for (size_t i = 0; i < own->count && status == 0; i++) {
		STR_AUTO text = STR_INIT;
		STR_AUTO hints = STR_INIT;
		struct json_writer w = json_writer_to(&text, &json_compact);

		json_write_object(&w);
		json_write_member_string(&w, "source", own->folders[i]);
		json_write_member_string(&w, "format", slice_of("markdown"));
		json_write_member_bool(&w, "yes", yes);
		json_write_end(&w);
		status = operation_call(own->run, tool, str_slice(&text), &hints, err);
	}
	return status;
}

static int own_memory_ask(struct own_memory *own, const struct setup_target *settings,
			  struct err *err)
{
	STR_AUTO question = STR_INIT;

	if (!own->run->cli->in_is_terminal)
		return err_set(err, ERR_USAGE,
			       "nothing is changed: there is no terminal to ask on; --yes does it");
	str_printf(&question, "Import the notes of %zu folder%s", own->count,
		   own->count == 1 ? "" : "s");
	if (settings->is_planned)
		str_printf(&question, ", and turn Claude Code's own memory off in %s",
			   settings->path.ptr);
	str_adds(&question, "? [y/N] ");
	streams_ask(own->run->cli, str_slice(&question));
	if (streams_read_yes(own->run->cli->in, false))
		return 0;
	return err_set(err, ERR_USAGE, "nothing is changed");
}

int setup_take_own_memory(struct run *run, enum setup_scope scope, bool yes,
			  const struct setup_target *settings, struct err *err)
{
	struct own_memory own = {.run = run, .arena = ARENA_INIT};
	int status = own_memory_find(&own, scope, settings, err);

	if (status == 0 && own.count == 0)
		streams_say(run->cli, run->command, "Claude Code has no notes of its own here");
	if (status == 0 && !yes)
		status = own_memory_import(&own, false, err);
	if (status == 0 && !yes && (own.count > 0 || settings->is_planned))
		status = own_memory_ask(&own, settings, err);
	if (status == 0)
		status = own_memory_import(&own, true, err);
	free(own.folders);
	arena_release(&own.arena);
	return status;
}
