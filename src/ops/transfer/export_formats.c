#include "ops/transfer/export_formats.h"

const char *const export_format_names[EXPORT_FORMAT_COUNT + 1] = {"json", "jsonl", "mcp",
								  "markdown", NULL};

static void (*const export_writers[EXPORT_FORMAT_COUNT])(struct export *export) = {
	export_json, export_lines, export_graph, export_markdown};

static bool export_is_promoted(const struct item *item)
{
	struct json doc = {0};
	bool promoted;

	common_parse(&doc, item->entry.text);
	promoted = json_member(&doc, JSON_ROOT, "promoted_to") != JSON_NONE;
	json_release(&doc);
	return promoted;
}

/* No format holds notes: they are files of their own, to be copied as files. */
static void export_lose_notes(struct export *export)
{
	size_t promoted = 0;

	for (size_t i = 0; i < export->whole->item_count; i++) {
		const struct item *item = &export->whole->items[i];

		promoted += whole_has(export->whole, item->entry.category) &&
			    export_is_promoted(item);
	}
	if (promoted > 0)
		export_lose(export, "not in it: the %s that %zu %s promoted to",
			    promoted == 1 ? "note" : "notes", promoted,
			    promoted == 1 ? "entry was" : "entries were");
}

void export_write(struct export *export, enum export_format format)
{
	export_writers[format](export);
	export_lose_notes(export);
}
