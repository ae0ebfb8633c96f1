#include "base/utf8.h"
#include "base/version.h"
#include "cli/args/command.h"
#include "cli/args/run_tool.h"
#include "cli/doctor/hook_errors.h"
#include "cli/term/streams.h"
#include "json/write.h"
#include "store/open/store.h"

/* What the client's hook says at the beginning of a session; other events have nothing to say. */
#define EVENT "session-start"
#define EVENT_NAME "SessionStart"

/* The text of prime, in the arena. */
static int prime(struct run *run, struct store *store, struct arena *arena, struct slice *out,
		 struct err *err)
{
	const struct call call = {
		.store = store,
		.now_ms = run->cli->sys->now_ms(),
		.tool = "prime",
		.client = CLIENT_NAME,
		.client_version = version_text(),
		.session = operation_session(run),
		.shell = true,
		.arena = arena,
	};
	STR_AUTO reply = STR_INIT;
	STR_AUTO scratch = STR_INIT;
	struct json_fault fault;
	struct json doc;

	if (tool_run(tool_find_command(run->tools, slice_of("prime")), &call, NULL, JSON_ROOT,
		     &reply, err) != 0)
		return -1;
	if (json_parse(&doc, str_slice(&reply), &json_file_bounds, &fault) != 0)
		return err_set(err, ERR_INTERNAL, "the reply is not JSON: %s", fault.what);
	*out = arena_copy(arena, json_string(&doc, json_member(&doc, JSON_ROOT, "text"), &scratch));
	json_release(&doc);
	return 0;
}

static void write_hook(struct str *out, struct slice text)
{
	struct json_writer w;

	json_writer_init(&w, out, &json_compact);
	json_write_object(&w);
	json_write_name(&w, slice_of("hookSpecificOutput"));
	json_write_object(&w);
	json_write_member_string(&w, "hookEventName", slice_of(EVENT_NAME));
	json_write_member_string(&w, "additionalContext", text);
	json_write_end(&w);
	json_write_end(&w);
	str_addc(out, '\n');
}

static int hook_answer(struct run *run, struct err *err)
{
	struct arena arena = ARENA_INIT;
	STR_AUTO out = STR_INIT;
	struct store *store;
	struct slice text = {0};
	int result;

	if (!run->topic || strcmp(run->topic, EVENT) != 0)
		return err_set(err, ERR_USAGE, "unknown event; the only one is " EVENT);
	run->confines = true;
	if (operation_open_store(run, &store, err) != 0)
		return -1;
	result = prime(run, store, &arena, &text, err);
	if (result == 0 && text.len > 0) {
		write_hook(&out, text);
		result = streams_write(run->cli, str_slice(&out), err);
	}
	arena_release(&arena);
	store_close(store);
	return result;
}

/* Words that are not known are no reason to fail: a newer client's hook may have them. */
static int hook_take_words(struct run *run, struct err *err)
{
	while (words_peek(&run->words)) {
		bool taken = false;

		if (words_at_option(&run->words) &&
		    options_take(&run->options, &run->words, &taken, err) != 0)
			return -1;
		if (taken)
			continue;
		if (run->topic || words_at_option(&run->words))
			return words_refuse(slice_of(words_peek(&run->words)), "hook", err);
		run->topic = words_next(&run->words);
	}
	return 0;
}

/* Whatever happens, the person's session begins: what went wrong is left for doctor. */
static int hook_execute(struct run *run, struct err *err)
{
	int result = hook_take_words(run, err);

	if (run->options.help)
		return 0;
	if (result == 0)
		result = hook_answer(run, err);
	if (result == 0) {
		hook_error_clear(run->cli);
		return 0;
	}
	hook_error_keep(run->cli, err->text);
	if (run->cli->out_is_terminal)
		streams_say(run->cli, run->command, "%s", err->text);
	return 0;
}

static const char *const offers[] = {EVENT, NULL};

const struct command command_hook = {
	.name = "hook",
	.topic = "EVENT",
	.offers = offers,
	.takes_all = true,
	.summary = "Answer a client's hook: session-start tells what prime tells",
	.description =
		"Answer a hook of Claude Code, as JSON: with session-start what kota prime says\n"
		"is put before the model. The status is always 0, so that a session begins\n"
		"whatever happens; kota doctor tells what went wrong last.\n",
	.execute = hook_execute,
};
