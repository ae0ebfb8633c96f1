/*
 * Reading Markdown: a document, or a folder of memories with an index.
 *
 * A document is a row of sections: a heading is a key, and the text below it, up to the next
 * heading, is the value. A heading of the second level that is the name of a category sets the
 * category of those below. Lines that only point to a file are no text.
 */
#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "model/category.h"
#include "ops/transfer/import_entries.h"
#include "store/files/file_names.h"
#include "text/normalize.h"

#include <fcntl.h>
#include <stdlib.h>

#define SUFFIX ".md"
#define BYTE_ORDER_MARK "\xef\xbb\xbf"
#define FENCE "```"
#define FENCE_JSON FENCE "json\n"

/* Slices are parts of the text or of the arena. */
struct section {
	struct slice key;
	int category; /* CATEGORY_ANY where nothing says it */
	struct slice text;
};

struct sections {
	struct slice rest;
	struct arena *arena;
	struct slice key; /* of what comes next */
	int category;
};

/* What front matter says; parts of the text, absent where it says nothing. */
struct front {
	struct slice name;
	struct slice description;
	struct slice type;
	struct slice body; /* what stands behind it */
};

/* One that leads to another memory, by the name that stands in the text. */
struct pointer {
	struct slice from;
	struct slice to;
};

struct folder {
	struct import *m;
	int fd;
	struct pointer *pointers;
	size_t count;
	size_t cap;
	struct slice *names; /* of the memories, as they stand in the front matter */
	size_t name_count;
	size_t name_cap;
	struct map named; /* identity of a name -> number of the first that has it */
	struct map filed; /* likewise of the file's name, without its ending */
};

/* ---- sections */

/* Takes the next line off a text, without its end; false when there is none. */
static bool sections_line(struct slice *rest, struct slice *line)
{
	if (!slice_line(rest, line))
		return false;
	if (line->len > 0 && line->ptr[line->len - 1] == '\r')
		line->len--;
	return true;
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
	return (slice_starts(line, "- [") || slice_starts(line, "* [")) &&
	       memmem(line.ptr, line.len, ".md)", 4) != NULL;
}

/* A key that is no plain text is written as JSON. */
static struct slice markdown_key_of(const struct sections *sections, struct slice words)
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

static int markdown_category_of_heading(int level, struct slice words)
{
	for (int c = 0; level == 2 && c < CATEGORY_COUNT; c++) {
		if (slice_is(words, category_name((enum category)c)))
			return c;
	}
	return CATEGORY_ANY;
}

/* Takes the lines up to the next heading; false when there is none any more. */
static bool markdown_section_text(struct sections *sections, struct str *text)
{
	bool fenced = false;
	struct slice words;
	struct slice line;
	int level;

	while (sections_line(&sections->rest, &line)) {
		level = fenced ? 0 : read_heading(line, &words);
		if (level > 0) {
			if (level <= 2)
				sections->category = markdown_category_of_heading(level, words);
			sections->key = markdown_key_of(sections, words);
			return true;
		}
		fenced ^= slice_starts(line, FENCE);
		if (!fenced && is_pointer(line))
			continue;
		str_add(text, line);
		str_addc(text, '\n');
	}
	return false;
}

/* The next section that has a text; false when there is none. */
static bool sections_next(struct sections *sections, struct section *out)
{
	bool more = true;

	while (more) {
		STR_AUTO text = STR_INIT;
		struct slice trimmed;

		out->key = sections->key;
		out->category = sections->category;
		more = markdown_section_text(sections, &text);
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

	if (!slice_starts(text, FENCE_JSON) || text.len < head + tail ||
	    memcmp(text.ptr + text.len - tail, "\n" FENCE, tail) != 0)
		return slice_of(NULL);
	inner = slice_make(text.ptr + head, text.len - head - tail);
	return memmem(inner.ptr, inner.len, "\n" FENCE, tail) ? slice_of(NULL) : inner;
}

/* Writes a text as a value: a block of JSON as what it says, anything else as a string. */
static void section_write_value(struct json_writer *w, struct slice text)
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

/* ---- front matter */

static struct slice markdown_unquoted(struct slice text)
{
	if (text.len >= 2 && (text.ptr[0] == '"' || text.ptr[0] == '\'') &&
	    text.ptr[text.len - 1] == text.ptr[0])
		return slice_make(text.ptr + 1, text.len - 2);
	return text;
}

/* Is this "name: value", at whatever indentation? */
static bool is_field(struct slice line, const char *name, struct slice *value)
{
	size_t len = strlen(name);

	line = blank_trim(line);
	if (line.len <= len || memcmp(line.ptr, name, len) != 0 || line.ptr[len] != ':')
		return false;
	*value = markdown_unquoted(blank_trim(slice_make(line.ptr + len + 1, line.len - len - 1)));
	return true;
}

/* A value that begins with > or | stands in the indented lines below. */
static bool is_block(struct slice value)
{
	return value.len > 0 && value.len <= 2 && (value.ptr[0] == '>' || value.ptr[0] == '|');
}

static struct slice read_block(struct import *m, struct slice *rest)
{
	STR_AUTO text = STR_INIT;
	struct slice line;

	for (struct slice next = *rest; sections_line(&next, &line); *rest = next) {
		if (blank_trim(line).len > 0 && line.ptr[0] != ' ' && line.ptr[0] != '\t')
			break;
		if (text.len > 0 && blank_trim(line).len > 0)
			str_addc(&text, ' ');
		str_add(&text, blank_trim(line));
	}
	return arena_copy(m->call->arena, str_slice(&text));
}

static struct front markdown_read_front(struct import *m, struct slice text)
{
	struct front front = {.body = text};
	struct slice rest = text;
	struct slice line;
	struct slice value;

	if (!sections_line(&rest, &line) || !slice_is(line, "---"))
		return front;
	while (sections_line(&rest, &line)) {
		if (slice_is(line, "---")) {
			front.body = rest;
			return front;
		}
		if (is_field(line, "name", &value))
			front.name = value;
		else if (is_field(line, "description", &value))
			front.description = is_block(value) ? read_block(m, &rest) : value;
		else if (is_field(line, "type", &value))
			front.type = value;
	}
	/* Never closed: it is none. */
	return (struct front){.body = text};
}

/* ---- entries */

/* What kind of thing is where: of references nothing is known but their name. */
static int markdown_category_of_type(struct slice type)
{
	if (slice_is(type, "user") || slice_is(type, "feedback"))
		return CATEGORY_PREFERENCES;
	return slice_is(type, "project") ? CATEGORY_STATE : CATEGORY_ANY;
}

static void write_tag(struct json_writer *w, struct slice type)
{
	STR_AUTO tag = STR_INIT;

	tag_clean(type, &tag);
	if (tag.len == 0)
		return;
	json_write_name(w, slice_of("tags"));
	json_write_array(w);
	json_write_string(w, str_slice(&tag));
	json_write_end(w);
}

static void markdown_offer(struct import *m, const struct section *section,
			   const struct front *front, int64_t at_ms)
{
	STR_AUTO text = STR_INIT;
	struct json_writer w;

	json_writer_init(&w, &text, &json_compact);
	json_write_object(&w);
	json_write_name(&w, slice_of("value"));
	section_write_value(&w, section->text);
	common_write_time(&w, "created_at", at_ms);
	common_write_time(&w, "last_updated", at_ms);
	if (front && front->type.len > 0)
		write_tag(&w, front->type);
	json_write_member_string(&w, "source", slice_of(m->kind));
	if (front && front->description.len > 0)
		json_write_member_string(&w, "context", front->description);
	json_write_end(&w);
	import_offer(m, &(struct import_offer){
				.name = section->key,
				.category = section->category,
				.key = section->key,
				.text = str_slice(&text),
			});
}

/* Some editors begin a file with a byte order mark: it is no part of the text. */
static struct slice without_mark(struct slice text)
{
	size_t len = strlen(BYTE_ORDER_MARK);

	if (text.len < len || memcmp(text.ptr, BYTE_ORDER_MARK, len) != 0)
		return text;
	return slice_make(text.ptr + len, text.len - len);
}

static void take_sections(struct import *m, struct slice stem, struct slice text, int64_t at_ms)
{
	/* The text before the first heading gets the name of the file as its key. */
	struct sections sections = {text, m->call->arena, stem, CATEGORY_ANY};
	struct section section;

	while (!m->overflowed && sections_next(&sections, &section))
		markdown_offer(m, &section, NULL, at_ms);
}

/* The name of a file without folder and ending. */
static struct slice stem_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t len = strlen(name);

	if (len > strlen(SUFFIX) && strcmp(name + len - strlen(SUFFIX), SUFFIX) == 0)
		len -= strlen(SUFFIX);
	return slice_make(name, len);
}

/* Bytes that are no UTF-8 would be stored as such. */
static bool markdown_is_text(struct import *m, struct slice name, struct slice text)
{
	if (utf8_valid_prefix(text) == text.len)
		return true;
	import_leave(m, name, "is not UTF-8");
	return false;
}

/* A memory of its own, where the text says so. */
static bool markdown_take_memory(struct import *m, struct slice stem, struct slice text,
				 int64_t at_ms, struct front *front)
{
	struct section section = {.key = stem};

	*front = markdown_read_front(m, text);
	if (front->body.ptr == text.ptr && !front->name.ptr)
		return false;
	if (front->name.len > 0)
		section.key = front->name;
	section.category = markdown_category_of_type(front->type);
	section.text = blank_trim(front->body);
	if (section.text.len == 0)
		import_leave(m, section.key, "has no text");
	else
		markdown_offer(m, &section, front, at_ms);
	return true;
}

void import_markdown(struct import *m, const char *name, struct slice text, int64_t at_ms)
{
	struct slice stem = stem_of(name);
	struct front front;

	m->kind = "markdown";
	text = without_mark(text);
	if (markdown_is_text(m, stem, text) && !markdown_take_memory(m, stem, text, at_ms, &front))
		take_sections(m, stem, text, at_ms);
}

/* ---- a folder of them */

static void know_by(const struct folder *folder, struct map *map, struct slice text)
{
	STR_AUTO identity = STR_INIT;

	normalize_key(text, &identity);
	if (!map_get(map, str_slice(&identity), NULL))
		map_put(map, arena_copy(folder->m->call->arena, str_slice(&identity)),
			folder->name_count);
}

/* A memory that others may mean: by its name, or by that of its file. */
static void markdown_know(struct folder *folder, struct slice name, struct slice stem)
{
	know_by(folder, &folder->named, name);
	know_by(folder, &folder->filed, stem);
	folder->names = mem_grow(folder->names, &folder->name_cap, folder->name_count + 1,
				 sizeof *folder->names);
	folder->names[folder->name_count++] = arena_copy(folder->m->call->arena, name);
}

/* Which name a text means, in another spelling too ("no-mocks" for "No mocks"); else itself. */
static struct slice name_meant(const struct folder *folder, struct slice text)
{
	STR_AUTO identity = STR_INIT;
	size_t number;

	if (import_ref(folder->m, text).ptr)
		return text;
	normalize_key(text, &identity);
	if (map_get(&folder->named, str_slice(&identity), &number) ||
	    map_get(&folder->filed, str_slice(&identity), &number))
		return folder->names[number];
	return text;
}

/* Links to other memories wait until all are known. */
static void find_pointers(struct folder *folder, struct slice from, struct slice text)
{
	const char *end = text.ptr + text.len;

	for (const char *at = text.ptr; at < end;) {
		const char *open = memmem(at, (size_t)(end - at), "[[", 2);
		const char *close = open ? memmem(open, (size_t)(end - open), "]]", 2) : NULL;

		if (!close)
			return;
		folder->pointers = mem_grow(folder->pointers, &folder->cap, folder->count + 1,
					    sizeof *folder->pointers);
		folder->pointers[folder->count++] = (struct pointer){
			arena_copy(folder->m->call->arena, from),
			arena_copy(folder->m->call->arena,
				   slice_make(open + 2, (size_t)(close - open) - 2)),
		};
		at = close + 2;
	}
}

static void markdown_take_text(struct folder *folder, const char *name, struct slice text,
			       int64_t at_ms)
{
	struct import *m = folder->m;
	struct slice stem = stem_of(name);
	struct slice key;
	struct front front;

	if (!markdown_is_text(m, stem, text))
		return;
	if (strcmp(name, IMPORT_MEMORY_INDEX) == 0) {
		take_sections(m, stem, text, at_ms);
	} else if (markdown_take_memory(m, stem, text, at_ms, &front)) {
		key = front.name.len > 0 ? front.name : stem;
		markdown_know(folder, key, stem);
		find_pointers(folder, key, front.body);
	} else {
		markdown_know(folder, stem, stem);
		markdown_offer(m,
			       &(struct section){.key = stem,
						 .category = CATEGORY_ANY,
						 .text = blank_trim(text)},
			       NULL, at_ms);
	}
}

static int markdown_take_file(struct folder *folder, const char *name, struct err *err)
{
	STR_AUTO text = STR_INIT;
	struct file_id id;

	if (import_read_in(folder->m, folder->fd, name, &text, &id, err) != 0)
		return -1;
	markdown_take_text(folder, name, without_mark(str_slice(&text)),
			   (int64_t)id.mtime.tv_sec * 1000 + id.mtime.tv_nsec / 1000000);
	return 0;
}

static void link_them(const struct folder *folder)
{
	for (size_t i = 0; i < folder->count; i++)
		import_link(folder->m, &(struct import_relation){
					       .from = folder->pointers[i].from,
					       .to = name_meant(folder, folder->pointers[i].to),
					       .strength = RELATION_STRENGTH,
					       .created_ms = TIME_NONE,
				       });
}

static bool is_markdown(const char *name)
{
	size_t len = strlen(name);

	return name[0] != '.' && len > strlen(SUFFIX) &&
	       strcmp(name + len - strlen(SUFFIX), SUFFIX) == 0;
}

static int take_files(struct folder *folder, struct err *err)
{
	const struct sys *sys = store_disk(folder->m->call->store)->sys;
	struct names names = {0};
	int number = names_read(sys, folder->fd, is_markdown, &names);
	int result = 0;

	if (number != 0)
		result = err_set_errno(err, ERR_IO, number, "source: cannot list the folder");
	for (size_t i = 0; result == 0 && i < names.count && !folder->m->overflowed; i++)
		result = markdown_take_file(folder, names.list[i], err);
	names_release(&names);
	return result;
}

int import_memory_folder(struct import *m, const char *path, struct err *err)
{
	const struct sys *sys = store_disk(m->call->store)->sys;
	struct folder folder = {.m = m};
	int result;

	m->kind = "claude-memory";
	folder.fd = file_open(sys, AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (folder.fd < 0)
		return err_set(err, ERR_IO, "source: cannot open %s", path);
	result = take_files(&folder, err);
	if (result == 0)
		link_them(&folder);
	free(folder.pointers);
	free(folder.names);
	map_release(&folder.named);
	map_release(&folder.filed);
	file_close(sys, &folder.fd);
	return result == 0 ? 0 : err_prefix(err, "source");
}
