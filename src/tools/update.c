#include "model/update.h"
#include "ops/common.h"
#include "ops/hints.h"
#include "ops/note_text.h"
#include "ops/secret_check.h"
#include "tools/registry.h"

struct update_args {
	struct slice key;
	struct arg_json addition;
	int allow_secret;
};

static const struct param params[] = {
	{PARAM(TEXT, update_args, key),
	 .flags = PARAM_REQUIRED | PARAM_NOT_BLANK | PARAM_POSITIONAL | PARAM_EXISTING,
	 .help = "an existing key, or category:key"},
	{PARAM(JSON, update_args, addition),
	 .flags = PARAM_REQUIRED | PARAM_POSITIONAL | PARAM_PLAIN, .help = "the JSON value to add"},
	SCREEN_PARAM(update_args),
};

/* Most of the value that results that the reply repeats. */
#define VALUE_CHARACTERS 300

/* The value that is there now, or the beginning of it: what was added is seen in its place. */
static void update_write_value(struct json_writer *w, const struct call *call, struct slice value)
{
	JSON_AUTO doc = {0};
	const struct entry entry = {.doc = &doc, .value_node = JSON_ROOT, .value = value};

	common_parse(&doc, value);
	json_write_member_raw(w, "value", common_brief(call, &entry, VALUE_CHARACTERS));
}

/* Adding what is there already changes nothing, but shows that it still matters. */
static int update_keep(const struct call *call, const struct edit *edit, struct json_writer *w)
{
	const struct item *item = edit->item;

	store_hit(call->store, item->ref);
	json_write_object(w);
	common_write_entry(w, edit->key, item->entry.category, item->created_ms, item->updated_ms);
	update_write_value(w, call, item->entry.value);
	json_write_member_bool(w, "changed", false);
	common_end_reply(w, call);
	return 0;
}

static int update_replace(const struct call *call, const struct edit *edit, enum merge_kind kind,
			  struct slice value, struct json_writer *w, struct err *err)
{
	const struct entry_fields fields = {.value = value};
	const struct item *item = edit->item;
	enum category category = item->entry.category;
	int64_t created_ms = item->created_ms;
	struct slice text = common_compose(call, item, &fields);
	bool displaced = kind == MERGE_DISPLACED;
	struct change_result result;

	if (displaced && change_archive_copy(edit->change, item, REASON_REPLACED, err) != 0)
		return -1;
	if (common_put(edit->change, category, edit->key, item, item->entry.pinned, text, err) !=
		    0 ||
	    note_text_follow(edit->change, item, item->ref, text, call->warning, err) != 0 ||
	    change_commit(edit->change, &result, err) != 0)
		return -1;
	json_write_object(w);
	common_write_entry(w, edit->key, category, created_ms, call->now_ms);
	update_write_value(w, call, value);
	hints_write(w, call, common_ref(call->arena, category, edit->key));
	common_end_change(w, call, &result);
	return 0;
}

/* What is not there yet is stored by another tool. */
static int update_refuse(const struct call *call, struct err *err)
{
	struct err why = *err;

	if (why.code != ERR_NOT_FOUND)
		return -1;
	return err_set(err, why.code, "%s; %s stores a new entry", why.text,
		       call->shell ? "kota set" : "memory_set");
}

static int update_handle(const struct call *call, const void *arguments, struct json_writer *w,
			 struct err *err)
{
	const struct update_args *args = arguments;
	STR_AUTO merged = STR_INIT;
	EDIT_AUTO edit = {0};
	enum merge_kind kind;

	if (common_edit_begin(&edit, call, "key", args->key, err) != 0)
		return update_refuse(call, err);
	kind = merge_values(edit.item->entry.doc, edit.item->entry.value_node, args->addition.doc,
			    args->addition.node, &merged);
	if (kind == MERGE_UNCHANGED)
		return update_keep(call, &edit, w);
	if (args->allow_secret != 1 && screen_combined(&tool_update, call, edit.item->entry.value,
						       str_slice(&merged), err) != 0)
		return -1;
	return update_replace(call, &edit, kind, str_slice(&merged), w, err);
}

const struct tool tool_update = {
	.name = "memory_update",
	.command = "update",
	.title = "Add to a memory",
	.section = SECTION_MEMORIES,
	.summary = "Add to an entry: objects are merged, lists and texts appended to, anything "
		   "else is replaced.",
	TOOL_TAKES(params, update_args),
	/* Members of the same name, and scalars, are replaced by the addition. */
	.flags = TOOL_DESTRUCTIVE | TOOL_ALWAYS_LOAD | TOOL_JOINS,
	.output_schema = "{\"type\":\"object\",\"properties\":{" SCHEMA_ENTRY
			 ",\"value\":" SCHEMA_VALUE ",\"changed\":" SCHEMA_BOOLEAN
			 ",\"archived\":" SCHEMA_STRING "," SCHEMA_SIMILAR "," SCHEMA_EVICTED
			 "," SCHEMA_WARNINGS "},\"required\":[" SCHEMA_ENTRY_NAMES ",\"value\"]}",
	.screen = screen_arguments,
	.run = update_handle,
};
