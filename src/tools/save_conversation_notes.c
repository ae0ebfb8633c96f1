#include "base/utf8.h"
#include "ops/common.h"
#include "ops/secret_check.h"
#include "store/open/store.h"
#include "tools/registry.h"

struct notes_args {
	struct slice summary;
	struct slice flow;
	struct slice tone;
	struct arg_texts highlights;
	struct arg_texts next_steps;
	struct slice additional_context;
	struct slice captured_at;
	struct arg_json metadata;
	int allow_secret; /* for screen_arguments() alone */
};

static const struct param params[] = {
	{PARAM(TEXT, notes_args, summary),
	 .flags = PARAM_REQUIRED | PARAM_NOT_BLANK | PARAM_POSITIONAL,
	 .help = "what the conversation was about"},
	{PARAM(TEXT, notes_args, flow), .help = "how it went"},
	{PARAM(TEXT, notes_args, tone), .flags = PARAM_PLAIN, .help = "how it sounded"},
	{PARAM(TEXTS, notes_args, highlights), .flags = PARAM_NOT_BLANK, .help = "what stood out"},
	{PARAM_AS("nextSteps", TEXTS, notes_args, next_steps), .flags = PARAM_NOT_BLANK,
	 .help = "what comes next"},
	{PARAM_AS("additionalContext", TEXT, notes_args, additional_context), .flags = PARAM_PLAIN,
	 .help = "what else there is to know"},
	{PARAM_AS("capturedAt", TEXT, notes_args, captured_at),
	 .help = "ISO 8601 time with offset"},
	{PARAM(OBJECT, notes_args, metadata), .help = "anything else"},
	SCREEN_PARAM(notes_args),
};

static void notes_write_text(struct json_writer *w, const char *name, struct slice text)
{
	if (text.ptr)
		json_write_member_string(w, name, text);
}

static void notes_write_texts(struct json_writer *w, const char *name,
			      const struct arg_texts *texts)
{
	if (texts->given)
		common_write_texts(w, name, texts->items, texts->count);
}

/* The snapshot: what was given, and when it was saved. */
static struct slice notes_compose_notes(const struct call *call, const struct notes_args *args,
					int64_t captured_ms)
{
	STR_AUTO text = STR_INIT;
	struct json_writer w = json_writer_to(&text, &json_compact);

	json_write_object(&w);
	notes_write_text(&w, "summary", args->summary);
	notes_write_text(&w, "flow", args->flow);
	notes_write_text(&w, "tone", args->tone);
	notes_write_texts(&w, "highlights", &args->highlights);
	notes_write_texts(&w, "nextSteps", &args->next_steps);
	notes_write_text(&w, "additionalContext", args->additional_context);
	if (args->metadata.doc) {
		json_write_member_value(&w, "metadata", args->metadata.doc, args->metadata.node);
	}
	common_write_time(&w, "capturedAt", captured_ms);
	common_write_time(&w, "savedAt", call->now_ms);
	json_write_end(&w);
	return arena_copy(call->arena, str_slice(&text));
}

static int notes_handle(const struct call *call, const void *arguments, struct json_writer *w,
			struct err *err)
{
	const struct notes_args *args = arguments;
	struct slice key = slice_of(CONVERSATION_NOTES_KEY);
	struct entry_fields fields = {0};
	int64_t captured_ms = TIME_NONE;
	struct change_result result;
	CHANGE_AUTO change = NULL;
	STR_AUTO scratch = STR_INIT;
	const struct item *old;
	int64_t created_ms;

	if (args->captured_at.ptr &&
	    !timestamp_parse(blank_trim(args->captured_at), true, &captured_ms))
		return err_set(err, ERR_BAD_VALUE,
			       "capturedAt: \"%s\" is not a time with an offset, like "
			       "2026-11-21T09:30:00+01:00",
			       shown(&scratch, args->captured_at));
	fields.value = notes_compose_notes(call, args, captured_ms);
	if (common_check_first(call, key, &fields, err) != 0 ||
	    common_change_begin(&change, call, err) != 0)
		return -1;
	old = store_find(call->store, CATEGORY_STATE, key);
	if (old)
		key = arena_copy(call->arena, old->entry.key);
	created_ms = old ? old->created_ms : call->now_ms;
	if ((old && change_archive_copy(change, old, REASON_REPLACED, err) != 0) ||
	    common_put(change, CATEGORY_STATE, key, old, old && old->entry.pinned,
		       common_compose(call, old, &fields), err) != 0 ||
	    change_commit(change, &result, err) != 0)
		return -1;
	store_note_destination(call->store);
	json_write_object(w);
	common_write_entry(w, key, CATEGORY_STATE, created_ms, call->now_ms);
	/* The record of the previous notes gets the time of these, so its ref is known. */
	result.archived = slice_of(NULL);
	common_end_change(w, call, &result);
	return 0;
}

const struct tool tool_save_conversation_notes = {
	.name = "memory_save_conversation_notes",
	.command = "notes",
	.title = "Save conversation notes",
	.section = SECTION_MEMORIES,
	.summary = "Save this conversation as state:conversation_notes for the next session; the "
		   "last is archived.",
	TOOL_TAKES(params, notes_args),
	.output_schema = "{\"type\":\"object\",\"properties\":{" SCHEMA_ENTRY "," SCHEMA_EVICTED
			 "," SCHEMA_WARNINGS "},\"required\":[" SCHEMA_ENTRY_NAMES "]}",
	.screen = screen_arguments,
	.run = notes_handle,
};
