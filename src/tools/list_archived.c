#include "ops/common.h"
#include "tools/registry.h"

static int list_archived_handle(const struct call *call, const void *arguments,
				struct json_writer *w, struct err *err)
{
	const struct archived *records;
	const struct item *items;
	struct slice *refs;
	size_t record_count;
	size_t item_count;
	size_t count = 0;

	(void)arguments;
	if (common_refresh(call, err) != 0 ||
	    store_archive_all(call->store, &records, &record_count, err) != 0)
		return -1;
	items = store_items(call->store, &item_count);
	refs = arena_alloc(call->arena, (record_count + item_count) * sizeof *refs);
	for (size_t i = 0; i < record_count; i++)
		refs[count++] = records[i].ref;
	for (size_t i = 0; i < item_count; i++) {
		STR_AUTO ref = STR_INIT;

		/* One that is due but could not be moved yet counts as archived now. */
		if (!items[i].due)
			continue;
		record_key(&ref, items[i].ref, call->now_ms, 1);
		refs[count++] = arena_copy(call->arena, str_slice(&ref));
	}
	json_write_object(w);
	common_write_sorted_refs(w, "refs", refs, count);
	common_write_from(w, call, NULL);
	common_end_reply(w, call);
	return 0;
}

const struct tool tool_list_archived = {
	.name = "memory_list_archived",
	.command = "archived",
	.title = "List archived memories",
	.section = SECTION_CHANGES,
	.summary = "List archived entries as category:key@time.",
	.flags = TOOL_READ_ONLY | TOOL_LARGE_RESULT,
	.output_schema = "{\"type\":\"object\",\"properties\":{\"refs\":" SCHEMA_STRINGS
			 ",\"from\":" SCHEMA_STRING "," SCHEMA_WARNINGS
			 "},\"required\":[\"refs\"]}",
	.run = list_archived_handle,
};
