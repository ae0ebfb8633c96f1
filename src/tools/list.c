#include "ops/common.h"
#include "tools/registry.h"

struct list_args {
	int category;
};

static const struct param params[] = {
	{PARAM(CHOICE, list_args, category), .flags = PARAM_POSITIONAL | PARAM_PLAIN,
	 .choices = category_names, .help = "only this one"},
};

static int list_handle(const struct call *call, const void *arguments, struct json_writer *w,
		       struct err *err)
{
	const struct list_args *args = arguments;
	const struct item *items;
	struct slice *refs;
	size_t item_count;
	size_t count = 0;

	if (common_refresh(call, err) != 0)
		return -1;
	items = store_items(call->store, &item_count);
	refs = arena_alloc(call->arena, item_count * sizeof *refs);
	for (size_t i = 0; i < item_count; i++) {
		bool wanted = args->category == CATEGORY_ANY ||
			      (enum category)args->category == items[i].entry.category;

		if (wanted && !items[i].due)
			refs[count++] = items[i].ref;
	}
	json_write_object(w);
	common_write_sorted_refs(w, "refs", refs, count);
	common_write_from(w, call, NULL);
	common_end_reply(w, call);
	return 0;
}

const struct tool tool_list = {
	.name = "memory_list",
	.command = "list",
	.title = "List memories",
	.section = SECTION_MEMORIES,
	.summary = "List active entries as category:key, of one category or all.",
	TOOL_TAKES(params, list_args),
	.flags = TOOL_READ_ONLY | TOOL_LARGE_RESULT,
	.output_schema = "{\"type\":\"object\",\"properties\":{\"refs\":" SCHEMA_STRINGS
			 ",\"from\":" SCHEMA_STRING "," SCHEMA_WARNINGS
			 "},\"required\":[\"refs\"]}",
	.run = list_handle,
};
