#include "base/utf8.h"
#include "cli/args/command.h"
#include "cli/setup/own_memory.h"
#include "cli/setup/program.h"
#include "cli/setup/setup_git.h"
#include "cli/setup/target.h"
#include "cli/term/streams.h"
#include "json/write.h"

#include <assert.h>

/* The scopes come first, in the order of enum setup_scope. */
enum setup_option { PRINT = SCOPE_COUNT, CHECK, REMOVE, HOOKS, ONLY_MEMORY, YES };

static const struct command_option options[] = {
	[SCOPE_USER] = {.name = "--user"},
	[SCOPE_PROJECT] = {.name = "--project"},
	[SCOPE_LOCAL] = {.name = "--local"},
	[PRINT] = {.name = "--print"},
	[CHECK] = {.name = "--check"},
	[REMOVE] = {.name = "--remove"},
	[HOOKS] = {.name = "--hooks", .may_have_value = true},
	[ONLY_MEMORY] = {.name = "--only-memory"},
	[YES] = {.name = "--yes"},
	{.name = NULL}};

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
	bool prompt;        /* the hook at each prompt, too */
	bool only_memory;   /* the client is to keep no memory of its own */
	bool scoped;        /* a scope was given */
	struct str program; /* this one, absolute */
	struct setup_target targets[TARGET_COUNT];
	struct str client_program; /* registers the server itself; empty: its file is edited */
	struct str ran;            /* what was run of it */
};

/* ---- the command line */

static int setup_refuse_client(const struct setup *setup, struct err *err)
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

/* The client of this name, or NULL. */
static const struct setup_client *setup_find_client(const char *name)
{
	for (const struct setup_client *client = setup_clients; client->name; client++) {
		if (strcmp(client->name, name) == 0)
			return client;
	}
	return NULL;
}

static int setup_check_request(struct setup *setup, struct err *err)
{
	if (setup->print + setup->check + setup->remove > 1)
		return err_set(err, ERR_USAGE, "use only one of --print, --check and --remove");
	setup->client = setup->run->topic ? setup_find_client(setup->run->topic) : NULL;
	if (!setup->client && !(setup->print && setup->run->topic))
		return setup_refuse_client(setup, err);
	if (setup->hooks && (!setup->client || !setup->client->hooks[0].path))
		return err_set(err, ERR_USAGE, "--hooks works with claude, codex and gemini only");
	if (setup->hooks && setup->run->given[HOOKS][0] && !setup->prompt)
		return err_set(err, ERR_USAGE, "--hooks takes no value except prompt");
	if (setup->only_memory && (!setup->client || !setup->client->own_memory))
		return err_set(err, ERR_USAGE, "--only-memory works with claude only");
	if (setup->print)
		return 0;
	if (!setup->client->files[setup->scope].path)
		return err_set(err, ERR_USAGE, "%s has no --%s", setup->client->title,
			       setup_scope_name(setup->scope));
	return 0;
}

/* ---- what is to be where */

static int setup_aim(struct setup *setup, enum setup_part part, struct err *err)
{
	return setup_target_for(&setup->targets[part], part, setup->client, setup->scope,
				setup->run->cli, str_slice(&setup->program), err);
}

/* True if this part is asked for. Removing and checking cover every part that may exist. */
static bool setup_wants(const struct setup *setup, enum setup_part part)
{
	bool may = setup->client->hooks[setup->scope].path;

	if (part == TARGET_SERVER)
		return true;
	if (part == TARGET_HOOK || part == TARGET_END)
		return setup->hooks || (may && (setup->remove || setup->check));
	if (part == TARGET_MEMORY)
		return setup->only_memory || (setup->client->own_memory && setup->remove);
	return setup->prompt || (may && setup->remove);
}

/* ---- the client's own program */

static int setup_run_client(struct setup *setup, struct err *err)
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
static bool setup_is_for_client(const struct setup *setup, const struct setup_target *target)
{
	return target == &setup->targets[TARGET_SERVER] && setup->client_program.len > 0 &&
	       target->is_planned && (setup->remove || target->state != SETUP_MOVED);
}

/* ---- telling */

static const char *setup_state_word(const struct setup *setup, const struct setup_target *target)
{
	static const char *const checks[] = {
		[SETUP_NONE] = "missing",
		[SETUP_OURS] = "registered",
		[SETUP_MOVED] = "another path",
		[SETUP_FOREIGN] = "something else",
	};

	if (target->setting && (setup->check || !target->is_planned))
		return target->state == SETUP_OURS ? "off" : "on";
	if (target->setting)
		return setup->remove ? "turned on again" : "turned off";
	if (setup->check)
		return checks[target->state];
	if (!target->is_planned)
		return setup->remove ? "not there" : "already there";
	if (setup->remove)
		return "removed";
	return target->state == SETUP_MOVED ? "changed" : "added";
}

/* What is left to the person; NULL: nothing. */
static const char *setup_approval(const struct setup *setup, const struct setup_target *target)
{
	return setup->scope == SCOPE_PROJECT && target == &setup->targets[TARGET_SERVER] &&
			       !setup->remove && !setup->check
		       ? setup->client->approval
		       : NULL;
}

static void setup_tell_json(struct json_writer *w, const struct setup *setup,
			    const struct setup_target *target)
{
	json_write_object(w);
	json_write_member_string(w, "what", slice_of(target->what));
	json_write_member_string(w, "file", str_slice(&target->path));
	json_write_member_string(w, "state", slice_of(setup_state_word(setup, target)));
	if (target->found.len > 0)
		json_write_member_string(w, "found", str_slice(&target->found));
	if (setup_is_for_client(setup, target))
		json_write_member_string(w, "ran", str_slice(&setup->ran));
	else if (target->is_planned)
		json_write_member_string(w, "lines", str_slice(&target->edit.lines));
	if (setup_approval(setup, target))
		json_write_member_string(w, "next", slice_of(setup_approval(setup, target)));
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

static void setup_tell_text(struct str *out, const struct setup *setup,
			    const struct setup_target *target)
{
	utf8_add_visible(out, str_slice(&target->path), false);
	str_printf(out, ": %s %s", target->what, setup_state_word(setup, target));
	if (setup->check && target->found.len > 0) {
		str_adds(out, ": ");
		utf8_add_visible(out, str_slice(&target->found), false);
	}
	str_addc(out, '\n');
	if (setup_is_for_client(setup, target))
		setup_add_lines(out, str_slice(&setup->ran));
	else if (target->is_planned)
		setup_add_lines(out, str_slice(&target->edit.lines));
	if (setup_approval(setup, target))
		str_printf(out, "next: %s\n", setup_approval(setup, target));
}

static int setup_tell(struct setup *setup, struct err *err)
{
	STR_AUTO out = STR_INIT;
	struct json_writer w = json_writer_to(&out, &json_pretty);

	if (setup->run->options.json)
		json_write_array(&w);
	for (int part = 0; part < TARGET_COUNT; part++) {
		const struct setup_target *target = &setup->targets[part];

		/* Few users have these: say nothing if one is absent. */
		if (!setup_wants(setup, (enum setup_part)part) ||
		    (part == TARGET_END && !setup->hooks && target->state == SETUP_NONE) ||
		    (part == TARGET_PROMPT && !setup->prompt && !target->is_planned) ||
		    (part == TARGET_MEMORY && !setup->only_memory && !target->is_planned))
			continue;
		if (setup->run->options.json)
			setup_tell_json(&w, setup, target);
		else
			setup_tell_text(&out, setup, target);
	}
	if (setup->run->options.json) {
		json_write_end(&w);
		str_addc(&out, '\n');
	}
	return streams_write(setup->run->cli, str_slice(&out), err);
}

/* ---- what it does */

static void setup_print_part(struct str *out, const char *const *names, bool element,
			     struct str *value)
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
	STR_AUTO out = STR_INIT;

	setup_add_server(&setup->targets[TARGET_SERVER].value, form, str_slice(&setup->program),
			 setup->client && setup->client->core);
	if (form == FORM_TOML_TABLE)
		str_add(&out, str_slice(&setup->targets[TARGET_SERVER].value));
	else
		setup_print_part(&out, names, false, &setup->targets[TARGET_SERVER].value);
	for (int part = TARGET_HOOK; part <= TARGET_PROMPT && setup->hooks; part++) {
		enum setup_event event = (enum setup_event)(part - TARGET_HOOK);
		const char *const hook[] = {"hooks", setup->client->events[event], NULL};
		struct str *value = &setup->targets[part].value;

		if (part == TARGET_PROMPT && !setup->prompt)
			break;
		setup_add_hook(value, setup->client->hook_form, event, str_slice(&setup->program));
		setup_print_part(&out, hook, true, value);
	}
	return streams_write(setup->run->cli, str_slice(&out), err);
}

static int setup_check(struct setup *setup, struct err *err)
{
	bool fine = true;

	for (int part = 0; part < TARGET_COUNT; part++) {
		bool asked = (part != TARGET_HOOK && part != TARGET_END) || setup->hooks;

		if (!setup_wants(setup, (enum setup_part)part))
			continue;
		if (setup_aim(setup, (enum setup_part)part, err) != 0)
			return -1;
		fine = fine && (!asked || setup->targets[part].state == SETUP_OURS);
	}
	if (setup_tell(setup, err) != 0)
		return -1;
	return fine ? 0 : err_exit_status(ERR_NOT_FOUND);
}

static int setup_plan(struct setup *setup, enum setup_part part, struct err *err)
{
	if (!setup_wants(setup, part))
		return 0;
	setup_target_release(&setup->targets[part]);
	setup_target_init(&setup->targets[part]);
	if (setup_aim(setup, part, err) != 0)
		return -1;
	return setup_target_plan(&setup->targets[part], setup->remove, str_slice(&setup->program),
				 err);
}

/*
 * All is made up before anything is written; and again when its turn comes, since what was written
 * before may be in the same file.
 */
static int setup_change(struct setup *setup, struct err *err)
{
	for (int part = 0; part < TARGET_COUNT; part++) {
		if (setup_plan(setup, (enum setup_part)part, err) != 0)
			return -1;
	}
	if (setup->only_memory && !setup->remove) {
		int status = setup_take_own_memory(setup->run, setup->scope, setup->run->given[YES],
						   &setup->targets[TARGET_MEMORY], err);

		if (status != 0)
			return status;
	}
	if (setup->client->program)
		setup_program_find(&setup->client_program, setup->run->cli, setup->client->program);
	for (int i = 0; i < TARGET_COUNT; i++) {
		/* In reverse when removing: each removes what would be empty without it. */
		int part = setup->remove ? TARGET_COUNT - 1 - i : i;
		struct setup_target *target = &setup->targets[part];

		if (i > 0 && setup_plan(setup, (enum setup_part)part, err) != 0)
			return -1;
		if (target->is_planned &&
		    (setup_is_for_client(setup, target) ? setup_run_client(setup, err)
							: setup_target_write(target, err)) != 0)
			return -1;
	}
	return setup_tell(setup, err);
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
	if (setup->hooks || setup->scoped || setup->only_memory)
		return err_set(err, ERR_USAGE,
			       "setup git takes only --print, --check and --remove");
	if (setup_self(&setup->program, setup->run->cli->sys, err) != 0)
		return -1;
	return setup_git(setup->run, wish, str_slice(&setup->program), err);
}

static int setup_answer(struct setup *setup, struct err *err)
{
	if (setup->run->topic && strcmp(setup->run->topic, "git") == 0)
		return setup_for_git(setup, err);
	if (setup_check_request(setup, err) != 0 ||
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
		.only_memory = run->given[ONLY_MEMORY],
		.prompt = run->given[HOOKS] && strcmp(run->given[HOOKS], "prompt") == 0,
	};

	for (int scope = 0; scope < SCOPE_COUNT; scope++) {
		if (!run->given[scope])
			continue;
		setup.scope = (enum setup_scope)scope;
		setup.scoped = true;
	}

	str_init(&setup.program);
	str_init(&setup.client_program);
	str_init(&setup.ran);
	for (int part = 0; part < TARGET_COUNT; part++)
		setup_target_init(&setup.targets[part]);
	int status = setup_answer(&setup, err);
	for (int part = 0; part < TARGET_COUNT; part++)
		setup_target_release(&setup.targets[part]);
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
		"Register the server with a client by its path. Clients: claude, codex, gemini,\n"
		"vscode, cursor, opencode, claude-desktop. --user, the default, is for all your\n"
		"projects; --project is for everybody who works on this one; --local (claude) is\n"
		"for you in this one. The command shows what it puts into which file. The rest\n"
		"of the file stays as it is, and a broken file is not touched. --hooks (claude,\n"
		"codex, gemini) also adds the hook that tells a session at its start what matters\n"
		"most, and the one that sends at its end what it changed, if you let sessions\n"
		"sync; --hooks=prompt adds these and the hook that tells at each prompt what is\n"
		"stored of it. --only-memory (claude) imports the notes that the client keeps by\n"
		"itself and turns its own memory off; it shows first what that does and asks,\n"
		"unless --yes is given. --remove removes all. --check tells what is registered;\n"
		"its status is 0 if that is this program. --print shows what belongs in the\n"
		"file, for any other client too.\n"
		"\n"
		"kota setup git is for a store that a repository shares. Afterwards git merges\n"
		"its files entry by entry, without conflicts. It adds lines to .gitattributes of\n"
		"the store, which you commit, and merge.kota to the configuration of this clone.\n"
		"Run it once in each clone.\n",
	.execute = setup_execute,
};
