/*
 * Reading Markdown: a document, or a folder of memories with an index.
 *
 * A document is a row of sections: a heading is a key, and the text below it, up to the next
 * heading, is the value. A heading of the second level that is the name of a category sets the
 * category of those below. Lines that only point to a file are no text.
 */
#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"
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

struct folder {
	struct import *m;
	int fd;
	struct slice *names; /* of the memories, as they stand in the front matter */
	size_t name_count;
	size_t name_cap;
	struct map named; /* identity of a name -> number of the first that has it */
	struct map filed; /* likewise of the file's name, without its ending */
};

/* ---- sections */

/* Takes the next line off a text, without its end; false when there is none. */
static bool read_markdown_sections_line(struct slice *rest, struct slice *line)
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
static bool read_markdown_is_pointer(struct slice line)
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
	JSON_AUTO doc = {0};

	if (words.ptr[0] != '"' || json_parse(&doc, words, &json_line_bounds, &fault) != 0)
		return words;
	return arena_copy(sections->arena, json_string(&doc, JSON_ROOT, &scratch));
}

/* Takes the lines up to the next heading; false when there is none any more. */
static bool markdown_section_text(struct sections *sections, struct str *text)
{
	bool fenced = false;
	struct slice words;
	struct slice line;

	while (read_markdown_sections_line(&sections->rest, &line)) {
		int level = fenced ? 0 : read_heading(line, &words);

		if (level > 0) {
			if (level <= 2)
				sections->category = level == 2 ? slice_index(words, category_names)
								: CATEGORY_ANY;
			sections->key = markdown_key_of(sections, words);
			return true;
		}
		fenced ^= slice_starts(line, FENCE);
		if (!fenced && read_markdown_is_pointer(line))
			continue;
		str_add(text, line);
		str_addc(text, '\n');
	}
	return false;
}

/* The next section that has a text; false when there is none. */
static bool read_markdown_sections_next(struct sections *sections, struct section *out)
{
	bool more = true;

	while (more) {
		STR_AUTO text = STR_INIT;

		out->key = sections->key;
		out->category = sections->category;
		more = markdown_section_text(sections, &text);
		struct slice trimmed = blank_trim(str_slice(&text));
		if (trimmed.len == 0)
			continue;
		out->text = arena_copy(sections->arena, trimmed);
		return true;
	}
	return false;
}

/* What stands in a block of JSON that is all of the text; absent when it is none. */
static struct slice read_markdown_json_block(struct slice text)
{
	size_t head = strlen(FENCE_JSON);
	size_t tail = strlen("\n" FENCE);

	if (!slice_starts(text, FENCE_JSON) || text.len < head + tail ||
	    !slice_ends(text, "\n" FENCE))
		return slice_of(NULL);
	struct slice inner = slice_make(text.ptr + head, text.len - head - tail);
	return memmem(inner.ptr, inner.len, "\n" FENCE, tail) ? slice_of(NULL) : inner;
}

/* Writes a text as a value: a block of JSON as what it says, anything else as a string. */
static void read_markdown_section_write_value(struct json_writer *w, struct slice text)
{
	struct slice block = read_markdown_json_block(text);
	struct json_fault fault;
	JSON_AUTO doc = {0};

	if (block.ptr && json_parse(&doc, block, &json_line_bounds, &fault) == 0)
		json_write_member_value(w, "value", &doc, JSON_ROOT);
	else
		json_write_member_string(w, "value", text);
}

/* ---- front matter */

/* True if this is "name: value", at whatever indentation, perhaps in quotes. */
static bool read_markdown_is_field(struct slice line, const char *name, struct slice *value)
{
	size_t len = strlen(name);

	line = blank_trim(line);
	if (line.len <= len || !slice_starts(line, name) || line.ptr[len] != ':')
		return false;
	*value = blank_trim(slice_make(line.ptr + len + 1, line.len - len - 1));
	if (value->len >= 2 && (value->ptr[0] == '"' || value->ptr[0] == '\'') &&
	    value->ptr[value->len - 1] == value->ptr[0])
		*value = slice_make(value->ptr + 1, value->len - 2);
	return true;
}

/* A value that begins with > or | stands in the indented lines below. */
static struct slice read_block(struct import *m, struct slice *rest, struct slice value)
{
	STR_AUTO text = STR_INIT;
	struct slice line;

	if (value.len == 0 || value.len > 2 || (value.ptr[0] != '>' && value.ptr[0] != '|'))
		return value;
	for (struct slice next = *rest; read_markdown_sections_line(&next, &line); *rest = next) {
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

	if (!read_markdown_sections_line(&rest, &line) || !slice_is(line, "---"))
		return front;
	while (read_markdown_sections_line(&rest, &line)) {
		if (slice_is(line, "---")) {
			front.body = rest;
			return front;
		}
		if (read_markdown_is_field(line, "name", &value))
			front.name = value;
		else if (read_markdown_is_field(line, "description", &value))
			front.description = read_block(m, &rest, value);
		else if (read_markdown_is_field(line, "type", &value))
			front.type = value;
	}
	/* Never closed, so it is no front matter. */
	return (struct front){.body = text};
}

/* ---- entries */

static void markdown_offer(struct import *m, const struct section *section,
			   const struct front *front, int64_t at_ms)
{
	STR_AUTO text = STR_INIT;
	struct json_writer w = json_writer_to(&text, &json_compact);

	json_write_object(&w);
	read_markdown_section_write_value(&w, section->text);
	common_write_time(&w, "created_at", at_ms);
	common_write_time(&w, "last_updated", at_ms);
	if (front && front->type.len > 0)
		import_write_label(&w, "tags", front->type, tag_clean);
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
static struct slice read_markdown_without_mark(struct slice text)
{
	size_t len = slice_starts(text, BYTE_ORDER_MARK) ? strlen(BYTE_ORDER_MARK) : 0;

	return slice_make(text.ptr + len, text.len - len);
}

static void read_markdown_take_sections(struct import *m, struct slice stem, struct slice text,
					int64_t at_ms)
{
	/* The text before the first heading gets the name of the file as its key. */
	struct sections sections = {text, m->call->arena, stem, CATEGORY_ANY};
	struct section section;

	while (!m->overflowed && read_markdown_sections_next(&sections, &section))
		markdown_offer(m, &section, NULL, at_ms);
}

/* The name of a file without folder and ending. */
static struct slice read_markdown_stem_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct slice name = slice_of(slash ? slash + 1 : path);

	if (name.len > strlen(SUFFIX) && slice_ends(name, SUFFIX))
		name.len -= strlen(SUFFIX);
	return name;
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
	/* A reference has no more than a name. */
	section.category = slice_is(front->type, "user") || slice_is(front->type, "feedback")
				   ? CATEGORY_PREFERENCES
			   : slice_is(front->type, "project") ? (int)CATEGORY_STATE
							      : CATEGORY_ANY;
	section.text = blank_trim(front->body);
	if (section.text.len == 0)
		import_leave(m, section.key, "has no text");
	else
		markdown_offer(m, &section, front, at_ms);
	return true;
}

static int read_markdown_file(struct import *m, const char *path, struct slice text,
			      struct err *err)
{
	const struct sys *sys = store_disk(m->call->store)->sys;
	struct slice stem = read_markdown_stem_of(path);
	int64_t at_ms = m->call->now_ms;
	struct front front;
	struct stat st;

	(void)err;
	m->kind = "markdown";
	/* When the file was changed last: it has no times of its own. */
	if (sys->fstatat(AT_FDCWD, path, &st, 0) == 0)
		at_ms = time_of_timespec(st.st_mtim);
	text = read_markdown_without_mark(text);
	if (markdown_is_text(m, stem, text) && !markdown_take_memory(m, stem, text, at_ms, &front))
		read_markdown_take_sections(m, stem, text, at_ms);
	return 0;
}

/* ---- a folder of them */

static void read_markdown_know_by(const struct folder *folder, struct map *map, struct slice text)
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
	read_markdown_know_by(folder, &folder->named, name);
	read_markdown_know_by(folder, &folder->filed, stem);
	*MEM_ADD(folder->names, folder->name_count,
		 folder->name_cap) = arena_copy(folder->m->call->arena, name);
}

/* Which name a text means, in another spelling too ("no-mocks" for "No mocks"); else itself. */
static struct slice read_markdown_name_meant(const struct folder *folder, struct slice text)
{
	STR_AUTO identity = STR_INIT;
	size_t number = folder->name_count;

	if (import_ref(folder->m, text).ptr)
		return text;
	normalize_key(text, &identity);
	if (!map_get(&folder->named, str_slice(&identity), &number))
		map_get(&folder->filed, str_slice(&identity), &number);
	return number < folder->name_count ? folder->names[number] : text;
}

/* Links to other memories, by the name that stands in the text, wait until all are known. */
static void read_markdown_find_pointers(struct folder *folder, struct slice from, struct slice text)
{
	struct arena *arena = folder->m->call->arena;
	const char *end = text.ptr + text.len;

	for (const char *at = text.ptr; at < end;) {
		const char *open = memmem(at, (size_t)(end - at), "[[", 2);
		const char *close = open ? memmem(open, (size_t)(end - open), "]]", 2) : NULL;

		if (!close)
			return;
		import_link(folder->m,
			    &(struct import_relation){
				    .from = arena_copy(arena, from),
				    .to = arena_copy(arena, slice_make(open + 2,
								       (size_t)(close - open) - 2)),
				    .strength = RELATION_STRENGTH,
				    .created_ms = TIME_NONE,
			    });
		at = close + 2;
	}
}

static void markdown_take_text(struct folder *folder, const char *name, struct slice text,
			       int64_t at_ms)
{
	struct import *m = folder->m;
	struct slice stem = read_markdown_stem_of(name);
	struct front front;

	if (!markdown_is_text(m, stem, text))
		return;
	if (strcmp(name, IMPORT_MEMORY_INDEX) == 0) {
		read_markdown_take_sections(m, stem, text, at_ms);
	} else if (markdown_take_memory(m, stem, text, at_ms, &front)) {
		struct slice key = front.name.len > 0 ? front.name : stem;

		markdown_know(folder, key, stem);
		read_markdown_find_pointers(folder, key, front.body);
	} else {
		markdown_know(folder, stem, stem);
		markdown_offer(m,
			       &(struct section){.key = stem,
						 .category = CATEGORY_ANY,
						 .text = blank_trim(text)},
			       NULL, at_ms);
	}
}

static bool read_markdown_is_markdown(const char *name)
{
	return name[0] != '.' && strlen(name) > strlen(SUFFIX) &&
	       slice_ends(slice_of(name), SUFFIX);
}

/* Reads a file of a folder of the source; a link is refused, wherever it leads. */
static int read_markdown_in(const struct import *m, int folder, const char *name, struct str *out,
			    struct file_id *id, struct err *err)
{
	const struct sys *sys = store_disk(m->call->store)->sys;

	if (file_read_own(sys, folder, name, IMPORT_BYTES_MAX, out, id, err) != 0)
		return -1;
	if (!id->present)
		return err_set(err, ERR_NOT_FOUND, "%s: there is no such file", name);
	return 0;
}

static int read_markdown_take_files(struct folder *folder, struct err *err)
{
	struct import *m = folder->m;
	NAMES_AUTO names = {0};
	int number = names_read(store_disk(m->call->store)->sys, folder->fd,
				read_markdown_is_markdown, &names);
	int result = 0;

	if (number != 0)
		result = err_set_errno(err, ERR_IO, number, "source: cannot list the folder");
	for (size_t i = 0; result == 0 && i < names.count && !m->overflowed; i++) {
		STR_AUTO text = STR_INIT;
		struct file_id id;

		result = read_markdown_in(m, folder->fd, names.list[i], &text, &id, err);
		if (result == 0)
			markdown_take_text(folder, names.list[i],
					   read_markdown_without_mark(str_slice(&text)),
					   time_of_timespec(id.mtime));
	}
	return result;
}

static int read_markdown_folder(struct import *m, const char *path, struct err *err)
{
	const struct sys *sys = store_disk(m->call->store)->sys;
	struct folder folder = {.m = m};

	m->kind = "claude-memory";
	folder.fd = file_open(sys, AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (folder.fd < 0)
		return err_set(err, ERR_IO, "source: cannot open %s", path);
	int result = read_markdown_take_files(&folder, err);
	for (size_t i = 0; i < m->waiting_count; i++)
		m->waiting[i].to = read_markdown_name_meant(&folder, m->waiting[i].to);
	free(folder.names);
	map_release(&folder.named);
	map_release(&folder.filed);
	file_close(sys, &folder.fd);
	return result == 0 ? 0 : err_prefix(err, "source");
}

const struct import_reader import_reader_markdown = {
	.file = read_markdown_file,
	.folder = read_markdown_folder,
};
