#include "base/mem.h"
#include "model/category.h"
#include "ops/transfer/import_entries.h"

#include <stdlib.h>

/* Kinds of things that are people, and groups of them. */
static const char *const connections[] = {"person",       "people", "user",    "contact",
					  "team",         "group",  "company", "organization",
					  "organisation", "client", "account", NULL};

/* The category whose name this is: what kota export writes as the kind of an entity. */
static int own_category(struct slice type)
{
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		if (slice_is(type, category_name((enum category)c)))
			return c;
	}
	return CATEGORY_ANY;
}

int import_category_of(struct slice type)
{
	static const struct {
		const char *type;
		enum category category;
	} others[] = {
		{"preference", CATEGORY_PREFERENCES}, {"pattern", CATEGORY_PATTERNS},
		{"habit", CATEGORY_PATTERNS},         {"routine", CATEGORY_PATTERNS},
		{"shortcut", CATEGORY_SHORTCUTS},     {"alias", CATEGORY_SHORTCUTS},
	};

	int own = own_category(type);

	if (own != CATEGORY_ANY)
		return own;
	for (size_t i = 0; connections[i]; i++) {
		if (slice_is_word(type, connections[i]))
			return CATEGORY_CONNECTIONS;
	}
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		if (slice_is_word(type, others[i].type))
			return (int)others[i].category;
	}
	return CATEGORY_ANY;
}

static void write_one(struct json_writer *w, const char *name, struct slice text)
{
	json_write_name(w, slice_of(name));
	json_write_array(w);
	json_write_string(w, text);
	json_write_end(w);
}

/* JSON where it reads as JSON, else a text. */
static void write_said(struct json_writer *w, struct slice text)
{
	struct json_fault fault;
	struct json doc;

	if (json_parse(&doc, text, &json_line_bounds, &fault) != 0) {
		json_write_string(w, text);
		return;
	}
	json_write_value(w, &doc, JSON_ROOT);
	json_release(&doc);
}

/* Are there observations, and nothing but texts? */
static bool are_texts(const struct json *doc, uint32_t list)
{
	if (list == JSON_NONE || json_type(doc, list) != JSON_ARRAY ||
	    json_first(doc, list) == JSON_NONE)
		return false;
	for (uint32_t n = json_first(doc, list); n != JSON_NONE; n = json_next(doc, n)) {
		if (json_type(doc, n) != JSON_STRING)
			return false;
	}
	return true;
}

/* An entity of one of our categories is what write_graph.c makes of an entry. */
static void compose_own(const struct import *m, const struct json *doc, uint32_t observations,
			struct json_writer *w)
{
	bool several = doc->nodes[observations].count > 1;
	STR_AUTO scratch = STR_INIT;

	json_write_object(w);
	json_write_name(w, slice_of("value"));
	if (several)
		json_write_array(w);
	for (uint32_t n = json_first(doc, observations); n != JSON_NONE; n = json_next(doc, n))
		write_said(w, json_string(doc, n, &scratch));
	if (several)
		json_write_end(w);
	common_write_time(w, "created_at", m->call->now_ms);
	common_write_time(w, "last_updated", m->call->now_ms);
	json_write_member_string(w, "source", slice_of("server-memory"));
	json_write_end(w);
}

/* What is known of it stays together, with the name for searches and its kind as a tag. */
static void read_mcp_compose(const struct import *m, const struct json *doc, struct slice name,
			     struct slice type, struct json_writer *w)
{
	uint32_t observations = json_member(doc, JSON_ROOT, "observations");
	char time[TIMESTAMP_SIZE];
	STR_AUTO label = STR_INIT;

	timestamp_format(m->call->now_ms, time);
	json_write_object(w);
	json_write_name(w, slice_of("value"));
	json_write_object(w);
	if (type.ptr)
		json_write_member_string(w, "type", type);
	json_write_name(w, slice_of("observations"));
	if (observations != JSON_NONE)
		json_write_value(w, doc, observations);
	else
		json_write_raw(w, slice_of("[]"));
	json_write_end(w);
	json_write_member_string(w, "created_at", slice_of(time));
	json_write_member_string(w, "last_updated", slice_of(time));
	tag_clean(type.ptr ? type : slice_of(""), &label);
	if (label.len > 0)
		write_one(w, "tags", str_slice(&label));
	entity_clean(name, &label);
	if (label.len > 0)
		write_one(w, "entities", str_slice(&label));
	json_write_member_string(w, "source", slice_of("server-memory"));
	json_write_end(w);
}

/* Where the key alone was not enough for a name, the category stands before it. */
static struct slice read_mcp_key_of(struct slice name, int own)
{
	const char *category = own == CATEGORY_ANY ? "" : category_name((enum category)own);
	size_t len = strlen(category);

	if (len > 0 && name.len > len + 1 && memcmp(name.ptr, category, len) == 0 &&
	    name.ptr[len] == ':')
		return slice_make(name.ptr + len + 1, name.len - len - 1);
	return name;
}

static void take_entity(struct import *m, const struct json *doc)
{
	struct slice name = import_member_text(m, doc, JSON_ROOT, "name");
	struct slice type = import_member_text(m, doc, JSON_ROOT, "entityType");
	uint32_t observations = json_member(doc, JSON_ROOT, "observations");
	int own = own_category(type);
	STR_AUTO text = STR_INIT;
	struct json_writer w;

	if (!name.ptr) {
		import_leave(m, slice_of("entity"), "has no name");
		return;
	}
	json_writer_init(&w, &text, &json_compact);
	if (own != CATEGORY_ANY && are_texts(doc, observations))
		compose_own(m, doc, observations, &w);
	else
		read_mcp_compose(m, doc, name, type, &w);
	import_offer(m, &(struct import_offer){.name = name,
					       .category = import_category_of(type),
					       .key = read_mcp_key_of(name, own),
					       .text = str_slice(&text)});
}

/* Relations wait until all entities are known: one may stand before them. */
struct waiting {
	struct import_relation *list;
	size_t count;
	size_t cap;
};

static void read_mcp_take_relation(struct import *m, const struct json *doc,
				   struct waiting *waiting)
{
	const struct import_relation relation = {
		.from = import_member_text(m, doc, JSON_ROOT, "from"),
		.to = import_member_text(m, doc, JSON_ROOT, "to"),
		.type = import_member_text(m, doc, JSON_ROOT, "relationType"),
		.type_name = IMPORT_GRAPH_TYPE,
		.strength = RELATION_STRENGTH,
		.created_ms = TIME_NONE,
	};

	if (!relation.from.ptr || !relation.to.ptr) {
		import_leave(m, slice_of("relation"), "has no from and to");
		return;
	}
	waiting->list = mem_grow(waiting->list, &waiting->cap, waiting->count + 1,
				 sizeof *waiting->list);
	waiting->list[waiting->count++] = relation;
}

static void read_mcp_visit(struct import *m, const struct json *doc, void *context)
{
	struct slice type = import_member_text(m, doc, JSON_ROOT, "type");

	if (slice_is(type, "entity"))
		take_entity(m, doc);
	else if (slice_is(type, "relation"))
		read_mcp_take_relation(m, doc, context);
	else
		import_leave(m, type.ptr ? type : slice_of("line"),
			     "is neither an entity nor a relation");
}

void import_mcp(struct import *m, struct slice text)
{
	struct waiting waiting = {0};

	m->kind = "server-memory";
	import_lines(m, "line", text, read_mcp_visit, &waiting);
	for (size_t i = 0; i < waiting.count; i++)
		import_link(m, &waiting.list[i]);
	free(waiting.list);
}
