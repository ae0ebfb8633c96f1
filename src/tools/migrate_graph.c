#include "base/mem.h"
#include "model/label.h"
#include "tools/migrate.h"

#include <stdlib.h>

/* Kinds of things that are people, and groups of them. */
static const char *const connections[] = {"person",       "people", "user",    "contact",
					  "team",         "group",  "company", "organization",
					  "organisation", "client", "account", NULL};

static int category_of(struct slice type)
{
	static const struct {
		const char *type;
		enum category category;
	} others[] = {
		{"preference", CATEGORY_PREFERENCES}, {"pattern", CATEGORY_PATTERNS},
		{"habit", CATEGORY_PATTERNS},         {"routine", CATEGORY_PATTERNS},
		{"shortcut", CATEGORY_SHORTCUTS},     {"alias", CATEGORY_SHORTCUTS},
	};

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

/* What is known of it stays together, with the name for searches and its kind as a tag. */
static void compose(const struct migration *m, const struct json *doc, struct slice name,
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

static void take_entity(struct migration *m, const struct json *doc)
{
	struct slice name = migrate_text(m, doc, JSON_ROOT, "name");
	struct slice type = migrate_text(m, doc, JSON_ROOT, "entityType");
	STR_AUTO text = STR_INIT;
	struct json_writer w;

	if (!name.ptr) {
		migrate_leave(m, slice_of("entity"), "has no name");
		return;
	}
	json_writer_init(&w, &text, &json_compact);
	compose(m, doc, name, type, &w);
	migrate_offer(m, &(struct migrate_offer){name, category_of(type), name, str_slice(&text)});
}

/* Relations wait until all entities are known: one may stand before them. */
struct waiting {
	struct migrate_relation *list;
	size_t count;
	size_t cap;
};

static void take_relation(struct migration *m, const struct json *doc, struct waiting *waiting)
{
	const struct migrate_relation relation = {
		.from = migrate_text(m, doc, JSON_ROOT, "from"),
		.to = migrate_text(m, doc, JSON_ROOT, "to"),
		.type = migrate_text(m, doc, JSON_ROOT, "relationType"),
		.type_name = "relationType",
		.strength = RELATION_STRENGTH,
		.created_ms = TIME_NONE,
	};

	if (!relation.from.ptr || !relation.to.ptr) {
		migrate_leave(m, slice_of("relation"), "has no from and to");
		return;
	}
	waiting->list = mem_grow(waiting->list, &waiting->cap, waiting->count + 1,
				 sizeof *waiting->list);
	waiting->list[waiting->count++] = relation;
}

static void visit(struct migration *m, const struct json *doc, void *context)
{
	struct slice type = migrate_text(m, doc, JSON_ROOT, "type");

	if (slice_is(type, "entity"))
		take_entity(m, doc);
	else if (slice_is(type, "relation"))
		take_relation(m, doc, context);
	else
		migrate_leave(m, type.ptr ? type : slice_of("line"),
			      "is neither an entity nor a relation");
}

void migrate_graph(struct migration *m, struct slice text)
{
	struct waiting waiting = {0};

	m->kind = "server-memory";
	migrate_lines(m, "line", text, visit, &waiting);
	for (size_t i = 0; i < waiting.count; i++)
		migrate_link(m, &waiting.list[i]);
	free(waiting.list);
}
