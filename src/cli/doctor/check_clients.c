/*
 * What doctor says of clients: which are told of the server and the hook, and of which program.
 * No program is run for it: a project's file may have come with a repository, and name anything.
 */
#include "base/landlock.h"
#include "base/version.h"
#include "cli/doctor/check.h"
#include "cli/doctor/hook_errors.h"
#include "cli/setup/program.h"
#include "cli/setup/target.h"
#include "git/repo.h"
#include "json/tree.h"
#include "text/approx.h"
#include "text/normalize.h"

#include <errno.h>
#include <fcntl.h>
#include <strings.h>

/* A program of more bytes is none of ours. */
#define PROGRAM_MAX ((size_t)256 << 20)
#define PLUGIN "kota-memory@"

/* One client at work. */
struct client {
	struct cli *cli;
	struct findings *found;
	const struct setup_client *row;
	struct str program; /* this one, absolute */
	struct str told;    /* "user, project" */
	struct str hooks;   /* scopes of hooks */
	struct str hook_command;
	bool hooks_differ;
	bool plugin;
	struct file_id seen[SCOPE_COUNT * 2]; /* files looked at: a project may be the home */
	size_t seen_count;
};

/* ---- the program that is started */

/* The file that the command stands for; false when there is none that can be run. */
static bool clients_resolve(const struct client *client, struct slice command, struct str *path)
{
	const struct sys *sys = client->cli->sys;
	STR_AUTO name = STR_INIT;
	struct stat st;

	str_add(&name, command);
	if (name.len == 0 || strlen(name.ptr) != name.len)
		return false;
	if (!strchr(name.ptr, '/'))
		return setup_program_find(path, client->cli, name.ptr);
	str_adds(path, name.ptr);
	return sys->fstatat(AT_FDCWD, path->ptr, &st, 0) == 0 && S_ISREG(st.st_mode) &&
	       (st.st_mode & 0111);
}

static bool check_is_this(const struct client *client, const char *path)
{
	const struct sys *sys = client->cli->sys;
	struct stat ours;
	struct stat theirs;

	return sys->fstatat(AT_FDCWD, "/proc/self/exe", &ours, 0) == 0 &&
	       sys->fstatat(AT_FDCWD, path, &theirs, 0) == 0 && ours.st_dev == theirs.st_dev &&
	       ours.st_ino == theirs.st_ino;
}

/* The version that stands in the program's file, behind its mark; empty when it has none. */
static void check_read_version(const struct client *client, const char *path, struct str *version)
{
	STR_AUTO text = STR_INIT;
	struct err unread;
	struct file_id id;

	if (file_read(client->cli->sys, AT_FDCWD, path, PROGRAM_MAX, &text, &id, &unread) != 0 ||
	    text.len == 0)
		return;
	const char *at = memmem(text.ptr, text.len, VERSION_MARK, strlen(VERSION_MARK));
	if (!at)
		return;
	at += strlen(VERSION_MARK);
	str_add(version, slice_make(at, strspn(at, "0123456789.abcdefghijklmnopqrstuvwxyz-+~")));
}

static void check_tell_other(const struct client *client, const char *what, const char *path,
			     const char *command)
{
	STR_AUTO version = STR_INIT;
	STR_AUTO remedy = STR_INIT;

	check_read_version(client, path, &version);
	str_printf(&remedy, "If it is not meant to: %s", command);
	findings_add(client->found, FINDING_CLIENT_OTHER, remedy.ptr,
		     "%s starts another kota than this: %s, %s%s", what, path,
		     version.len ? "version " : "its version is not known",
		     version.len ? version.ptr : "");
}

/* setup is the command that points the client to this program. */
static void check_program(const struct client *client, const char *what, struct slice command,
			  const char *setup)
{
	STR_AUTO remedy = STR_INIT;
	STR_AUTO path = STR_INIT;

	if (!clients_resolve(client, command, &path)) {
		str_printf(&remedy, "Point it to this program: %s", setup);
		findings_add(client->found, FINDING_CLIENT_GONE, remedy.ptr,
			     "%s starts %.*s, which is not there or cannot be run", what,
			     (int)command.len, command.ptr ? command.ptr : "");
	} else if (!check_is_this(client, path.ptr)) {
		check_tell_other(client, what, path.ptr, setup);
	}
}

/* ---- what a file says */

/* In the home the project's files are the person's own. */
static bool check_is_seen(struct client *client, const struct config_file *file)
{
	for (size_t i = 0; i < client->seen_count; i++) {
		if (file->id.present && file_id_equal(&client->seen[i], &file->id))
			return true;
	}
	if (file->id.present)
		client->seen[client->seen_count++] = file->id;
	return false;
}

static void check_add_scope(struct str *out, enum setup_scope scope)
{
	str_printf(out, "%s%s", out->len ? ", " : "", setup_scope_name(scope));
}

static void check_take_target(struct client *client, const struct setup_target *target,
			      enum setup_scope scope)
{
	STR_AUTO setup = STR_INIT;
	STR_AUTO what = STR_INIT;

	if (target->state == SETUP_NONE)
		return;
	str_printf(&what, "%s (%s)", client->row->title, target->path.ptr);
	if (target->state == SETUP_FOREIGN) {
		findings_add(client->found, FINDING_CLIENT_FOREIGN, NULL,
			     "%s calls something else \"" SETUP_NAME "\": %s", what.ptr,
			     target->found.ptr);
		return;
	}
	if (target->hook) {
		struct slice command = str_slice(&target->command);

		if (client->hooks.len > 0 &&
		    !slice_equal(command, str_slice(&client->hook_command)))
			client->hooks_differ = true;
		str_clear(&client->hook_command);
		str_add(&client->hook_command, command);
		check_add_scope(&client->hooks, scope);
	} else {
		check_add_scope(&client->told, scope);
	}
	if (target->hook)
		str_adds(&what, ", its hook,");
	str_printf(&setup, "kota setup %s --%s%s", client->row->name, setup_scope_name(scope),
		   target->hook ? " --hooks" : "");
	check_program(client, what.ptr, str_slice(&target->command), setup.ptr);
}

/* True if the plugin is enabled here. */
static bool check_has_plugin(const struct config_file *file)
{
	static const char *const names[] = {"enabledPlugins", NULL};
	const struct jsonc_spot spot = {names, false};
	struct json_fault fault;
	struct jsonc doc;
	bool on = false;

	if (!file->id.present || jsonc_parse(&doc, str_slice(&file->text), &fault) != 0)
		return false;
	uint32_t list = jsonc_find(&doc, &spot);
	if (list != JSON_NONE && json_type(&doc.json, list) == JSON_OBJECT) {
		for (uint32_t n = json_first(&doc.json, list); n != JSON_NONE;
		     n = json_next(&doc.json, n)) {
			STR_AUTO scratch = STR_INIT;
			struct slice name = json_name(&doc.json, n, &scratch);

			on = on || (slice_starts(name, PLUGIN) &&
				    slice_is(json_text(&doc.json, n), "true"));
		}
	}
	jsonc_release(&doc);
	return on;
}

static void clients_check_file(struct client *client, enum setup_part part, enum setup_scope scope)
{
	struct setup_target target;
	struct err err;

	setup_target_init(&target);
	int result = setup_target_for(&target, part, client->row, scope, client->cli,
				      str_slice(&client->program), &err);
	if (result != 0 && err.code != ERR_NOT_FOUND)
		findings_add(client->found, FINDING_CLIENT_BROKEN, NULL, "%s: %s",
			     client->row->title, err.text);
	/* What is under "projects" is in the same file as the person's. */
	if (result == 0 && (target.project.len > 0 || !check_is_seen(client, &target.file))) {
		check_take_target(client, &target, scope);
		if (target.hook)
			client->plugin = client->plugin || check_has_plugin(&target.file);
	}
	setup_target_release(&target);
}

/* ---- a client */

static void check_twice(const struct client *client)
{
	if (client->plugin && (client->told.len > 0 || client->hooks.len > 0))
		findings_add(client->found, FINDING_CLIENT_TWICE,
			     "Keep one: kota setup claude --remove takes away what it has put "
			     "there.",
			     "%s has the plugin kota-memory, and beside it the %s",
			     client->row->title, client->told.len > 0 ? "server" : "hook");
	else if (client->hooks_differ)
		findings_add(client->found, FINDING_CLIENT_TWICE, NULL,
			     "%s has hooks that start different programs (%s)", client->row->title,
			     client->hooks.ptr);
}

static void clients_tell(const struct client *client)
{
	STR_AUTO text = STR_INIT;

	if (client->told.len > 0)
		str_printf(&text, "registered (%s)", client->told.ptr);
	if (client->hooks.len > 0)
		str_printf(&text, "%shook (%s)", text.len ? ", " : "", client->hooks.ptr);
	if (client->plugin)
		str_printf(&text, "%splugin", text.len ? ", " : "");
	if (text.len > 0)
		findings_fact(client->found, GROUP_CLIENTS, client->row->name, "%s", text.ptr);
	else
		findings_detail(client->found, GROUP_CLIENTS, client->row->name, "not registered");
}

static void check_client(struct cli *cli, struct findings *found, const struct setup_client *row)
{
	struct client client = {
		.cli = cli,
		.found = found,
		.row = row,
		.program = STR_INIT,
		.told = STR_INIT,
		.hooks = STR_INIT,
		.hook_command = STR_INIT,
	};
	struct err err;

	if (setup_self(&client.program, cli->sys, &err) == 0) {
		for (int scope = 0; scope < SCOPE_COUNT; scope++) {
			if (row->files[scope].path)
				clients_check_file(&client, TARGET_SERVER, (enum setup_scope)scope);
		}
		client.seen_count = 0;
		for (int scope = 0; scope < SCOPE_COUNT; scope++) {
			if (row->hooks[scope].path)
				clients_check_file(&client, TARGET_HOOK, (enum setup_scope)scope);
		}
		if (client.plugin)
			check_program(&client, "the plugin of Claude Code", slice_of("kota"),
				      "install it in a folder of PATH, or switch the plugin off");
		check_twice(&client);
		clients_tell(&client);
	}
	str_release(&client.program);
	str_release(&client.told);
	str_release(&client.hooks);
	str_release(&client.hook_command);
}

void checkup_clients(struct cli *cli, struct findings *found)
{
	STR_AUTO failed = STR_INIT;

	for (const struct setup_client *row = setup_clients; row->name; row++) {
		if (row->files[SCOPE_USER].path)
			check_client(cli, found, row);
	}
	if (hook_error_read(cli, &failed))
		findings_add(found, FINDING_HOOK_FAILED, NULL, "the hook of a session failed: %s",
			     failed.ptr);
}

/* What doctor says of the program itself and of what is around it. */

/* The locale that texts on the terminal are written in, as the C library would choose it. */
static const char *check_locale_name(const struct cli *cli)
{
	static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		const char *value = cli->env(variables[i]);

		if (value && value[0])
			return value;
	}
	return "C";
}

static void check_tell_terminal(struct cli *cli, struct findings *found)
{
	const char *name = check_locale_name(cli);
	const char *encoding = strchr(name, '.');

	if (!cli->out_is_terminal)
		findings_detail(found, GROUP_PROGRAM, "terminal", "none, locale %s", name);
	else
		findings_detail(found, GROUP_PROGRAM, "terminal", "%d columns, %s, locale %s",
				cli->columns, paint_for(cli).plain[0] ? "colours" : "no colours",
				name);
	/* The plain locale says nothing about the terminal. */
	if (encoding && strncasecmp(encoding, ".utf-8", 6) != 0 &&
	    strncasecmp(encoding, ".utf8", 5) != 0)
		findings_add(found, FINDING_TERMINAL, NULL,
			     "the locale %s uses another encoding than UTF-8", name);
}

static const char *check_why_not_confined(int number)
{
	switch (number) {
	case 0:
		return "landlock of this kernel is too old: it forbids renaming between folders";
	case EOPNOTSUPP:
		return "landlock is switched off in this kernel";
	case ENOSYS:
		return "this kernel has no landlock";
	default:
		return "landlock is forbidden here, as containers may do";
	}
}

/* What the server and the hooks do when they begin; doctor itself does not. */
static void check_tell_confinement(const struct cli *cli, struct findings *found)
{
	int number;
	int abi = landlock_abi(cli->sys, &number);

	if (abi >= LANDLOCK_ABI_MIN)
		findings_detail(found, GROUP_PROGRAM, "confined",
				"the server and the hooks, by landlock %d", abi);
	else
		findings_add(found, FINDING_NOT_CONFINED, NULL,
			     "the server and the hooks are not confined to their files: %s",
			     check_why_not_confined(number));
}

void checkup_program(struct cli *cli, struct findings *found)
{
	STR_AUTO git = STR_INIT;
	struct err err;

	findings_fact(found, GROUP_PROGRAM, "version", "kota %s, store format %d", version_text(),
		      STORE_FORMAT);
	if (repo_library(&git, &err) != 0)
		str_adds(&git, "missing");
	findings_detail(found, GROUP_PROGRAM, "libraries", "libgit2 %s, cJSON %s, utf8proc %s, %s",
			git.ptr, json_tree_library(), normalize_library(), approx_library());
	if (cli->protocols)
		findings_detail(found, GROUP_PROGRAM, "protocol", "%s", cli->protocols);
	check_tell_terminal(cli, found);
	check_tell_confinement(cli, found);
}
