#include "cli/args/run_tool.h"

#include "base/version.h"
#include "cli/args/args.h"
#include "cli/args/describe.h"
#include "cli/render/render.h"
#include "cli/term/progress_bar.h"
#include "cli/term/streams.h"
#include "store/files/store_folder.h"
#include "store/open/store.h"

/* Opens the store at *place, which is to be released. */
static int run_tool_open_store(const struct run *run, struct place *place, struct store **store,
			       struct err *err)
{
	const struct cli *cli = run->cli;

	if (place_find(place, cli->sys, cli->env, run->options.dir, err) != 0)
		return -1;
	if (store_open_confined(store, cli->sys, cli->env, place,
				run->confines ? cli->confine : NULL, err) != 0) {
		place_release(place);
		return -1;
	}
	return 0;
}

int operation_open_store(const struct run *run, struct store **store, struct err *err)
{
	PLACE_AUTO place = {0};

	return run_tool_open_store(run, &place, store, err);
}

const char *operation_session(const struct run *run)
{
	const char *session = run->cli->env("CLAUDE_CODE_SESSION_ID");

	return session && session[0] ? session : NULL;
}

int operation_show(struct run *run, struct slice reply, int64_t now_ms, struct err *err)
{
	STR_AUTO out = STR_INIT;
	STR_AUTO notes = STR_INIT;
	struct slice note;
	struct json_fault fault;
	struct json doc;

	if (json_parse(&doc, reply, &json_file_bounds, &fault) != 0)
		return err_set(err, ERR_INTERNAL, "the reply is not JSON: %s", fault.what);
	int status = render_reply(run->cli, run->command, run->options.json, &doc, now_ms, &out,
				  &notes);
	json_release(&doc);
	if (out.len > 0 && streams_write(run->cli, str_slice(&out), err) != 0)
		return -1;
	struct slice rest = str_slice(&notes);
	while (slice_line(&rest, &note))
		streams_say(run->cli, run->command, "%.*s", (int)note.len, note.ptr);
	return status;
}

/*
 * Nothing is found where there is no store, and that alone would mislead: a folder that is
 * something else reads as empty with a sentence, and one that was named and is not there is an
 * error.
 */
static int run_tool_check_read(struct run *run, struct store *store, const struct place *place,
			       struct err *err)
{
	enum folder_kind kind;
	struct err why;

	if (folder_look(store_disk(store), &kind, &why, err) != 0)
		return -1;
	if (kind == FOLDER_OTHER)
		streams_say(run->cli, run->command, "%s", why.text);
	if (kind == FOLDER_ABSENT && place->kind == PLACE_NAMED)
		return err_set(err, ERR_NOT_FOUND,
			       "there is no %s (%s); the first kota set creates it", place->path,
			       place->why);
	return 0;
}

/* Appends a sentence with auto_detect as --auto-detect; what it quotes, or a ref, is not touched.
 */
static void run_tool_add_typed(struct str *out, const struct tool *tool, const char *text)
{
	bool quoted = false;

	while (*text) {
		size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyz_");
		size_t i = quoted || text[-1] == ':' ? tool->param_count : 0;

		while (i < tool->param_count &&
		       !slice_is(slice_make(text, len), tool->params[i].name))
			i++;
		if (i < tool->param_count && memchr(text, '_', len)) {
			args_add_typed(out, &tool->params[i]);
			text += len;
			if (tool->params[i].type == PARAM_BOOL && strncmp(text, " true", 5) == 0)
				text += 5;
			continue;
		}
		quoted = quoted != (*text == '"');
		len = len > 0 ? len : 1;
		str_add(out, slice_make(text, len));
		text += len;
	}
}

/* Operations name their arguments and JSON types; who types sees options, and what they take. */
static void run_tool_name_as_typed(const struct tool *tool, struct err *err)
{
	for (size_t i = 0; i < tool->param_count; i++) {
		const struct param *param = &tool->params[i];
		size_t len = strlen(param->name);
		STR_AUTO text = STR_INIT;

		if (strncmp(err->text, param->name, len) != 0 ||
		    strncmp(err->text + len, ": ", 2) != 0)
			continue;
		args_add_typed(&text, param);
		if (err->code == ERR_WRONG_TYPE) {
			str_adds(&text, " needs ");
			describe_type(&text, param);
		} else {
			run_tool_add_typed(&text, tool, err->text + len);
		}
		err_set(err, err->code, "%s", text.ptr);
		return;
	}
}

/* What was done, and is told now or never, though the command failed. */
static void run_tool_say_kept(struct run *run, struct store *store)
{
	size_t count;
	const char *const *kept = store_notices_kept(store, &count);

	for (size_t i = 0; i < count; i++)
		streams_say(run->cli, run->command, "warning: %s", kept[i]);
	store_notices_told(store);
}

static int run_tool_call_tool(struct run *run, const struct tool *tool, struct store *store,
			      const struct place *place, const struct json *arguments,
			      struct str *hints, struct err *err)
{
	ARENA_AUTO arena = ARENA_INIT;
	STR_AUTO reply = STR_INIT;
	struct progress_bar bar;
	struct slice hint;

	progress_bar_begin(&bar, run->cli, run->command);
	store_watch(store, progress_bar_watcher(&bar));
	const struct call call = {
		.store = store,
		.now_ms = run->cli->sys->now_ms(),
		.tool = tool->name,
		.client = CLIENT_NAME,
		.client_version = version_text(),
		.session = operation_session(run),
		.shell = true,
		.in = run->cli->in,
		.hints = hints,
		.progress = progress_bar_watcher(&bar),
		.arena = &arena,
	};

	int status = tool_run(tool, &call, arguments, JSON_ROOT, &reply, err);
	if (status != 0) {
		run_tool_name_as_typed(tool, err);
		run_tool_say_kept(run, store);
	}
	store_watch(store, NULL);
	progress_bar_end(&bar);
	/* A usage error does not depend on the store, so check first. */
	if (tool->flags & TOOL_READ_ONLY &&
	    (status == 0 || err_exit_status(err->code) != err_exit_status(ERR_USAGE)) &&
	    run_tool_check_read(run, store, place, err) != 0)
		status = -1;
	if (status == 0)
		status = operation_show(run, str_slice(&reply), call.now_ms, err);
	/* Tell of effects that the user may not have meant. */
	for (struct slice rest = str_slice(hints); status == 0 && slice_line(&rest, &hint);)
		streams_say(run->cli, run->command, "%.*s", (int)hint.len, hint.ptr);
	/* Tells a user who has mistyped the name of a store that a new one was made. */
	const char *made = store_take_made(store);
	if (made)
		streams_say(run->cli, run->command, "created %s", made);
	return status;
}

int operation_call(struct run *run, const struct tool *tool, struct slice text, struct str *hints,
		   struct err *err)
{
	struct json_fault fault;
	JSON_AUTO arguments = {0};
	struct store *store;
	PLACE_AUTO place = {0};

	/* Each argument is valid by itself; what is left is depth and size. */
	if (json_parse(&arguments, text, &json_line_bounds, &fault) != 0)
		return err_set(err, ERR_TOO_LARGE, "the arguments are too large: %s", fault.what);
	if (run_tool_open_store(run, &place, &store, err) != 0)
		return -1;
	int status = run_tool_call_tool(run, tool, store, &place, &arguments, hints, err);
	store_close(store);
	return status;
}
