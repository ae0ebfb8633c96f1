#include "base/arena.h"
#include "base/file.h"
#include "base/time.h"
#include "base/utf8.h"
#include "base/version.h"
#include "cli/args/command.h"
#include "cli/args/run_tool.h"
#include "cli/cmd/begin_sync.h"
#include "cli/doctor/hook_errors.h"
#include "cli/term/streams.h"
#include "json/write.h"
#include "ops/common.h"
#include "ops/primer.h"
#include "ops/prompted.h"
#include "store/open/store.h"
#include "store/trust/state_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * ---- what was told which session: prompted.json in the state folder. Nothing is told a session
 * twice, and one that goes on is told only what changed since.
 */

struct hook_session {
	struct slice id;    /* as the client says it */
	int64_t last_ms;    /* TIME_NONE: nothing is known of the session */
	struct slice *told; /* refs; in the arena */
	size_t told_count;
};

#define SESSIONS_NAME "prompted.json"
#define SESSIONS_BYTES_MAX ((size_t)1 << 20)

/* More sessions than anybody has open; and when one is over for certain. */
#define SESSIONS_MAX 40
#define SESSION_DAYS 30

/* So many refs of a session are kept, the last ones. */
#define TOLD_MAX 500

/* A client's id is a few dozen characters. */
#define ID_BYTES_MAX 128

static int hook_session_open(const struct sys *sys, environment env, const struct store *store,
			     int *folder, struct err *err)
{
	return state_folder_open(sys, env, store_origin(store)->root, true, folder, err);
}

/* The list as it stands; an empty object where there is none that can be understood. */
static int hook_session_load(struct json *doc, const struct sys *sys, int folder, struct str *text,
			     struct err *err)
{
	struct json_fault fault;
	bool found;

	if (state_file_read(sys, folder, SESSIONS_NAME, SESSIONS_BYTES_MAX, text, &found, err) !=
	    0) {
		if (state_error_passes(err))
			return -1;
		str_clear(text);
	}
	if (text->len > 0 && json_parse(doc, str_slice(text), &json_file_bounds, &fault) == 0) {
		if (json_type(doc, JSON_ROOT) == JSON_OBJECT)
			return 0;
		json_release(doc);
	}
	str_clear(text);
	str_adds(text, "{}");
	if (json_parse(doc, str_slice(text), &json_file_bounds, &fault) != 0)
		return err_set(err, ERR_INTERNAL, "%s", fault.what);
	return 0;
}

static int64_t hook_session_time(const struct json *doc, uint32_t node)
{
	uint32_t at = json_type(doc, node) == JSON_OBJECT ? json_member(doc, node, "at")
							  : JSON_NONE;
	int64_t ms = TIME_NONE;
	STR_AUTO text = STR_INIT;

	if (at != JSON_NONE && json_type(doc, at) == JSON_STRING)
		timestamp_parse(json_string(doc, at, &text), true, &ms);
	return ms;
}

static uint32_t hook_session_find(const struct json *doc, struct slice id)
{
	for (uint32_t n = json_first(doc, JSON_ROOT); n != JSON_NONE; n = json_next(doc, n)) {
		STR_AUTO name = STR_INIT;

		if (slice_equal(json_name(doc, n, &name), id))
			return n;
	}
	return JSON_NONE;
}

static void hook_session_take(struct hook_session *out, const struct json *doc, uint32_t node,
			      struct arena *arena)
{
	uint32_t told = json_type(doc, node) == JSON_OBJECT ? json_member(doc, node, "told")
							    : JSON_NONE;

	out->last_ms = hook_session_time(doc, node);
	if (told == JSON_NONE || json_type(doc, told) != JSON_ARRAY)
		return;
	out->told = arena_alloc(arena, (doc->nodes[told].count + 1) * sizeof *out->told);
	for (uint32_t n = json_first(doc, told); n != JSON_NONE; n = json_next(doc, n)) {
		STR_AUTO ref = STR_INIT;

		if (json_type(doc, n) == JSON_STRING)
			out->told[out->told_count++] = arena_copy(arena, json_string(doc, n, &ref));
	}
}

/*
 * Reads what is known of a session. A list that is missing or broken knows nothing. -1 when there
 * is no state folder that counts, or it cannot be read for the moment.
 */
static int hook_session_read(struct hook_session *out, const struct sys *sys, environment env,
			     const struct store *store, struct slice id, struct arena *arena,
			     struct err *err)
{
	STR_AUTO text = STR_INIT;
	JSON_AUTO doc = {0};
	int folder;

	*out = (struct hook_session){.id = id, .last_ms = TIME_NONE};
	if (id.len > ID_BYTES_MAX)
		return err_set(err, ERR_BAD_VALUE, "the client's name for the session is too long");
	if (hook_session_open(sys, env, store, &folder, err) != 0)
		return -1;
	int result = hook_session_load(&doc, sys, folder, &text, err);
	file_close(sys, &folder);
	if (result != 0)
		return -1;
	uint32_t node = hook_session_find(&doc, id);
	if (node != JSON_NONE)
		hook_session_take(out, &doc, node, arena);
	return 0;
}

/* True if the entry was shown. */
static bool hook_session_knows(const struct hook_session *session, struct slice ref)
{
	for (size_t i = 0; i < session->told_count; i++) {
		if (slice_equal(session->told[i], ref))
			return true;
	}
	return false;
}

/*
 * Which sessions stay: the last ones, and none that is over. Of those of one moment the ones that
 * were written last, so that no clock, however coarse, lets the list grow.
 */
static bool hook_session_stays(const struct json *doc, uint32_t node, int64_t now_ms)
{
	int64_t at_ms = hook_session_time(doc, node);
	size_t later = 0;

	if (at_ms == TIME_NONE || now_ms - at_ms > SESSION_DAYS * MS_PER_DAY)
		return false;
	for (uint32_t n = json_first(doc, JSON_ROOT); n != JSON_NONE; n = json_next(doc, n)) {
		int64_t other_ms = hook_session_time(doc, n);

		later += other_ms > at_ms || (other_ms == at_ms && n > node);
	}
	return later + 1 < SESSIONS_MAX;
}

static void hook_session_write_others(struct json_writer *w, const struct json *doc,
				      struct slice id, int64_t now_ms)
{
	for (uint32_t n = json_first(doc, JSON_ROOT); n != JSON_NONE; n = json_next(doc, n)) {
		STR_AUTO name = STR_INIT;

		if (slice_equal(json_name(doc, n, &name), id) ||
		    !hook_session_stays(doc, n, now_ms))
			continue;
		json_write_name(w, json_name(doc, n, &name));
		json_write_value(w, doc, n);
	}
}

static void hook_session_write_own(struct json_writer *w, const struct hook_session *session,
				   const struct item *const *items, size_t count, bool anew,
				   int64_t now_ms)
{
	size_t before = anew || count > TOLD_MAX ? 0 : session->told_count;
	size_t first = before + count > TOLD_MAX ? before + count - TOLD_MAX : 0;
	char at[TIMESTAMP_SIZE];

	timestamp_format(now_ms, at);
	json_write_name(w, session->id);
	json_write_object(w);
	json_write_member_string(w, "at", slice_of(at));
	json_write_member_array(w, "told");
	for (size_t i = first; i < before; i++)
		json_write_string(w, session->told[i]);
	for (size_t i = 0; i < count; i++)
		json_write_string(w, items[i]->ref);
	json_write_end(w);
	json_write_end(w);
}

/*
 * Adds what was told now; with anew, what was told before is forgotten: it is no longer before the
 * model. Sessions that are over for long go, and so do the oldest beyond a number.
 */
static int hook_session_add(const struct hook_session *session, const struct sys *sys,
			    environment env, const struct store *store,
			    const struct item *const *items, size_t count, bool anew,
			    int64_t now_ms, struct err *err)
{
	STR_AUTO text = STR_INIT;
	STR_AUTO out = STR_INIT;
	struct json doc;
	int lock = -1;
	int folder;

	if (hook_session_open(sys, env, store, &folder, err) != 0)
		return -1;
	int result = state_folder_lock(sys, folder, &lock, err);
	if (result == 0)
		result = hook_session_load(&doc, sys, folder, &text, err);
	if (result == 0) {
		struct json_writer w = json_writer_to(&out, &json_compact);

		json_write_object(&w);
		hook_session_write_others(&w, &doc, session->id, now_ms);
		hook_session_write_own(&w, session, items, count, anew, now_ms);
		json_write_end(&w);
		str_addc(&out, '\n');
		result = file_replace(sys, folder, SESSIONS_NAME, str_slice(&out), 0600, 0, NULL,
				      err);
		json_release(&doc);
	}
	state_folder_unlock(sys, &lock);
	file_close(sys, &folder);
	return result;
}

/* Most bytes that a client may write to a hook. A long prompt gets no answer anyway. */
#define INPUT_BYTES_MAX ((size_t)1 << 20)

/* What is told of a prompt, in all. */
#define REMINDER_BUDGET 1500

/* The events, by the name of our word and of the clients'. */
#define SESSION_START "session-start"
#define USER_PROMPT "user-prompt"
#define SESSION_END "session-end"

/* One answer of a hook. */
struct hook {
	struct run *run;
	struct store *store;
	struct arena arena;
	struct call call;
	struct slice event;   /* as the client calls it */
	struct slice session; /* absent where the client says none */
	struct slice source;
	struct slice prompt;
	struct primer primer;
};

/* ---- what the client says */

/*
 * The object that a client writes, to its last brace: not every one closes the pipe at once. All
 * but an object is nothing.
 */
static void hook_read_input(FILE *in, struct str *out)
{
	size_t depth = 0;
	bool in_text = false;
	bool escaped = false;
	int c;

	while (out->len < INPUT_BYTES_MAX && (c = getc(in)) != EOF) {
		if (out->len == 0 && c != '{')
			return;
		str_addc(out, (char)c);
		if (escaped)
			escaped = false;
		else if (in_text && c == '\\')
			escaped = true;
		else if (c == '"')
			in_text = !in_text;
		else if (!in_text && c == '{')
			depth++;
		else if (!in_text && c == '}' && --depth == 0)
			return;
	}
}

static void hook_take_input(struct hook *hook)
{
	struct json_fault fault;
	STR_AUTO text = STR_INIT;
	JSON_AUTO doc = {0};

	if (hook->run->cli->in_is_terminal)
		return;
	hook_read_input(hook->run->cli->in, &text);
	if (text.len == 0 || json_parse(&doc, str_slice(&text), &json_file_bounds, &fault) != 0)
		return;
	hook->event = json_member_text(&doc, JSON_ROOT, "hook_event_name", &hook->arena);
	hook->session = json_member_text(&doc, JSON_ROOT, "session_id", &hook->arena);
	hook->source = json_member_text(&doc, JSON_ROOT, "source", &hook->arena);
	hook->prompt = json_member_text(&doc, JSON_ROOT, "prompt", &hook->arena);
}

/* ---- what is told */

static void hook_write(struct str *out, struct slice event, struct slice text)
{
	struct json_writer w = json_writer_to(out, &json_compact);

	json_write_object(&w);
	json_write_name(&w, slice_of("hookSpecificOutput"));
	json_write_object(&w);
	json_write_member_string(&w, "hookEventName", event);
	json_write_member_string(&w, "additionalContext", text);
	json_write_end(&w);
	json_write_end(&w);
	str_addc(out, '\n');
}

static enum primer_source hook_source(const struct hook *hook)
{
	if (slice_is(hook->source, "resume"))
		return PRIMER_RESUME;
	if (slice_is(hook->source, "compact"))
		return PRIMER_COMPACT;
	return slice_is(hook->source, "clear") ? PRIMER_CLEAR : PRIMER_STARTUP;
}

/* Claude Code, which counts characters, sets this for its hooks, and so does Gemini CLI. */
static bool hook_counts_bytes(environment env)
{
	const char *project = env("CLAUDE_PROJECT_DIR");

	return !project || !*project;
}

/* A session begins whether or not it is known what it was told before. */
static int hook_begin_session(struct hook *hook, struct err *err)
{
	const struct cli *cli = hook->run->cli;
	struct primer_wish wish = {
		.source = hook_source(hook),
		.since_ms = TIME_NONE,
		.budget = PRIMER_BUDGET,
		.bytes = hook_counts_bytes(cli->env) ? PRIMER_BYTES : 0,
	};
	struct hook_session session = {.last_ms = TIME_NONE};
	struct err ignored;
	bool known = hook->session.len > 0 &&
		     hook_session_read(&session, cli->sys, cli->env, hook->store, hook->session,
				       &hook->arena, &ignored) == 0;

	if (known)
		wish.since_ms = session.last_ms;
	if (primer_tell(&hook->primer, &hook->call, &wish, err) != 0)
		return -1;
	primer_keep(&hook->call, hook->primer.shown, hook->primer.shown_count);
	if (known)
		hook_session_add(&session, cli->sys, cli->env, hook->store, hook->primer.shown,
				 hook->primer.shown_count, wish.source != PRIMER_RESUME,
				 hook->call.now_ms, &ignored);
	return 0;
}

/* More than a person types; and more lines. */
#define TYPED_BYTES 1500
#define TYPED_LINES 8

/* Of the characters of a sentence fewer than one in so many are signs of code. */
#define SIGN_PART 14

/* A time, a level, a prompt of the shell, a frame of a stack: what lines of logs begin with. */
static bool hook_is_log(struct slice line)
{
	static const char *const marks[] = {
		"$ ",      "> ",      "at ",       "Traceback",  "File \"",
		"ERROR",   "Error: ", "WARN",      "INFO",       "DEBUG",
		"FATAL",   "[",       "{",         "#include",   "import ",
		"def ",    "class ",  "function ", "panic: ",    "diff --git",
		"SELECT ", "error[",  "error: ",   "Exception ", "warning: "};
	size_t digits = 0;

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		if (slice_starts(line, marks[i]))
			return true;
	}
	while (digits < line.len && line.ptr[digits] >= '0' && line.ptr[digits] <= '9')
		digits++;
	return digits >= 2 && digits < line.len && strchr("-:/|", line.ptr[digits]);
}

/*
 * True if the message was pasted rather than written: a log, code, a table, or any long text. Such
 * texts hold dozens of names and ask for none of them.
 */
static bool hook_is_pasted(struct slice message)
{
	struct slice rest = blank_trim(message);
	struct slice line;
	size_t signs = 0;
	size_t lines = 0;

	if (rest.len == 0 || rest.len > TYPED_BYTES)
		return true;
	for (size_t i = 0; i < rest.len; i++)
		signs += strchr("{}[]();=<>|\\$&*~^`", rest.ptr[i]) && rest.ptr[i];
	if (signs * SIGN_PART > rest.len)
		return true;
	while (slice_line(&rest, &line)) {
		if (++lines > TYPED_LINES || hook_is_log(blank_trim(line)))
			return true;
	}
	return false;
}

/* Nothing is told twice. If it is not known what was told before, nothing is told. */
static int hook_take_prompt(struct hook *hook, struct err *err)
{
	const struct cli *cli = hook->run->cli;
	const struct item *found[PROMPTED_MAX];
	struct hook_session session;
	struct forms_finding forms;
	size_t kept = 0;

	if (hook->session.len == 0 || hook_is_pasted(hook->prompt))
		return 0;
	if (common_refresh(&hook->call, err) != 0)
		return -1;
	forms_find(hook->prompt, ANALYZE_RECALL, &forms);
	size_t count = prompted_find(&hook->call, hook->prompt, &forms, found);
	if (count == 0)
		return 0;
	if (hook_session_read(&session, cli->sys, cli->env, hook->store, hook->session,
			      &hook->arena, err) != 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		if (!hook_session_knows(&session, found[i]->ref))
			found[kept++] = found[i];
	}
	primer_remind(&hook->primer, &hook->call, found, kept, REMINDER_BUDGET);
	if (hook->primer.shown_count == 0)
		return 0;
	if (hook_session_add(&session, cli->sys, cli->env, hook->store, hook->primer.shown,
			     hook->primer.shown_count, false, hook->call.now_ms, err) != 0) {
		str_clear(&hook->primer.text);
		return -1;
	}
	primer_keep(&hook->call, hook->primer.shown, hook->primer.shown_count);
	return 0;
}

/* What our words mean, and what clients call it where they do not say. */
static const struct hook_event {
	const char *word;
	const char *name;
	int (*answer)(struct hook *hook, struct err *err);
} hook_events[] = {
	{SESSION_START, "SessionStart", hook_begin_session},
	{USER_PROMPT, "UserPromptSubmit", hook_take_prompt},
};

static const struct hook_event *hook_find_event(const char *word)
{
	for (size_t i = 0; word && i < sizeof hook_events / sizeof *hook_events; i++) {
		if (strcmp(hook_events[i].word, word) == 0)
			return &hook_events[i];
	}
	return NULL;
}

static int hook_answer_event(struct hook *hook, const struct hook_event *event, struct err *err)
{
	STR_AUTO out = STR_INIT;

	hook_take_input(hook);
	hook->call = (struct call){
		.store = hook->store,
		.now_ms = hook->run->cli->sys->now_ms(),
		.tool = "prime",
		.client = CLIENT_NAME,
		.client_version = version_text(),
		.session = operation_session(hook->run),
		.shell = true,
		.arena = &hook->arena,
	};
	int result = event->answer(hook, err);
	if (result == 0 && hook->primer.text.len > 0) {
		hook_write(&out, hook->event.len > 0 ? hook->event : slice_of(event->name),
			   str_slice(&hook->primer.text));
		result = streams_write(hook->run->cli, str_slice(&out), err);
	}
	return result;
}

static int hook_answer(struct run *run, struct err *err)
{
	struct hook hook = {.run = run, .arena = ARENA_INIT, .primer = {.text = STR_INIT}};
	const char *topic = run->topic;
	const struct hook_event *event = hook_find_event(topic);

	if (topic && strcmp(topic, SESSION_END) == 0) {
		begin_sync(run);
		/* Some clients take it for a failure if nobody reads what they write. */
		hook_take_input(&hook);
		arena_release(&hook.arena);
		return 0;
	}
	if (!topic || !event)
		return err_set(err, ERR_USAGE,
			       "unknown event; the events are " SESSION_START ", " USER_PROMPT
			       " and " SESSION_END);
	/* Before this process is confined, since what it starts would be, too. */
	if (strcmp(topic, SESSION_START) == 0)
		begin_sync(run);
	run->confines = true;
	if (operation_open_store(run, &hook.store, err) != 0)
		return -1;
	int result = hook_answer_event(&hook, event, err);
	primer_release(&hook.primer);
	store_close(hook.store);
	arena_release(&hook.arena);
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

static const char *const offers[] = {SESSION_START, USER_PROMPT, SESSION_END, NULL};

const struct command command_hook = {
	.name = "hook",
	.topic = "EVENT",
	.offers = offers,
	.takes_all = true,
	.summary = "Answer a client's hook: session-start shows what prime shows, user-prompt what "
		   "is stored of a prompt",
	.description =
		"Answer a hook of Claude Code, Codex or Gemini CLI: it reads what the client\n"
		"writes and answers as JSON. With session-start the text of kota prime is put\n"
		"before the model; with user-prompt at most three entries that the prompt names\n"
		"or asks for, each once in a session, and nothing for a pasted log or code.\n"
		"session-end answers nothing. With \"sync\": {\"auto\": \"session\"} in your own\n"
		"settings session-start and session-end begin a sync, for which nobody waits. The\n"
		"status is always 0, so that a session goes on whatever happens; kota doctor\n"
		"tells what went wrong last.\n",
	.execute = hook_execute,
};
