#include "ops/common.h"
#include "tools/registry.h"

/* Keys of what was archived, in the order of the file. */
struct cleared {
	struct slice *keys;
	size_t count;
};

static void clear_state_write_reply(const struct call *call, const struct cleared *cleared,
				    struct json_writer *w)
{
	json_write_object(w);
	json_write_member_bool(w, "cleared", cleared->count > 0);
	common_write_texts(w, "archived", cleared->keys, cleared->count);
	if (cleared->count > 0)
		common_write_time(w, "archivedAt", call->now_ms);
	common_end_reply(w, call);
}

static bool clear_state_is_cleared(const struct item *item)
{
	return item->entry.category == CATEGORY_STATE && !item->due;
}

static int clear_state(const struct call *call, struct json_writer *w, struct err *err)
{
	struct cleared cleared = {0};
	CHANGE_AUTO change = NULL;
	const struct item *items;
	size_t count;

	if (common_change_begin(&change, call, err) != 0 ||
	    change_check_category(change, CATEGORY_STATE, err) != 0)
		return -1;
	items = store_items(call->store, &count);
	cleared.keys = arena_alloc(call->arena, count * sizeof *cleared.keys);
	for (size_t i = 0; i < count; i++) {
		if (!clear_state_is_cleared(&items[i]))
			continue;
		if (change_archive(change, &items[i], REASON_STATE_CLEAR, err) != 0)
			return -1;
		cleared.keys[cleared.count++] = arena_copy(call->arena, items[i].entry.key);
	}
	if (change_commit(change, NULL, err) != 0)
		return -1;
	clear_state_write_reply(call, &cleared, w);
	return 0;
}

/* Without anything to clear no lock is taken and no store created. */
static int clear_state_handle(const struct call *call, const void *arguments, struct json_writer *w,
			      struct err *err)
{
	const struct cleared nothing = {0};
	const struct item *items;
	bool any = false;
	size_t count;

	(void)arguments;
	if (common_refresh(call, err) != 0)
		return -1;
	items = store_items(call->store, &count);
	for (size_t i = 0; i < count; i++)
		any |= clear_state_is_cleared(&items[i]);
	if (any || !common_view_whole(call))
		return clear_state(call, w, err);
	clear_state_write_reply(call, &nothing, w);
	return 0;
}

const struct tool tool_clear_state = {
	.name = "memory_clear_state",
	.command = "clear-state",
	.title = "Clear the state",
	.section = SECTION_MEMORIES,
	.summary = "Archive every entry of category state.",
	.flags = TOOL_DESTRUCTIVE | TOOL_IDEMPOTENT,
	.output_schema = "{\"type\":\"object\",\"properties\":{\"cleared\":" SCHEMA_BOOLEAN
			 ",\"archived\":" SCHEMA_STRINGS ",\"archivedAt\":" SCHEMA_STRING
			 "," SCHEMA_WARNINGS "},\"required\":[\"cleared\",\"archived\"]}",
	.run = clear_state_handle,
};
