#include "model/category.h"
#include "ops/transfer/import_entries.h"

/* JSON where it reads as JSON, else a text. */
static void read_mcp_write_said(struct json_writer *w, struct slice text)
{
	struct json_fault fault;
	JSON_AUTO doc = {0};

	if (json_parse(&doc, text, &json_line_bounds, &fault) == 0)
		json_write_value(w, &doc, JSON_ROOT);
	else
		json_write_string(w, text);
}

/* An entity of one of our categories is what write_graph.c makes of an entry. */
static void read_mcp_write_own(struct json_writer *w, const struct json *doc, uint32_t observations)
{
	bool several = doc->nodes[observations].count > 1;
	STR_AUTO scratch = STR_INIT;

	if (several)
		json_write_array(w);
	for (uint32_t n = json_first(doc, observations); n != JSON_NONE; n = json_next(doc, n))
		read_mcp_write_said(w, json_string(doc, n, &scratch));
	if (several)
		json_write_end(w);
}

/* What is known of any other stays together, with its kind. */
static void read_mcp_write_whole(struct json_writer *w, const struct json *doc,
				 uint32_t observations, struct slice type)
{
	json_write_object(w);
	if (type.ptr)
		json_write_member_string(w, "type", type);
	if (observations != JSON_NONE)
		json_write_member_value(w, "observations", doc, observations);
	else
		json_write_member_raw(w, "observations", slice_of("[]"));
	json_write_end(w);
}

/* Where the key alone was not enough for a name, the category stands before it. */
static struct slice read_mcp_key_of(struct slice name, int own)
{
	const char *category = own == CATEGORY_ANY ? "" : category_name((enum category)own);
	size_t len = strlen(category);

	if (len > 0 && name.len > len + 1 && slice_starts(name, category) && name.ptr[len] == ':')
		return slice_make(name.ptr + len + 1, name.len - len - 1);
	return name;
}

static void read_mcp_take_entity(struct import *m, const struct json *doc)
{
	struct slice name = json_member_text(doc, JSON_ROOT, "name", m->call->arena);
	struct slice type = json_member_text(doc, JSON_ROOT, "entityType", m->call->arena);
	uint32_t observations = json_member(doc, JSON_ROOT, "observations");
	int own = slice_index(type, category_names);
	bool ours = own != CATEGORY_ANY && import_are_texts(doc, observations, false);
	STR_AUTO text = STR_INIT;

	if (!name.ptr) {
		import_leave(m, slice_of("entity"), "has no name");
		return;
	}
	struct json_writer w = json_writer_to(&text, &json_compact);
	json_write_object(&w);
	json_write_name(&w, slice_of("value"));
	if (ours)
		read_mcp_write_own(&w, doc, observations);
	else
		read_mcp_write_whole(&w, doc, observations, type);
	common_write_time(&w, "created_at", m->call->now_ms);
	common_write_time(&w, "last_updated", m->call->now_ms);
	/* The name for searches, and its kind as a tag. */
	if (!ours) {
		import_write_label(&w, "tags", type, tag_clean);
		import_write_label(&w, "entities", name, entity_clean);
	}
	json_write_member_string(&w, "source", slice_of("server-memory"));
	json_write_end(&w);
	import_offer(m, &(struct import_offer){.name = name,
					       .category = import_category_of(type),
					       .key = read_mcp_key_of(name, own),
					       .text = str_slice(&text)});
}

static int read_mcp_visit(struct import *m, const struct json *doc, void *context, struct err *err)
{
	struct arena *arena = m->call->arena;
	struct slice type = json_member_text(doc, JSON_ROOT, "type", arena);
	const struct import_relation relation = {
		.from = json_member_text(doc, JSON_ROOT, "from", arena),
		.to = json_member_text(doc, JSON_ROOT, "to", arena),
		.type = json_member_text(doc, JSON_ROOT, "relationType", arena),
		.type_name = IMPORT_GRAPH_TYPE,
		.strength = RELATION_STRENGTH,
		.created_ms = TIME_NONE,
	};

	(void)context;
	(void)err;
	if (slice_is(type, "entity"))
		read_mcp_take_entity(m, doc);
	else if (!slice_is(type, "relation"))
		import_leave(m, type.ptr ? type : slice_of("line"),
			     "is neither an entity nor a relation");
	else if (!relation.from.ptr || !relation.to.ptr)
		import_leave(m, slice_of("relation"), "has no from and to");
	else
		import_link(m, &relation);
	return 0;
}

static int read_mcp_file(struct import *m, const char *path, struct slice text, struct err *err)
{
	(void)path;
	m->kind = "server-memory";
	return import_lines(m, "line", text, read_mcp_visit, NULL, err);
}

const struct import_reader import_reader_mcp = {.file = read_mcp_file};
