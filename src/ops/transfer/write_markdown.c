/*
 * A store as a Markdown document, for reading: a heading for each category, one for each key, and
 * below it a text as it is, or a block of JSON. read_markdown.c reads it again.
 */
#include "base/utf8.h"
#include "ops/transfer/export.h"

static bool has_control(struct slice text, bool keep_lines)
{
	for (size_t at = 0; at < text.len;) {
		uint32_t character = utf8_next(text, &at);

		if ((character < 0x20 && !(keep_lines && character == '\n')) || character == 0x7f)
			return true;
	}
	return false;
}

/* Would this line be more than text: a heading, a fence, a pointer to a file, front matter? */
static bool write_markdown_is_marked(struct slice line)
{
	static const char *const marks[] = {"#", "```", "~~~", "---", "- [", "* ["};

	line = blank_trim(line);
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		size_t len = strlen(marks[i]);

		if (line.len >= len && memcmp(line.ptr, marks[i], len) == 0)
			return true;
	}
	return false;
}

/* Does the text mean itself between two headings? */
static bool write_markdown_is_plain(struct slice text)
{
	struct slice line;

	if (text.len == 0 || has_control(text, true) || blank_trim(text).len != text.len)
		return false;
	while (slice_line(&text, &line)) {
		if (write_markdown_is_marked(line))
			return false;
	}
	return true;
}

static void write_markdown_add_key(struct str *out, struct slice key)
{
	struct json_writer w;

	str_adds(out, "### ");
	if (key.len > 0 && key.ptr[0] != '"' && key.ptr[0] != '#' && key.ptr[key.len - 1] != '#' &&
	    !has_control(key, false) && blank_trim(key).len == key.len) {
		str_add(out, key);
	} else {
		json_writer_init(&w, out, &json_compact);
		json_write_string(&w, key);
	}
	str_adds(out, "\n\n");
}

static void write_markdown_add_value(struct str *out, struct slice value)
{
	STR_AUTO scratch = STR_INIT;
	struct json doc = {0};
	struct json_writer w;

	common_parse(&doc, value);
	if (json_type(&doc, JSON_ROOT) == JSON_STRING &&
	    write_markdown_is_plain(json_string(&doc, JSON_ROOT, &scratch))) {
		str_add(out, json_string(&doc, JSON_ROOT, &scratch));
		str_addc(out, '\n');
	} else {
		str_adds(out, "```json\n");
		json_writer_init(&w, out, &json_pretty);
		json_write_value(&w, &doc, JSON_ROOT);
		str_adds(out, "\n```\n");
	}
	json_release(&doc);
}

static void add_category(struct export *export, enum category category, size_t *facts)
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
		write_markdown_add_value(export->out, item->entry.value);
		*facts += !item->entry.bare;
		export->entries++;
	}
}

static const char *plural(size_t count, const char *one, const char *many)
{
	return count == 1 ? one : many;
}

void export_markdown(struct export *export)
{
	size_t links = export->whole->link_count;
	size_t records = export->whole->record_count;
	size_t facts = 0;

	str_adds(export->out, "# Memory\n");
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		if (whole_has(export->whole, (enum category)c))
			add_category(export, (enum category)c, &facts);
	}
	if (facts > 0)
		export_lose(export,
			    "not in it, because it is for reading: times, tags and other facts, of "
			    "%zu %s",
			    facts, plural(facts, "entry", "entries"));
	if (links > 0)
		export_lose(export, "not in it: %zu %s; json and jsonl hold them", links,
			    plural(links, "link", "links"));
	if (records > 0)
		export_lose(export, "not in it: %zu archived %s; json and jsonl hold them", records,
			    plural(records, "record", "records"));
}
