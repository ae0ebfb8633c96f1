#include "cli/setup/clients.h"

#include "cli/setup/toml.h"
#include "json/write.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

const struct setup_client setup_clients[] = {
	{
		.name = "claude",
		.title = "Claude Code",
		.form = FORM_TYPED,
		.member = "mcpServers",
		.files = {{"CLAUDE_CONFIG_DIR", ".claude.json", ".claude.json"},
			  {NULL, NULL, ".mcp.json"},
			  {"CLAUDE_CONFIG_DIR", ".claude.json", ".claude.json"}},
		.hooks = {{"CLAUDE_CONFIG_DIR", "settings.json", ".claude/settings.json"},
			  {NULL, NULL, ".claude/settings.json"},
			  {NULL, NULL, ".claude/settings.local.json"}},
		.events = {"SessionStart", "SessionEnd", "UserPromptSubmit"},
		.own_memory = "autoMemoryEnabled",
		.program = "claude",
		.approval = "start claude in this project and approve the server when it asks; "
			    "until then claude mcp list says \"Pending approval\"",
	},
	{
		.name = "codex",
		.title = "Codex",
		.form = FORM_TOML_TABLE,
		.hook_form = HOOK_LINE,
		.core = true,
		.member = "mcp_servers",
		.files = {{"CODEX_HOME", "config.toml", ".codex/config.toml"},
			  {NULL, NULL, ".codex/config.toml"}},
		.hooks = {{"CODEX_HOME", "hooks.json", ".codex/hooks.json"},
			  {NULL, NULL, ".codex/hooks.json"}},
		.events = {"SessionStart", "SessionEnd", "UserPromptSubmit"},
		.approval = "start codex in this project and trust the folder when it asks; "
			    "until then its servers are not used",
	},
	{
		.name = "gemini",
		.title = "Gemini CLI",
		.form = FORM_COMMAND,
		.hook_form = HOOK_LINE_MS,
		.core = true,
		.member = "mcpServers",
		.files = {{NULL, NULL, ".gemini/settings.json"},
			  {NULL, NULL, ".gemini/settings.json"}},
		.hooks = {{NULL, NULL, ".gemini/settings.json"},
			  {NULL, NULL, ".gemini/settings.json"}},
		.events = {"SessionStart", "SessionEnd", "BeforeAgent"},
		.approval = "start gemini in this project and trust the folder when it asks; "
			    "until then gemini mcp list says \"Disabled\"",
	},
	{
		.name = "vscode",
		.title = "VS Code",
		.form = FORM_TYPED,
		.core = true,
		.member = "servers",
		.files = {{"XDG_CONFIG_HOME", "Code/User/mcp.json", ".config/Code/User/mcp.json"},
			  {NULL, NULL, ".vscode/mcp.json"}},
	},
	{
		.name = "cursor",
		.title = "Cursor",
		.form = FORM_COMMAND,
		.core = true,
		.member = "mcpServers",
		.files = {{NULL, NULL, ".cursor/mcp.json"}, {NULL, NULL, ".cursor/mcp.json"}},
	},
	{
		.name = "opencode",
		.title = "opencode",
		.form = FORM_LIST,
		.core = true,
		.member = "mcp",
		.files = {{"XDG_CONFIG_HOME", "opencode/opencode.json",
			   ".config/opencode/opencode.json"},
			  {NULL, NULL, "opencode.json"}},
	},
	{
		.name = "claude-desktop",
		.title = "Claude Desktop",
		.form = FORM_COMMAND,
		.member = "mcpServers",
		.files = {{"XDG_CONFIG_HOME", "Claude/claude_desktop_config.json",
			   ".config/Claude/claude_desktop_config.json"}},
	},
	{.name = NULL},
};

const char *setup_scope_name(enum setup_scope scope)
{
	static const char *const names[SCOPE_COUNT] = {"user", "project", "local"};

	return names[scope];
}

/* ---- where */

static bool clients_is_set(const char *value)
{
	return value && *value;
}

int setup_path(struct str *out, const struct setup_file *files, enum setup_scope scope,
	       environment env, struct err *err)
{
	const struct setup_file *file = &files[scope];
	const char *folder = file->variable ? env(file->variable) : NULL;
	const char *home = env("HOME");
	/* A project's files are named from where the program is run; the others are in the home. */
	bool of_project = scope == SCOPE_PROJECT || (scope == SCOPE_LOCAL && !file->variable);

	if (!file->path)
		return err_set(err, ERR_NOT_FOUND, "no file is known for --%s",
			       setup_scope_name(scope));
	if (clients_is_set(folder))
		str_printf(out, "%s/%s", folder, file->inside);
	else if (of_project)
		str_adds(out, file->path);
	else if (clients_is_set(home))
		str_printf(out, "%s/%s", home, file->path);
	else
		return err_set(err, ERR_NOT_FOUND, "HOME is not set");
	return 0;
}

/* ---- what */

static void clients_write_args(struct json_writer *w, const char *first, const char *second)
{
	json_write_name(w, slice_of("args"));
	json_write_array(w);
	json_write_string(w, slice_of(first));
	if (second)
		json_write_string(w, slice_of(second));
	json_write_end(w);
}

/* The words behind the program's name. */
static void clients_write_serve(struct json_writer *w, bool core)
{
	static const char *const words[] = {"serve", "--tools", "core"};

	for (size_t i = 0; i < (core ? sizeof words / sizeof *words : 1); i++)
		json_write_string(w, slice_of(words[i]));
}

static void clients_write_list(struct json_writer *w, struct slice program, bool core)
{
	json_write_member_string(w, "type", slice_of("local"));
	json_write_name(w, slice_of("command"));
	json_write_array(w);
	json_write_string(w, program);
	clients_write_serve(w, core);
	json_write_end(w);
	json_write_member_bool(w, "enabled", true);
}

void setup_add_server(struct str *out, enum setup_form form, struct slice program, bool core)
{
	if (form == FORM_TOML_TABLE) {
		str_adds(out, "[mcp_servers." SETUP_NAME "]\ncommand = ");
		toml_add_string(out, program);
		str_adds(out, core ? "\nargs = [\"serve\", \"--tools\", \"core\"]\n"
				   : "\nargs = [\"serve\"]\n");
		return;
	}
	struct json_writer w = json_writer_to(out, &json_compact);
	json_write_object(&w);
	if (form == FORM_LIST) {
		clients_write_list(&w, program, core);
	} else {
		if (form == FORM_TYPED)
			json_write_member_string(&w, "type", slice_of("stdio"));
		json_write_member_string(&w, "command", program);
		json_write_member_array(&w, "args");
		clients_write_serve(&w, core);
		json_write_end(&w);
	}
	json_write_end(&w);
}

const char *setup_event_word(enum setup_event event)
{
	static const char *const words[EVENT_COUNT] = {
		[EVENT_START] = "session-start",
		[EVENT_END] = "session-end",
		[EVENT_PROMPT] = "user-prompt",
	};

	return words[event];
}

void setup_add_hook_line(struct str *out, enum setup_event event, struct slice program)
{
	str_add_shell_word(out, program);
	str_printf(out, " hook %s", setup_event_word(event));
}

bool setup_hook_program(struct slice line, enum setup_event event, struct str *program)
{
	STR_AUTO end = STR_INIT;

	str_printf(&end, " hook %s", setup_event_word(event));
	if (!slice_ends(line, end.ptr))
		return false;
	line.len -= end.len;
	bool quoted = line.len >= 2 && line.ptr[0] == '\'' && slice_ends(line, "'");
	if (quoted)
		line = slice_make(line.ptr + 1, line.len - 2);
	for (size_t i = 0; i < line.len; i++) {
		if (!quoted && line.ptr[i] == ' ')
			return false;
		str_addc(program, line.ptr[i]);
		if (quoted && slice_starts(slice_make(line.ptr + i, line.len - i), "'\\''"))
			i += 3;
	}
	return line.len > 0;
}

static void clients_write_hook(struct json_writer *w, enum setup_hook_form form,
			       enum setup_event event, struct slice program)
{
	/* Codex grants the last hook of a session 3 s, and complains of more. */
	int seconds = event == EVENT_END ? 3 : 5;
	STR_AUTO line = STR_INIT;

	json_write_object(w);
	json_write_member_string(w, "type", slice_of("command"));
	if (form == HOOK_WORDS) {
		json_write_member_string(w, "command", program);
		clients_write_args(w, "hook", setup_event_word(event));
	} else {
		setup_add_hook_line(&line, event, program);
		json_write_member_string(w, "command", str_slice(&line));
	}
	json_write_member_int(w, "timeout", form == HOOK_LINE_MS ? seconds * 1000 : seconds);
	json_write_end(w);
}

void setup_add_hook(struct str *out, enum setup_hook_form form, enum setup_event event,
		    struct slice program)
{
	struct json_writer w = json_writer_to(out, &json_compact);

	json_write_object(&w);
	if (form == HOOK_WORDS && event == EVENT_START)
		json_write_member_string(&w, "matcher",
					 slice_of("startup|resume|clear|compact|fork"));
	json_write_name(&w, slice_of("hooks"));
	json_write_array(&w);
	clients_write_hook(&w, form, event, program);
	json_write_end(&w);
	json_write_end(&w);
}
