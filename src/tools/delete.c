#include "ops/common.h"
#include "ops/hints.h"
#include "tools/registry.h"

struct delete_args {
	struct slice key;
};

static const struct param params[] = {
	{PARAM(TEXT, delete_args, key),
	 .flags = PARAM_REQUIRED | PARAM_NOT_BLANK | PARAM_POSITIONAL,
	 .help = "a key, or category:key"},
};

/* Archives the entry. The one that says the same, if there is one, answers for it. */
static int delete_archive(const struct call *call, const struct edit *edit, struct slice *twin_ref,
			  struct err *err)
{
	const struct item *twin = hints_twin(call->store, edit->item);

	*twin_ref = twin ? arena_copy(call->arena, twin->ref) : slice_of(NULL);
	return twin ? change_supersede(edit->change, *twin_ref, edit->item, REASON_DELETED, err)
		    : change_archive(edit->change, edit->item, REASON_DELETED, err);
}

static int delete_handle(const struct call *call, const void *arguments, struct json_writer *w,
			 struct err *err)
{
	const struct delete_args *args = arguments;
	enum category category;
	int64_t created_ms;
	int64_t updated_ms;
	struct hint same = {.says = STATEMENT_SAME};
	struct slice twin;
	EDIT_AUTO edit = {0};

	if (common_edit_begin(&edit, call, "key", args->key, err) != 0)
		return -1;
	category = edit.item->entry.category;
	created_ms = edit.item->created_ms;
	updated_ms = edit.item->updated_ms;
	if (delete_archive(call, &edit, &twin, err) != 0 ||
	    change_commit(edit.change, NULL, err) != 0)
		return -1;
	json_write_object(w);
	common_write_entry(w, edit.key, category, created_ms, updated_ms);
	json_write_member_bool(w, "deleted", true);
	same.item = store_find_ref(call->store, twin);
	hints_write_list(w, &same, same.item ? 1 : 0);
	common_end_reply(w, call);
	return 0;
}

const struct tool tool_delete = {
	.name = "memory_delete",
	.command = "delete",
	.title = "Delete a memory",
	.section = SECTION_MEMORIES,
	.summary = "Delete an entry the user wants forgotten; a record stays in the archive.",
	TOOL_TAKES(params, delete_args),
	.flags = TOOL_DESTRUCTIVE | TOOL_IDEMPOTENT,
	.output_schema = "{\"type\":\"object\",\"properties\":{" SCHEMA_ENTRY
			 ",\"deleted\":" SCHEMA_BOOLEAN "," SCHEMA_SIMILAR "," SCHEMA_WARNINGS
			 "},\"required\":[" SCHEMA_ENTRY_NAMES ",\"deleted\"]}",
	.run = delete_handle,
};
