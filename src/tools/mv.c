#include "base/utf8.h"
#include "ops/common.h"
#include "tools/registry.h"
#include "ops/secret_check.h"

struct mv_args {
	struct slice key;
	struct slice to;
	int allow_secret; /* for screen_arguments() alone */
};

static const struct param params[] = {
	{PARAM(TEXT, mv_args, key),
	 .flags = PARAM_REQUIRED | PARAM_NOT_BLANK | PARAM_POSITIONAL | PARAM_EXISTING,
	 .help = "an existing key, or category:key"},
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
		       "new: \"%s\" is there already; delete it first, or choose "
		       "another key",
		       shown(&scratch, there->ref));
}

/* Where the entry goes: its own category unless the new key names one. */
static int mv_find_place(struct ref *to, const struct call *call, const struct edit *edit,
			 struct err *err)
{
	if (to->category == CATEGORY_ANY)
		to->category = (int)edit->item->entry.category;
	if (common_check_new_key("new", to->key, err) != 0 ||
	    change_check_category(edit->change, (enum category)to->category, err) != 0)
		return -1;
	return mv_check_free(call, edit->item, to, err);
}

static struct slice ref_text(const struct call *call, int category, struct slice key)
{
	STR_AUTO ref = STR_INIT;

	ref_add(&ref, (enum category)category, key);
	return arena_copy(call->arena, str_slice(&ref));
}

static int commit_move(const struct call *call, const struct edit *edit, const struct ref *to,
		       struct change_result *result, struct err *err)
{
	const struct item *item = edit->item;
	struct slice target = ref_text(call, to->category, to->key);

	if (change_remove(edit->change, item, err) != 0 ||
	    change_repoint(edit->change, item->ref, target, err) != 0 ||
	    common_put(edit->change, (enum category)to->category, to->key, item, item->entry.pinned,
		       common_compact(call, item->entry.text), err) != 0)
		return -1;
	return change_commit(edit->change, result, err);
}

static int move_in(const struct call *call, const struct edit *edit, struct ref *to,
		   struct json_writer *w, struct err *err)
{
	int64_t created_ms = edit->item->created_ms;
	int64_t updated_ms = edit->item->updated_ms;
	struct slice from = arena_copy(call->arena, edit->item->ref);
	struct change_result result;
	struct slice new_ref;

	if (mv_find_place(to, call, edit, err) != 0)
		return -1;
	new_ref = ref_text(call, to->category, to->key);
	if (commit_move(call, edit, to, &result, err) != 0)
		return -1;
	/* Not before: what is known of two refs, once added up, cannot be told apart again. */
	store_rename_usage(call->store, from, new_ref);
	json_write_object(w);
	common_write_entry(w, to->key, (enum category)to->category, created_ms, updated_ms);
	json_write_member_string(w, "from", from);
	common_end_change(w, call, &result);
	return 0;
}

static int mv_handle(const struct call *call, const void *arguments, struct json_writer *w,
		     struct err *err)
{
	const struct mv_args *args = arguments;
	struct edit edit;
	struct ref to;
	int rc;

	if (common_parse_ref(&to, "new", args->to, CATEGORY_ANY, err) != 0 ||
	    common_edit_begin(&edit, call, "key", args->key, err) != 0)
		return -1;
	rc = move_in(call, &edit, &to, w, err);
	change_end(edit.change);
	return rc;
}

const struct tool tool_mv = {
	.name = "mv",
	.command = "mv",
	.title = "Rename a memory",
	.section = SECTION_MEMORIES,
	.summary = "Rename an entry, or move it to another category; its value and times stay.",
	.params = params,
	.param_count = sizeof params / sizeof *params,
	.args_size = sizeof(struct mv_args),
	.flags = TOOL_SHELL_ONLY,
	.screen = screen_arguments,
	.run = mv_handle,
};
