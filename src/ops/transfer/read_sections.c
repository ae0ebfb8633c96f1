#include "ops/transfer/read_sections.h"

#include "base/utf8.h"
#include "base/str.h"
#include "model/category.h"

#define FENCE "```"
#define FENCE_JSON FENCE "json\n"

bool sections_line(struct slice *rest, struct slice *line)
{
	const char *end;

	if (rest->len == 0)
		return false;
	end = memchr(rest->ptr, '\n', rest->len);
	*line = slice_make(rest->ptr, end ? (size_t)(end - rest->ptr) : rest->len);
	*rest = slice_make(rest->ptr + line->len + (end != NULL),
			   rest->len - line->len - (end != NULL));
	if (line->len > 0 && line->ptr[line->len - 1] == '\r')
		line->len--;
	return true;
}

static bool begins_with(struct slice text, const char *start)
{
	size_t len = strlen(start);

	return text.len >= len && memcmp(text.ptr, start, len) == 0;
}

void sections_begin(struct sections *sections, struct slice name, struct slice text,
		    struct arena *arena)
{
	*sections = (struct sections){text, arena, name, CATEGORY_ANY};
}

/* The level of a heading, and what it says; 0 for any other line. */
static int read_heading(struct slice line, struct slice *words)
{
	size_t level = 0;

	while (level < line.len && line.ptr[level] == '#')
		level++;
	if (level == 0 || level > 6 || level == line.len || line.ptr[level] != ' ')
		return 0;
	*words = blank_trim(slice_make(line.ptr + level, line.len - level));
	return words->len > 0 ? (int)level : 0;
}

/* "- [Title](file.md) ..." */
static bool is_pointer(struct slice line)
{
	line = blank_trim(line);
	return (begins_with(line, "- [") || begins_with(line, "* [")) &&
	       memmem(line.ptr, line.len, ".md)", 4) != NULL;
}

/* A key that is no plain text is written as JSON. */
static struct slice key_of(const struct sections *sections, struct slice words)
{
	STR_AUTO scratch = STR_INIT;
	struct json_fault fault;
	struct slice key = words;
	struct json doc;

	if (words.ptr[0] != '"' || json_parse(&doc, words, &json_line_bounds, &fault) != 0)
		return words;
	if (json_type(&doc, JSON_ROOT) == JSON_STRING)
		key = arena_copy(sections->arena, json_string(&doc, JSON_ROOT, &scratch));
	json_release(&doc);
	return key;
}

static int category_of(int level, struct slice words)
{
	for (int c = 0; level == 2 && c < CATEGORY_COUNT; c++) {
		if (slice_is(words, category_name((enum category)c)))
			return c;
	}
	return CATEGORY_ANY;
}

static void take_heading(struct sections *sections, int level, struct slice words)
{
	if (level <= 2)
		sections->category = category_of(level, words);
	sections->key = key_of(sections, words);
}

/* Takes the lines up to the next heading; false when there is none any more. */
static bool take_text(struct sections *sections, struct str *text)
{
	bool fenced = false;
	struct slice words;
	struct slice line;
	int level;

	while (sections_line(&sections->rest, &line)) {
		level = fenced ? 0 : read_heading(line, &words);
		if (level > 0) {
			take_heading(sections, level, words);
			return true;
		}
		fenced ^= begins_with(line, FENCE);
		if (!fenced && is_pointer(line))
			continue;
		str_add(text, line);
		str_addc(text, '\n');
	}
	return false;
}

bool sections_next(struct sections *sections, struct section *out)
{
	bool more = true;

	while (more) {
		STR_AUTO text = STR_INIT;
		struct slice trimmed;

		out->key = sections->key;
		out->category = sections->category;
		more = take_text(sections, &text);
		trimmed = blank_trim(str_slice(&text));
		if (trimmed.len == 0)
			continue;
		out->text = arena_copy(sections->arena, trimmed);
		return true;
	}
	return false;
}

/* What stands in a block of JSON that is all of the text; absent when it is none. */
static struct slice json_block(struct slice text)
{
	size_t head = strlen(FENCE_JSON);
	size_t tail = strlen("\n" FENCE);
	struct slice inner;

	if (!begins_with(text, FENCE_JSON) || text.len < head + tail ||
	    memcmp(text.ptr + text.len - tail, "\n" FENCE, tail) != 0)
		return slice_of(NULL);
	inner = slice_make(text.ptr + head, text.len - head - tail);
	return memmem(inner.ptr, inner.len, "\n" FENCE, tail) ? slice_of(NULL) : inner;
}

void section_write_value(struct json_writer *w, struct slice text)
{
	struct slice block = json_block(text);
	struct json_fault fault;
	struct json doc;

	if (!block.ptr || json_parse(&doc, block, &json_line_bounds, &fault) != 0) {
		json_write_string(w, text);
		return;
	}
	json_write_value(w, &doc, JSON_ROOT);
	json_release(&doc);
}
