#include "base/mem.h"
#include "base/utf8.h"
#include "model/category.h"
#include "ops/transfer/import_entries.h"
#include "text/normalize.h"

#include <stdlib.h>

/* A key is made of so many words of what is remembered, and so many bytes at most. */
#define KEY_WORDS 6
#define KEY_LEN 48

/* So many bytes of an id tell two memories of the same words apart. */
#define ID_HEAD 8

struct cortex_memory {
	struct slice id;
	struct slice line; /* JSON text: the last of each id counts, as it was written last */
};

struct memories {
	struct cortex_memory *list;
	size_t count;
	size_t cap;
	struct map by_id;
	struct map keys; /* made so far */
};

static int read_cortex_remember(struct import *m, const struct json *doc, void *context,
				struct err *err)
{
	struct memories *all = context;
	struct slice id = json_member_text(doc, JSON_ROOT, "id", m->call->arena);
	size_t position = all->count;

	(void)err;
	if (!id.ptr) {
		import_leave(m, slice_of("memory"), "has no id");
		return 0;
	}
	if (!map_get(&all->by_id, id, &position)) {
		map_put(&all->by_id, id, position);
		MEM_ADD(all->list, all->count, all->cap)->id = id;
	}
	all->list[position].line = arena_copy(m->call->arena, json_text(doc, JSON_ROOT));
	return 0;
}

/* A line that says that the memory is gone. */
static bool read_cortex_is_deleted(const struct json *doc)
{
	static const char *const names[] = {"_deleted", "deleted", "tombstone"};
	bool deleted = false;

	for (size_t i = 0; i < sizeof names / sizeof *names && !deleted; i++)
		json_bool(doc, json_member(doc, JSON_ROOT, names[i]), &deleted);
	return deleted;
}

/* Seconds since 1970, as a number or ISO 8601 text; TIME_NONE when it is neither. */
static int64_t read_cortex_time_of(const struct json *doc, const char *name)
{
	uint32_t node = json_member(doc, JSON_ROOT, name);
	double seconds;

	if (json_double(doc, node, &seconds))
		return seconds > -6e10 && seconds < 2.5e11 ? (int64_t)(seconds * 1000) : TIME_NONE;
	return entry_time(doc, node);
}

/* In the memory itself, or in its "meta". */
static uint32_t read_cortex_member_of(const struct json *doc, const char *name)
{
	uint32_t node = json_member(doc, JSON_ROOT, name);
	uint32_t meta = json_member(doc, JSON_ROOT, "meta");

	if (node == JSON_NONE && meta != JSON_NONE)
		node = json_member(doc, meta, name);
	return node != JSON_NONE && json_type(doc, node) == JSON_NULL ? JSON_NONE : node;
}

static void read_cortex_write_labels(struct json_writer *w, const struct json *doc,
				     const char *name,
				     void (*clean)(struct slice text, struct str *out))
{
	uint32_t list = read_cortex_member_of(doc, name);
	STR_AUTO scratch = STR_INIT;
	STR_AUTO label = STR_INIT;

	if (list == JSON_NONE || json_type(doc, list) != JSON_ARRAY ||
	    json_first(doc, list) == JSON_NONE)
		return;
	json_write_member_array(w, name);
	for (uint32_t n = json_first(doc, list); n != JSON_NONE; n = json_next(doc, n)) {
		if (json_type(doc, n) != JSON_STRING)
			continue;
		clean(json_string(doc, n, &scratch), &label);
		if (label.len > 0)
			json_write_string(w, str_slice(&label));
	}
	json_write_end(w);
}

static void read_cortex_write_member(struct json_writer *w, const struct json *doc,
				     const char *from, const char *name, enum json_type type)
{
	uint32_t node = read_cortex_member_of(doc, from);

	if (node == JSON_NONE || json_type(doc, node) != type)
		return;
	json_write_member_value(w, name, doc, node);
}

static void read_cortex_compose(const struct import *m, const struct json *doc, struct slice id,
				struct json_writer *w)
{
	int64_t created_ms = read_cortex_time_of(doc, "created_at");

	if (created_ms == TIME_NONE)
		created_ms = m->call->now_ms;
	json_write_object(w);
	read_cortex_write_member(w, doc, "content", "value", JSON_STRING);
	common_write_time(w, "created_at", created_ms);
	common_write_time(w, "last_updated", created_ms);
	common_write_time(w, "accessed_at", read_cortex_time_of(doc, "last_used"));
	read_cortex_write_member(w, doc, "use_count", "hits", JSON_NUMBER);
	read_cortex_write_labels(w, doc, "tags", tag_clean);
	read_cortex_write_labels(w, doc, "entities", entity_clean);
	read_cortex_write_member(w, doc, "strength", "strength", JSON_NUMBER);
	read_cortex_write_member(w, doc, "source", "source", JSON_STRING);
	read_cortex_write_member(w, doc, "context", "context", JSON_STRING);
	json_write_member_object(w, "meta");
	json_write_member_string(w, "cortexgraph_id", id);
	json_write_end(w);
	if (slice_is(json_member_text(doc, JSON_ROOT, "status", m->call->arena), "promoted")) {
		json_write_member_string(w, "status", slice_of("promoted"));
		read_cortex_write_member(w, doc, "promoted_to", "promoted_to", JSON_STRING);
	}
	json_write_end(w);
}

/* The first words of a text, as a key. */
static void read_cortex_add_words(struct str *key, struct slice content)
{
	STR_AUTO words = STR_INIT;
	size_t count = 1;
	size_t at = 0;

	normalize_identity(content, &words);
	for (; at < words.len && at < KEY_LEN; at++) {
		if (words.ptr[at] == ' ' && ++count > KEY_WORDS)
			break;
	}
	/* Not in the middle of a word, where it has several. */
	if (at < words.len && words.ptr[at] != ' ') {
		const char *blank = memrchr(words.ptr, ' ', at);

		at = blank ? (size_t)(blank - words.ptr)
			   : utf8_valid_prefix(slice_make(words.ptr, at));
	}
	for (size_t i = 0; i < at; i++)
		str_addc(key, words.ptr[i] == ' ' ? '_' : words.ptr[i]);
}

/* The same words twice get a part of the id behind them, so that a key is always the same. */
static struct slice read_cortex_key_for(struct import *m, struct memories *all,
					struct slice content, struct slice id)
{
	STR_AUTO key = STR_INIT;

	read_cortex_add_words(&key, content);
	if (key.len == 0 || map_get(&all->keys, str_slice(&key), NULL)) {
		str_adds(&key, key.len > 0 ? "_" : "memory_");
		str_add(&key, slice_make(id.ptr, id.len < ID_HEAD ? id.len : ID_HEAD));
	}
	struct slice kept = arena_copy(m->call->arena, str_slice(&key));
	map_put(&all->keys, kept, 0);
	return kept;
}

/* What was archived there is archived here. */
static int read_cortex_take_archived(struct import *m, enum category category, struct slice key,
				     struct slice text, struct err *err)
{
	STR_AUTO name = STR_INIT;
	STR_AUTO record_text = STR_INIT;
	JSON_AUTO entry_doc = {0};
	JSON_AUTO doc = {0};
	struct record record;
	struct entry entry;

	common_parse(&entry_doc, text);
	entry_read(&entry, category, &entry_doc, JSON_ROOT, m->call->arena);
	int64_t at_ms = entry.accessed_ms != TIME_NONE ? entry.accessed_ms : entry.created_ms;
	record_key(&name, key, at_ms, 1);
	record_compose(&record_text, str_slice(&name), key, at_ms, REASON_FADED, &entry);
	common_parse(&doc, str_slice(&record_text));
	if (!record_read(&record, category, &doc, JSON_ROOT, m->call->arena))
		return err_set(err, ERR_INTERNAL, "a record does not read back");
	return import_record(m, category, &record, err);
}

static int read_cortex_take_memory(struct import *m, struct memories *all,
				   const struct cortex_memory *memory, struct err *err)
{
	STR_AUTO text = STR_INIT;
	JSON_AUTO doc = {0};

	common_parse(&doc, memory->line);
	struct slice content = json_member_text(&doc, JSON_ROOT, "content", m->call->arena);
	if (read_cortex_is_deleted(&doc) || !content.ptr) {
		import_leave(m, memory->id,
			     read_cortex_is_deleted(&doc) ? "was deleted" : "has no content");
		return 0;
	}
	struct slice key = read_cortex_key_for(m, all, content, memory->id);
	struct json_writer w = json_writer_to(&text, &json_compact);
	read_cortex_compose(m, &doc, memory->id, &w);
	if (slice_is(json_member_text(&doc, JSON_ROOT, "status", m->call->arena), "archived"))
		return read_cortex_take_archived(m, common_category_of_new(key, CATEGORY_ANY), key,
						 str_slice(&text), err);
	import_offer(m, &(struct import_offer){.name = memory->id,
					       .category = CATEGORY_ANY,
					       .key = key,
					       .text = str_slice(&text)});
	return 0;
}

static struct slice read_cortex_either(const struct import *m, const struct json *doc,
				       const char *name, const char *other)
{
	struct slice text = json_member_text(doc, JSON_ROOT, name, m->call->arena);

	return text.ptr ? text : json_member_text(doc, JSON_ROOT, other, m->call->arena);
}

static int read_cortex_take_relation(struct import *m, const struct json *doc, void *context,
				     struct err *err)
{
	struct import_relation relation = {
		.from = read_cortex_either(m, doc, "from", "from_memory_id"),
		.to = read_cortex_either(m, doc, "to", "to_memory_id"),
		.type = read_cortex_either(m, doc, "type", "relation_type"),
		.type_name = "relation_type",
		.strength = RELATION_STRENGTH,
		.created_ms = read_cortex_time_of(doc, "created_at"),
	};

	(void)context;
	(void)err;
	json_double(doc, json_member(doc, JSON_ROOT, "strength"), &relation.strength);
	if (read_cortex_is_deleted(doc) || !relation.from.ptr || !relation.to.ptr)
		import_leave(m, slice_of("relation"),
			     read_cortex_is_deleted(doc) ? "was deleted" : "has no from and to");
	else
		import_link(m, &relation);
	return 0;
}

/* CortexGraph keeps relations beside the memories. */
static int read_cortex_file(struct import *m, const char *path, struct slice text, struct err *err)
{
	struct memories all = {.by_id = MAP_INIT, .keys = MAP_INIT};
	const char *slash = strrchr(path, '/');
	STR_AUTO beside = STR_INIT;
	STR_AUTO relations = STR_INIT;

	m->kind = "cortexgraph";
	str_printf(&beside, "%.*srelations.jsonl", slash ? (int)(slash - path) + 1 : 0, path);
	if (import_read(m, beside.ptr, true, &relations, err) != 0)
		return -1;
	int result = import_lines(m, "memories.jsonl", text, read_cortex_remember, &all, err);
	for (size_t i = 0; result == 0 && i < all.count; i++)
		result = read_cortex_take_memory(m, &all, &all.list[i], err);
	if (result == 0)
		result = import_lines(m, "relations.jsonl", str_slice(&relations),
				      read_cortex_take_relation, NULL, err);
	map_release(&all.by_id);
	map_release(&all.keys);
	free(all.list);
	return result;
}

const struct import_reader import_reader_cortex = {.file = read_cortex_file};
