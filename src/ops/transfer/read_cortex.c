#include "base/mem.h"
#include "base/utf8.h"
#include "text/normalize.h"
#include "model/category.h"
#include "ops/transfer/import_entries.h"

#include <stdlib.h>

/* A key is made of so many words of what is remembered, and so many bytes at most. */
#define KEY_WORDS 6
#define KEY_LEN 48

/* So many bytes of an id tell two memories of the same words apart. */
#define ID_HEAD 8

/* The last line of each id counts, as it was written last. */
struct memories {
	struct slice *ids;
	struct slice *lines; /* JSON texts */
	size_t count;
	size_t cap;
	size_t line_cap;
	struct map by_id;
	struct map keys; /* made so far */
};

static void read_cortex_remember(struct import *m, const struct json *doc, void *context)
{
	struct memories *all = context;
	struct slice id = import_member_text(m, doc, JSON_ROOT, "id");
	struct slice text = arena_copy(m->call->arena, json_text(doc, JSON_ROOT));
	size_t position;

	if (!id.ptr) {
		import_leave(m, slice_of("memory"), "has no id");
		return;
	}
	if (map_get(&all->by_id, id, &position)) {
		all->lines[position] = text;
		return;
	}
	all->ids = mem_grow(all->ids, &all->cap, all->count + 1, sizeof *all->ids);
	all->lines = mem_grow(all->lines, &all->line_cap, all->count + 1, sizeof *all->lines);
	all->ids[all->count] = id;
	all->lines[all->count] = text;
	map_put(&all->by_id, id, all->count++);
}

/* A line that says that the memory is gone. */
static bool is_deleted(const struct json *doc)
{
	static const char *const names[] = {"_deleted", "deleted", "tombstone"};
	bool deleted = false;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		uint32_t node = json_member(doc, JSON_ROOT, names[i]);

		if (node != JSON_NONE && json_bool(doc, node, &deleted) && deleted)
			return true;
	}
	return false;
}

/* Seconds since 1970, as a number or ISO 8601 text; TIME_NONE when it is neither. */
static int64_t time_of(const struct json *doc, const char *name)
{
	uint32_t node = json_member(doc, JSON_ROOT, name);
	double seconds;

	if (node != JSON_NONE && json_double(doc, node, &seconds))
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

static void write_labels(struct json_writer *w, const struct json *doc, const char *name,
			 void (*clean)(struct slice text, struct str *out))
{
	uint32_t list = read_cortex_member_of(doc, name);
	STR_AUTO scratch = STR_INIT;
	STR_AUTO label = STR_INIT;

	if (list == JSON_NONE || json_type(doc, list) != JSON_ARRAY ||
	    json_first(doc, list) == JSON_NONE)
		return;
	json_write_name(w, slice_of(name));
	json_write_array(w);
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
	json_write_name(w, slice_of(name));
	json_write_value(w, doc, node);
}

static void read_cortex_compose(const struct import *m, const struct json *doc, struct slice id,
				struct json_writer *w)
{
	int64_t created_ms = time_of(doc, "created_at");

	json_write_object(w);
	read_cortex_write_member(w, doc, "content", "value", JSON_STRING);
	common_write_time(w, "created_at", created_ms == TIME_NONE ? m->call->now_ms : created_ms);
	common_write_time(w, "last_updated",
			  created_ms == TIME_NONE ? m->call->now_ms : created_ms);
	common_write_time(w, "accessed_at", time_of(doc, "last_used"));
	read_cortex_write_member(w, doc, "use_count", "hits", JSON_NUMBER);
	write_labels(w, doc, "tags", tag_clean);
	write_labels(w, doc, "entities", entity_clean);
	read_cortex_write_member(w, doc, "strength", "strength", JSON_NUMBER);
	read_cortex_write_member(w, doc, "source", "source", JSON_STRING);
	read_cortex_write_member(w, doc, "context", "context", JSON_STRING);
	json_write_name(w, slice_of("meta"));
	json_write_object(w);
	json_write_member_string(w, "cortexgraph_id", id);
	json_write_end(w);
	if (slice_is(import_member_text(m, doc, JSON_ROOT, "status"), "promoted")) {
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
static struct slice key_for(struct import *m, struct memories *all, struct slice content,
			    struct slice id)
{
	STR_AUTO key = STR_INIT;
	struct slice kept;

	read_cortex_add_words(&key, content);
	if (key.len == 0 || map_get(&all->keys, str_slice(&key), NULL)) {
		str_adds(&key, key.len > 0 ? "_" : "memory_");
		str_add(&key, slice_make(id.ptr, id.len < ID_HEAD ? id.len : ID_HEAD));
	}
	kept = arena_copy(m->call->arena, str_slice(&key));
	map_put(&all->keys, kept, 0);
	return kept;
}

/* What was archived there is archived here. */
static int take_archived(struct import *m, enum category category, struct slice key,
			 struct slice text, struct err *err)
{
	STR_AUTO name = STR_INIT;
	STR_AUTO record_text = STR_INIT;
	struct json doc = {0};
	struct record record;
	int64_t at_ms;
	int result;

	common_parse(&doc, text);
	at_ms = entry_time(&doc, json_member(&doc, JSON_ROOT, "accessed_at"));
	if (at_ms == TIME_NONE)
		at_ms = entry_time(&doc, json_member(&doc, JSON_ROOT, "created_at"));
	json_release(&doc);
	record_key(&name, key, at_ms, 1);
	record_compose(&record_text, str_slice(&name), key, at_ms, REASON_FADED, text, false);
	common_parse(&doc, str_slice(&record_text));
	if (!record_read(&record, category, &doc, JSON_ROOT, m->call->arena))
		result = err_set(err, ERR_INTERNAL, "a record does not read back");
	else
		result = import_record(m, category, &record, err);
	json_release(&doc);
	return result;
}

static int read_cortex_take_memory(struct import *m, struct memories *all, size_t position,
				   struct err *err)
{
	struct slice id = all->ids[position];
	struct slice content;
	STR_AUTO text = STR_INIT;
	struct json_writer w;
	struct json doc = {0};
	struct slice key;
	int result = 0;

	common_parse(&doc, all->lines[position]);
	content = import_member_text(m, &doc, JSON_ROOT, "content");
	if (is_deleted(&doc) || !content.ptr) {
		import_leave(m, id, is_deleted(&doc) ? "was deleted" : "has no content");
		json_release(&doc);
		return 0;
	}
	key = key_for(m, all, content, id);
	json_writer_init(&w, &text, &json_compact);
	read_cortex_compose(m, &doc, id, &w);
	if (slice_is(import_member_text(m, &doc, JSON_ROOT, "status"), "archived"))
		result = take_archived(m, common_category_of_new(key, CATEGORY_ANY), key,
				       str_slice(&text), err);
	else
		import_offer(m, &(struct import_offer){.name = id,
						       .category = CATEGORY_ANY,
						       .key = key,
						       .text = str_slice(&text)});
	json_release(&doc);
	return result;
}

static struct slice either(const struct import *m, const struct json *doc, const char *name,
			   const char *other)
{
	struct slice text = import_member_text(m, doc, JSON_ROOT, name);

	return text.ptr ? text : import_member_text(m, doc, JSON_ROOT, other);
}

static void read_cortex_take_relation(struct import *m, const struct json *doc, void *context)
{
	uint32_t strength = json_member(doc, JSON_ROOT, "strength");
	struct import_relation relation = {
		.from = either(m, doc, "from", "from_memory_id"),
		.to = either(m, doc, "to", "to_memory_id"),
		.type = either(m, doc, "type", "relation_type"),
		.type_name = "relation_type",
		.strength = RELATION_STRENGTH,
		.created_ms = time_of(doc, "created_at"),
	};

	(void)context;
	if (strength != JSON_NONE)
		json_double(doc, strength, &relation.strength);
	if (is_deleted(doc) || !relation.from.ptr || !relation.to.ptr)
		import_leave(m, slice_of("relation"),
			     is_deleted(doc) ? "was deleted" : "has no from and to");
	else
		import_link(m, &relation);
}

int import_cortex(struct import *m, struct slice memories, struct slice relations, struct err *err)
{
	struct memories all = {.by_id = MAP_INIT, .keys = MAP_INIT};
	int result = 0;

	m->kind = "cortexgraph";
	import_lines(m, "memories.jsonl", memories, read_cortex_remember, &all);
	for (size_t i = 0; result == 0 && i < all.count; i++)
		result = read_cortex_take_memory(m, &all, i, err);
	if (result == 0)
		import_lines(m, "relations.jsonl", relations, read_cortex_take_relation, NULL);
	map_release(&all.by_id);
	map_release(&all.keys);
	free(all.ids);
	free(all.lines);
	return result;
}
