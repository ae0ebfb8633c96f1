/*
 * A store as a Markdown document, for reading: a heading for each category, one for each key, and
 * below it a text as it is, or a block of JSON. read_markdown.c reads it again.
 */
#include "base/utf8.h"
#include "ops/transfer/export.h"

static bool write_markdown_has_control(struct slice text, bool keep_lines)
{
	for (size_t at = 0; at < text.len;) {
		uint32_t character = utf8_next(text, &at);

		if ((character < 0x20 && !(keep_lines && character == '\n')) || character == 0x7f)
			return true;
	}
	return false;
}

/*
 * True if Markdown would take this line for more than text: a heading, a fence, a pointer to a
 * file, front matter.
 */
static bool write_markdown_is_marked(struct slice line)
{
	static const char *const marks[] = {"#", "```", "~~~", "---", "- [", "* ["};

	line = blank_trim(line);
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		if (slice_starts(line, marks[i]))
			return true;
	}
	return false;
}

/* True if the text would be read back as itself between two headings. */
static bool write_markdown_is_plain(struct slice text)
{
	struct slice line;

	if (text.len == 0 || write_markdown_has_control(text, true) ||
	    blank_trim(text).len != text.len)
		return false;
	while (slice_line(&text, &line)) {
		if (write_markdown_is_marked(line))
			return false;
	}
	return true;
}

static void write_markdown_add_key(struct str *out, struct slice key)
{

	str_adds(out, "### ");
	if (key.len > 0 && key.ptr[0] != '"' && key.ptr[0] != '#' && key.ptr[key.len - 1] != '#' &&
	    !write_markdown_has_control(key, false) && blank_trim(key).len == key.len) {
		str_add(out, key);
	} else {
		json_quote(out, key);
	}
	str_adds(out, "\n\n");
}

static void write_markdown_add_value(struct str *out, const struct entry *entry)
{
	STR_AUTO scratch = STR_INIT;
	struct slice text = json_string(entry->doc, entry->value_node, &scratch);

	if (text.ptr && write_markdown_is_plain(text)) {
		str_add(out, text);
		str_addc(out, '\n');
		return;
	}
	str_adds(out, "```json\n");
	struct json_writer w = json_writer_to(out, &json_pretty);
	json_write_value(&w, entry->doc, entry->value_node);
	str_adds(out, "\n```\n");
}

static void write_markdown_add_category(struct export *export, enum category category,
					size_t *facts)
{
	bool begun = false;

	for (size_t i = 0; i < export->whole->item_count; i++) {
		const struct item *item = &export->whole->items[i];

		progress_step(export->call->progress, category_name(category), i,
			      export->whole->item_count);
		if (item->entry.category != category)
			continue;
		if (!begun)
			str_printf(export->out, "\n## %s\n", category_name(category));
		begun = true;
		str_addc(export->out, '\n');
		write_markdown_add_key(export->out, item->entry.key);
		write_markdown_add_value(export->out, &item->entry);
		*facts += !item->entry.bare;
		export->entries++;
	}
}

static void write_markdown_page(struct export *export)
{
	size_t facts = 0;

	str_adds(export->out, "# Memory\n");
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		if (whole_has(export->whole, (enum category)c))
			write_markdown_add_category(export, (enum category)c, &facts);
	}
	export_lose(export, ", because it is for reading: times, tags and other facts, of", facts,
		    "entry", "entries", "");
	export_lose(export, ":", export->whole->link_count, "link", "links",
		    "; json and jsonl hold them");
	export_lose(export, ":", export->whole->record_count, "archived record", "archived records",
		    "; json and jsonl hold them");
}

const struct export_writer export_writer_markdown = {write_markdown_page};
