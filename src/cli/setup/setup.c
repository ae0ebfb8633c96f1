#include "base/utf8.h"
#include "cli/args/command.h"
#include "cli/setup/program.h"
#include "cli/setup/setup_git.h"
#include "cli/setup/target.h"
#include "cli/term/streams.h"
#include "json/write.h"

#include <assert.h>

/* The scopes come first, in the order of enum setup_scope. */
enum setup_option { PRINT = SCOPE_COUNT, CHECK, REMOVE, HOOKS };

static const struct command_option options[] = {
	[SCOPE_USER] = {.name = "--user"},   [SCOPE_PROJECT] = {.name = "--project"},
	[SCOPE_LOCAL] = {.name = "--local"}, [PRINT] = {.name = "--print"},
	[CHECK] = {.name = "--check"},       [REMOVE] = {.name = "--remove"},
	[HOOKS] = {.name = "--hooks"},       {.name = NULL}};

static const char *const offers[] = {"claude",   "codex",          "gemini", "vscode", "cursor",
				     "opencode", "claude-desktop", "git",    NULL};

/* What is asked for. */
struct setup {
	struct run *run;
	const struct setup_client *client;
	enum setup_scope scope;
	bool print;
	bool check;
	bool remove;
	bool hooks;
	bool scoped;        /* a scope was given */
	struct str program; /* this one, absolute */
	struct setup_target server;
	struct setup_target hook;
	struct str client_program; /* registers the server itself; empty: its file is edited */
	struct str ran;            /* what was run of it */
};

/* ---- the command line */

static int refuse_client(const struct setup *setup, struct err *err)
{
	STR_AUTO names = STR_INIT;
	STR_AUTO scratch = STR_INIT;

	for (const struct setup_client *client = setup_clients; client->name; client++)
		str_printf(&names, "%s%s", names.len > 0 ? ", " : "", client->name);
	if (!setup->run->topic)
		return err_set(err, ERR_MISSING_ARGUMENT, "CLIENT is missing: one of %s",
			       names.ptr);
	return err_set(err, ERR_BAD_VALUE,
		       "unknown client \"%s\"; the known ones are %s, and --print shows what most "
		       "others take",
		       shown(&scratch, slice_of(setup->run->topic)), names.ptr);
}

static int check_request(struct setup *setup, struct err *err)
{
	if (setup->print + setup->check + setup->remove > 1)
		return err_set(err, ERR_USAGE, "use only one of --print, --check and --remove");
	setup->client = setup->run->topic ? setup_client_find(setup->run->topic) : NULL;
	if (!setup->client && !(setup->print && setup->run->topic))
		return refuse_client(setup, err);
	if (setup->hooks && (!setup->client || !setup->client->hooks[0].path))
		return err_set(err, ERR_USAGE, "--hooks works with claude only");
	if (setup->print)
		return 0;
	if (!setup->client->files[setup->scope].path)
		return err_set(err, ERR_USAGE, "%s has no --%s", setup->client->title,
			       setup_scope_name(setup->scope));
	return 0;
}

/* ---- what is to be where */

static int aim_server(struct setup *setup, struct err *err)
{
	return setup_target_for_server(&setup->server, setup->client, setup->scope, setup->run->cli,
				       str_slice(&setup->program), err);
}

static int aim_hook(struct setup *setup, struct err *err)
{
	return setup_target_for_hook(&setup->hook, setup->client, setup->scope, setup->run->cli,
				     str_slice(&setup->program), err);
}

/* ---- the client's own program */

static int run_client(struct setup *setup, struct err *err)
{
	const char *scope = setup_scope_name(setup->scope);
	const char *const add[] = {
		setup->client->program, "mcp",   "add", "--scope", scope, SETUP_NAME, "--",
		setup->program.ptr,     "serve", NULL};
	const char *const remove[] = {
		setup->client->program, "mcp", "remove", "--scope", scope, SETUP_NAME, NULL};
	const char *const *words = setup->remove ? remove : add;
	STR_AUTO said = STR_INIT;

	for (const char *const *word = words; *word; word++)
		str_printf(&setup->ran, "%s%s", word > words ? " " : "", *word);
	return setup_program_run(&said, setup->client_program.ptr, (char *const *)(uintptr_t)words,
				 err);
}

/* A path that moved is put right in the file, so that what else is said there stays. */
static bool is_for_client(const struct setup *setup, const struct setup_target *target)
{
	return !target->hook && setup->client_program.len > 0 && target->is_planned &&
	       (setup->remove || target->state != SETUP_MOVED);
}

static int write_target(struct setup *setup, struct setup_target *target, struct err *err)
{
	if (!target->is_planned)
		return 0;
	if (is_for_client(setup, target))
		return run_client(setup, err);
	return setup_target_write(target, err);
}

/* ---- telling */

static const char *state_word(const struct setup *setup, const struct setup_target *target)
{
	static const char *const checks[] = {
		[SETUP_NONE] = "missing",
		[SETUP_OURS] = "registered",
		[SETUP_MOVED] = "another path",
		[SETUP_FOREIGN] = "something else",
	};

	if (setup->check)
		return checks[target->state];
	if (!target->is_planned)
		return setup->remove ? "not there" : "already there";
	if (setup->remove)
		return "removed";
	return target->state == SETUP_MOVED ? "changed" : "added";
}

/* What is left to the person; NULL: nothing. */
static const char *approval(const struct setup *setup, const struct setup_target *target)
{
	return setup->scope == SCOPE_PROJECT && !target->hook && !setup->remove && !setup->check
		       ? setup->client->approval
		       : NULL;
}

static void tell_json(struct json_writer *w, const struct setup *setup,
		      const struct setup_target *target)
{
	json_write_object(w);
	json_write_member_string(w, "what", slice_of(target->what));
	json_write_member_string(w, "file", str_slice(&target->path));
	json_write_member_string(w, "state", slice_of(state_word(setup, target)));
	if (target->found.len > 0)
		json_write_member_string(w, "found", str_slice(&target->found));
	if (is_for_client(setup, target))
		json_write_member_string(w, "ran", str_slice(&setup->ran));
	else if (target->is_planned)
		json_write_member_string(w, "lines", str_slice(&target->edit.lines));
	if (approval(setup, target))
		json_write_member_string(w, "next", slice_of(approval(setup, target)));
	json_write_end(w);
}

/* Lines of a file, made visible. */
static void setup_add_lines(struct str *out, struct slice text)
{
	struct slice line;

	while (slice_line(&text, &line)) {
		line.len -= slice_ends(line, "\r");
		if (line.len > 0) {
			str_adds(out, "  ");
			utf8_add_visible(out, line, false);
			str_addc(out, '\n');
		}
	}
}

static void tell_text(struct str *out, const struct setup *setup, const struct setup_target *target)
{
	utf8_add_visible(out, str_slice(&target->path), false);
	str_printf(out, ": %s %s", target->what, state_word(setup, target));
	if (setup->check && target->found.len > 0) {
		str_adds(out, ": ");
		utf8_add_visible(out, str_slice(&target->found), false);
	}
	str_addc(out, '\n');
	if (is_for_client(setup, target))
		setup_add_lines(out, str_slice(&setup->ran));
	else if (target->is_planned)
		setup_add_lines(out, str_slice(&target->edit.lines));
	if (approval(setup, target))
		str_printf(out, "next: %s\n", approval(setup, target));
}

static int setup_tell(struct setup *setup, bool with_hook, struct err *err)
{
	STR_AUTO out = STR_INIT;
	struct json_writer w;

	if (setup->run->options.json) {
		json_writer_init(&w, &out, &json_pretty);
		json_write_array(&w);
		tell_json(&w, setup, &setup->server);
		if (with_hook)
			tell_json(&w, setup, &setup->hook);
		json_write_end(&w);
		str_addc(&out, '\n');
	} else {
		tell_text(&out, setup, &setup->server);
		if (with_hook)
			tell_text(&out, setup, &setup->hook);
	}
	return streams_write(setup->run->cli, str_slice(&out), err);
}

/* ---- what it does */

static void print_part(struct str *out, const char *const *names, bool element, struct str *value)
{
	struct jsonc_spot spot = {names, element};
	struct jsonc_edit edit = JSONC_EDIT_INIT;
	struct json_fault ignored;

	jsonc_add(&edit, NULL, &spot, str_slice(value), &ignored);
	str_add(out, str_slice(&edit.text));
	jsonc_edit_release(&edit);
}

/* For a client that is not known, what most of them take. */
static int setup_print(struct setup *setup, struct err *err)
{
	enum setup_form form = setup->client ? setup->client->form : FORM_COMMAND;
	const char *const names[] = {setup->client ? setup->client->member : "mcpServers",
				     SETUP_NAME, NULL};
	const char *const hook[] = {"hooks", "SessionStart", NULL};
	STR_AUTO out = STR_INIT;

	setup_add_server(&setup->server.value, form, str_slice(&setup->program));
	setup_add_hook(&setup->hook.value, str_slice(&setup->program));
	if (form == FORM_TOML_TABLE)
		str_add(&out, str_slice(&setup->server.value));
	else
		print_part(&out, names, false, &setup->server.value);
	if (setup->hooks)
		print_part(&out, hook, true, &setup->hook.value);
	return streams_write(setup->run->cli, str_slice(&out), err);
}

static int setup_check(struct setup *setup, struct err *err)
{
	bool with_hook = setup->client->hooks[0].path != NULL;
	bool fine;

	if (aim_server(setup, err) != 0 || (with_hook && aim_hook(setup, err) != 0) ||
	    setup_tell(setup, with_hook, err) != 0)
		return -1;
	fine = setup->server.state == SETUP_OURS &&
	       (!setup->hooks || setup->hook.state == SETUP_OURS);
	return fine ? 0 : err_exit_status(ERR_NOT_FOUND);
}

/* All is made up before anything is written. */
static int setup_change(struct setup *setup, struct err *err)
{
	struct slice program = str_slice(&setup->program);
	bool with_hook = setup->hooks || (setup->remove && setup->client->hooks[0].path);

	if (aim_server(setup, err) != 0 ||
	    setup_target_plan(&setup->server, setup->remove, program, err) != 0)
		return -1;
	if (with_hook && (aim_hook(setup, err) != 0 ||
			  setup_target_plan(&setup->hook, setup->remove, program, err) != 0))
		return -1;
	if (setup->client->program)
		setup_program_find(&setup->client_program, setup->run->cli, setup->client->program);
	if (write_target(setup, &setup->server, err) != 0 ||
	    write_target(setup, &setup->hook, err) != 0)
		return -1;
	return setup_tell(setup, with_hook, err);
}

/* git is no client: it merges the files of a store. */
static int setup_for_git(struct setup *setup, struct err *err)
{
	enum setup_git_wish wish = setup->print    ? SETUP_GIT_PRINT
				   : setup->check  ? SETUP_GIT_CHECK
				   : setup->remove ? SETUP_GIT_REMOVE
						   : SETUP_GIT_ADD;

	if (setup->print + setup->check + setup->remove > 1)
		return err_set(err, ERR_USAGE, "use only one of --print, --check and --remove");
	if (setup->hooks || setup->scoped)
		return err_set(err, ERR_USAGE,
			       "git takes --print, --check and --remove: the store and this clone "
			       "are meant");
	if (setup_self(&setup->program, setup->run->cli->sys, err) != 0)
		return -1;
	return setup_git(setup->run, wish, str_slice(&setup->program), err);
}

static int setup_answer(struct setup *setup, struct err *err)
{
	if (setup->run->topic && strcmp(setup->run->topic, "git") == 0)
		return setup_for_git(setup, err);
	if (check_request(setup, err) != 0 ||
	    setup_self(&setup->program, setup->run->cli->sys, err) != 0)
		return -1;
	if (setup->print)
		return setup_print(setup, err);
	assert(setup->client); /* only --print does without one that is known */
	return setup->check ? setup_check(setup, err) : setup_change(setup, err);
}

static int setup_execute(struct run *run, struct err *err)
{
	struct setup setup = {
		.run = run,
		.print = run->given[PRINT],
		.check = run->given[CHECK],
		.remove = run->given[REMOVE],
		.hooks = run->given[HOOKS],
	};
	int status;

	for (int scope = 0; scope < SCOPE_COUNT; scope++) {
		if (!run->given[scope])
			continue;
		setup.scope = (enum setup_scope)scope;
		setup.scoped = true;
	}

	str_init(&setup.program);
	str_init(&setup.client_program);
	str_init(&setup.ran);
	setup_target_init(&setup.server);
	setup_target_init(&setup.hook);
	status = setup_answer(&setup, err);
	setup_target_release(&setup.server);
	setup_target_release(&setup.hook);
	str_release(&setup.program);
	str_release(&setup.client_program);
	str_release(&setup.ran);
	return status;
}

const struct command command_setup = {
	.name = "setup",
	.topic = "CLIENT",
	.usage = "[OPTION...]",
	.options = options,
	.offers = offers,
	.summary = "Register the server with a client: claude, codex, gemini, vscode, cursor, "
		   "opencode, claude-desktop; or the merge with git",
	.description =
		"Register the server with a client, by its path: claude, codex, gemini, vscode,\n"
		"cursor, opencode or claude-desktop. --user, for all your projects, is the\n"
		"default; --project is for whoever works on this one, --local (claude) for you in\n"
		"this one. What is put into which file is shown; all else in it stays as it is,\n"
		"and a broken file is not touched. --hooks (claude) also adds the hook that tells\n"
		"a session at its beginning what matters most. --remove takes both away again.\n"
		"--check says what is registered; status 0 says that it is this program. --print\n"
		"shows what belongs into the file, for any other client too.\n"
		"\n"
		"kota setup git is for a store that a repository shares: from then on git merges\n"
		"its files entry by entry, without conflicts. It adds lines to .gitattributes of\n"
		"the store, to be committed, and merge.kota to the configuration of this clone;\n"
		"each clone needs that once.\n",
	.execute = setup_execute,
};
