#include "base/utf8.h"
#include "ops/common.h"
#include "ops/note_text.h"
#include "ops/secret_check.h"
#include "store/txn/undo.h"
#include "tools/registry.h"

struct mv_args {
	struct slice key;
	struct slice to;
	int allow_secret; /* for screen_arguments() alone */
};

static const struct param params[] = {
	{PARAM(TEXT, mv_args, key),
	 .flags = PARAM_REQUIRED | PARAM_NOT_BLANK | PARAM_POSITIONAL | PARAM_EXISTING,
	 .help = "a key, or category:key"},
	{PARAM_AS("new", TEXT, mv_args, to),
	 .flags = PARAM_REQUIRED | PARAM_NOT_BLANK | PARAM_POSITIONAL,
	 .help = "the new key, or category:key"},
	SCREEN_PARAM(mv_args),
};

/* A new spelling of the same key is no other entry; everything else that is there is in the way. */
static int mv_check_free(const struct call *call, const struct item *item, const struct ref *to,
			 struct err *err)
{
	const struct item *there = store_find(call->store, to->category, to->key);
	STR_AUTO scratch = STR_INIT;

	if (!there || (there == item && !slice_equal(there->entry.key, to->key)))
		return 0;
	return err_set(err, ERR_EXISTS,
		       "new: \"%s\" exists already; delete it first, or choose another key",
		       shown(&scratch, there->ref));
}

static int mv_handle(const struct call *call, const void *arguments, struct json_writer *w,
		     struct err *err)
{
	const struct mv_args *args = arguments;
	struct change_result result;
	const struct item *item;
	enum category category;
	int64_t created_ms;
	int64_t updated_ms;
	struct slice from;
	struct slice target;
	EDIT_AUTO edit = {0};
	struct ref to;

	if (common_parse_ref(&to, "new", args->to, CATEGORY_ANY, err) != 0 ||
	    common_edit_begin(&edit, call, "key", args->key, err) != 0)
		return -1;
	/* Its own category unless the new key names one. */
	item = edit.item;
	category = to.category == CATEGORY_ANY ? item->entry.category : (enum category)to.category;
	if (common_check_new_key("new", to.key, err) != 0 ||
	    change_check_category(edit.change, category, err) != 0 ||
	    mv_check_free(call, item, &(struct ref){(int)category, to.key}, err) != 0)
		return -1;
	created_ms = item->created_ms;
	updated_ms = item->updated_ms;
	from = arena_copy(call->arena, item->ref);
	target = common_ref(call->arena, category, to.key);
	if (undo_remove(edit.change, item, err) != 0 ||
	    change_repoint(edit.change, item->ref, target, err) != 0 ||
	    common_put(edit.change, category, to.key, item, item->entry.pinned,
		       common_entry_json(call, &item->entry), err) != 0 ||
	    note_text_follow(edit.change, item, target, item->entry.text, call->warning, err) !=
		    0 ||
	    change_commit(edit.change, &result, err) != 0)
		return -1;
	/* Only now: usage of two refs cannot be separated again once it is added up. */
	store_rename_usage(call->store, from, target);
	json_write_object(w);
	common_write_entry(w, to.key, category, created_ms, updated_ms);
	json_write_member_string(w, "from", from);
	common_end_change(w, call, &result);
	return 0;
}

const struct tool tool_mv = {
	.name = "mv",
	.command = "mv",
	.title = "Rename a memory",
	.section = SECTION_MEMORIES,
	.summary = "Rename an entry, or move it to another category; its value and times stay.",
	TOOL_TAKES(params, mv_args),
	.flags = TOOL_SHELL_ONLY,
	.screen = screen_arguments,
	.run = mv_handle,
};
