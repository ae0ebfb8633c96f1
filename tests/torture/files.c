#include "torture/files.h"

#include "base/map.h"
#include "base/mem.h"
#include "json/doc.h"
#include "json/write.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A file, or a line of one, while it is taken in. */
struct source {
	struct files *files;
	struct row *row;
	struct map *keys; /* of records and lines: each stands once */
	const char *name;
	const struct json *doc;
};

uint32_t files_last_mark(struct slice text)
{
	for (size_t i = text.len; i > 0; i--) {
		if (text.ptr[i - 1] == '#')
			return (uint32_t)strtoul(text.ptr + i, NULL, 10);
	}
	return 0;
}

bool files_has_mark(struct slice text, uint32_t mark)
{
	char wanted[16];
	int len = snprintf(wanted, sizeof wanted, "#%u;", mark);

	return text.len && memmem(text.ptr, text.len, wanted, (size_t)len) != NULL;
}

static bool parse(struct json *doc, struct slice text, const char *name, struct row *row)
{
	struct json_fault fault;

	if (json_parse(doc, text, &json_file_bounds, &fault) == 0)
		return true;
	row_violation(row, "%s:%u:%u does not parse: %s", name, fault.line, fault.column,
		      fault.what);
	return false;
}

static struct slice compact(struct files *files, const struct json *doc, uint32_t node)
{
	STR_AUTO text = STR_INIT;
	struct json_writer w = json_writer_to(&text, &json_compact);

	json_write_value(&w, doc, node);
	return arena_copy(&files->arena, str_slice(&text));
}

static struct found *add(struct source *source, enum whereabouts place, enum category category,
			 struct slice key, uint32_t entry)
{
	struct files *files = source->files;
	uint32_t value = json_member(source->doc, entry, "value");
	struct found *found;

	files->list = mem_grow(files->list, &files->cap, files->count + 1, sizeof *files->list);
	found = &files->list[files->count++];
	*found = (struct found){
		.place = place,
		.category = category,
		.key = arena_copy(&files->arena, key),
		.value = compact(files, source->doc, value == JSON_NONE ? entry : value),
	};
	found->mark = files_last_mark(found->value);
	return found;
}

static void check_once(struct source *source, enum category category, struct slice key)
{
	STR_AUTO ref = STR_INIT;

	ref_add(&ref, category, key);
	if (map_get(source->keys, str_slice(&ref), NULL))
		row_violation(source->row, "%s: %s stands twice", source->name, ref.ptr);
	map_put(source->keys, arena_copy(&source->files->arena, str_slice(&ref)), 0);
}

static void take_record(struct source *source, enum category category, uint32_t node)
{
	const struct json *doc = source->doc;
	STR_AUTO scratch = STR_INIT;
	uint32_t undo = json_member(doc, node, "undo");
	uint32_t entry = json_member(doc, node, "entry");
	bool is_undo = undo != JSON_NONE && json_type(doc, undo) == JSON_BOOL;
	struct found *found;

	if (entry == JSON_NONE) {
		row_violation(source->row, "%s: a record without an entry", source->name);
		return;
	}
	found = add(source, is_undo ? PLACE_UNDO : PLACE_ARCHIVED, category,
		    json_string(doc, json_member(doc, node, "originalKey"), &scratch), entry);
	found->reason = arena_copy(&source->files->arena,
				   json_string(doc, json_member(doc, node, "reason"), &scratch));
}

static void take_entries(struct source *source, enum category category)
{
	const struct json *doc = source->doc;
	STR_AUTO scratch = STR_INIT;

	for (uint32_t n = json_first(doc, JSON_ROOT); n != JSON_NONE; n = json_next(doc, n)) {
		add(source, PLACE_ACTIVE, category, json_name(doc, n, &scratch), n);
		source->files->entries[category]++;
	}
}

static void take_archive(struct source *source)
{
	const struct json *doc = source->doc;
	STR_AUTO scratch = STR_INIT;

	for (int c = 0; c < CATEGORY_COUNT; c++) {
		uint32_t list = json_member(doc, JSON_ROOT, category_name((enum category)c));

		if (list == JSON_NONE)
			continue;
		for (uint32_t n = json_first(doc, list); n != JSON_NONE; n = json_next(doc, n)) {
			take_record(source, (enum category)c, n);
			check_once(source, (enum category)c,
				   json_string(doc, json_member(doc, n, "key"), &scratch));
			source->files->records[c]++;
		}
	}
}

static void read_categories(struct files *files, const struct tmpdir *dir, struct row *row)
{
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		char name[64];
		char *text;
		struct json doc;

		snprintf(name, sizeof name, "%s.json", category_name((enum category)c));
		text = tmpdir_read(dir, name);
		files->bytes[c] = text ? (int64_t)strlen(text) : 0;
		if (text && parse(&doc, slice_of(text), name, row)) {
			struct source source = {files, row, NULL, name, &doc};

			take_entries(&source, (enum category)c);
			json_release(&doc);
		}
		free(text);
	}
}

static void read_archive(struct files *files, const struct tmpdir *dir, struct map *keys,
			 struct row *row)
{
	char *text = tmpdir_read(dir, "archive.json");
	struct json doc;

	if (text && parse(&doc, slice_of(text), "archive.json", row)) {
		struct source source = {files, row, keys, "archive.json", &doc};

		take_archive(&source);
		json_release(&doc);
	}
	free(text);
}

static void take_line(struct files *files, const char *name, struct slice line, struct map *keys,
		      struct row *row)
{
	STR_AUTO scratch = STR_INIT;
	struct slice kept = arena_copy(&files->arena, line);
	struct json doc;
	struct source source = {files, row, keys, name, &doc};
	int category;

	if (map_get(keys, line, NULL))
		row_violation(row, "%s: a line stands twice: %s", name, kept.ptr);
	map_put(keys, kept, 0);
	if (!parse(&doc, line, name, row))
		return;
	category = category_find(
		json_string(&doc, json_member(&doc, JSON_ROOT, "category"), &scratch));
	if (category == CATEGORY_ANY)
		row_violation(row, "%s: a line without a category: %s", name, kept.ptr);
	else
		take_record(&source, (enum category)category, JSON_ROOT);
	json_release(&doc);
}

static void read_cold(struct files *files, const struct tmpdir *dir, const char *name,
		      struct map *keys, struct row *row)
{
	STR_AUTO path = STR_INIT;
	char *text;
	char *end;

	str_printf(&path, "archive.cold/%s", name);
	text = tmpdir_read(dir, path.ptr);
	for (char *line = text; line && (end = strchr(line, '\n')) != NULL; line = end + 1)
		take_line(files, path.ptr, slice_make(line, (size_t)(end - line)), keys, row);
	free(text);
}

static void read_all_cold(struct files *files, const struct tmpdir *dir, struct map *keys,
			  struct row *row)
{
	STR_AUTO path = STR_INIT;
	const struct dirent *entry;
	DIR *folder;

	str_printf(&path, "%s/archive.cold", dir->path);
	folder = opendir(path.ptr);
	/* NOLINTNEXTLINE(concurrency-mt-unsafe) */
	while (folder && (entry = readdir(folder)) != NULL) {
		if (entry->d_name[0] != '.')
			read_cold(files, dir, entry->d_name, keys, row);
	}
	if (folder)
		closedir(folder);
}

void files_read(struct files *out, const struct tmpdir *dir, struct row *row)
{
	struct map keys = MAP_INIT;
	struct json doc;
	char *journal;

	*out = (struct files){.arena = ARENA_INIT};
	read_categories(out, dir, row);
	read_archive(out, dir, &keys, row);
	read_all_cold(out, dir, &keys, row);
	map_release(&keys);
	journal = tmpdir_read(dir, ".journal");
	out->journal = journal != NULL;
	if (journal && parse(&doc, slice_of(journal), ".journal", row))
		json_release(&doc);
	free(journal);
}

void files_release(struct files *files)
{
	free(files->list);
	arena_release(&files->arena);
	*files = (struct files){.arena = ARENA_INIT};
}

static void compare(const struct json *doc, uint32_t object, const char *what,
		    const int64_t wanted[CATEGORY_COUNT], struct row *row)
{
	for (int c = 0; object != JSON_NONE && c < CATEGORY_COUNT; c++) {
		const char *name = category_name((enum category)c);
		uint32_t node = json_member(doc, object, name);
		int64_t told = -1;

		if (node == JSON_NONE || !json_int(doc, node, &told) || told != wanted[c])
			row_violation(row, "metadata.json tells of %lld %s in %s, there are %lld",
				      (long long)told, what, name, (long long)wanted[c]);
	}
	if (object == JSON_NONE)
		row_violation(row, "metadata.json says nothing of %s", what);
}

void files_check_metadata(const struct files *files, const struct tmpdir *dir, struct row *row)
{
	char *text = tmpdir_read(dir, "metadata.json");
	uint32_t bytes;
	uint32_t archives;
	struct json doc;

	if (!text) {
		row_violation(row, "metadata.json is missing");
		return;
	}
	if (parse(&doc, slice_of(text), "metadata.json", row)) {
		bytes = json_member(&doc, JSON_ROOT, "bytes");
		archives = json_member(&doc, JSON_ROOT, "archives");
		compare(&doc, json_member(&doc, JSON_ROOT, "counts"), "entries", files->entries,
			row);
		compare(&doc, json_member(&doc, bytes, "categories"), "bytes", files->bytes, row);
		compare(&doc, json_member(&doc, archives, "counts"), "records", files->records,
			row);
		json_release(&doc);
	}
	free(text);
}
