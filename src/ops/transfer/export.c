#include "ops/transfer/export.h"

#include "base/mem.h"

const char *const export_format_names[EXPORT_FORMAT_COUNT + 1] = {"json", "jsonl", "mcp",
								  "markdown", NULL};

static const struct export_writer *const export_writers[EXPORT_FORMAT_COUNT] = {
	[EXPORT_JSON] = &export_writer_json,
	[EXPORT_JSONL] = &export_writer_lines,
	[EXPORT_MCP] = &export_writer_graph,
	[EXPORT_MARKDOWN] = &export_writer_markdown,
};

void export_lose(struct export *export, const char *before, size_t count, const char *one,
		 const char *many, const char *behind)
{
	if (count > 0)
		*MEM_ADD(export->lost, export->lost_count, export->lost_cap) =
			arena_printf(export->call->arena, "not in it%s %zu %s%s", before, count,
				     count == 1 ? one : many, behind)
				.ptr;
}

void export_write(struct export *export, enum export_format format)
{
	size_t promoted = 0;

	export_writers[format]->write(export);
	/* No format holds notes: they are files of their own, to be copied as files. */
	for (size_t i = 0; i < export->whole->item_count; i++) {
		const struct entry *entry = &export->whole->items[i].entry;

		promoted += whole_has(export->whole, entry->category) &&
			    json_member(entry->doc, entry->node, "promoted_to");
	}
	export_lose(export, promoted == 1 ? ": the note that" : ": the notes that", promoted,
		    "entry was promoted to", "entries were promoted to", "");
}
