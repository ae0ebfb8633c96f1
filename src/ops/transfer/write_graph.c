/*
 * A store as the graph that the reference memory server keeps: entities with observations, and
 * relations, an object a line.
 *
 * A value is one observation, a list of several one for each: a text as it is, unless it would read
 * as JSON, and anything else as JSON. What came out of such a graph goes back as it was there. See
 * read_mcp.c, which reads both.
 */
#include "ops/transfer/export.h"
#include "ops/transfer/import_entries.h"

struct graph {
	struct export *export;
	struct map keys; /* how often a key is there, in whatever category */
	size_t facts;    /* the others */
};

/* An entity is known by its name alone: where the key does not do it is the ref. */
static struct slice write_graph_name_of(const struct graph *graph, const struct item *item)
{
	size_t count = 0;

	map_get(&graph->keys, item->entry.key, &count);
	if (count > 1 || ref_parse(item->entry.key).category != CATEGORY_ANY)
		return item->ref;
	return item->entry.key;
}

static void write_observation(struct json_writer *w, const struct json *doc, uint32_t node)
{
	STR_AUTO scratch = STR_INIT;
	STR_AUTO compact = STR_INIT;
	JSON_AUTO inner = {0};
	struct slice text = json_string(doc, node, &scratch);
	struct json_fault fault;

	if (!text.ptr || json_parse(&inner, text, &json_line_bounds, &fault) == 0) {
		json_print(&compact, doc, node);
		text = str_slice(&compact);
	}
	json_write_string(w, text);
}

/* True if it came from a graph and leads back to the same entry. */
static bool write_graph_is_entity(const struct entry *entry, struct slice name)
{
	const struct json *doc = entry->doc;
	uint32_t type = json_member(doc, entry->value_node, "type");
	STR_AUTO scratch = STR_INIT;
	struct slice text = type == JSON_NONE ? slice_of(NULL) : json_string(doc, type, &scratch);

	return text.ptr && doc->nodes[entry->value_node].count == 2 &&
	       import_are_texts(doc, json_member(doc, entry->value_node, "observations"), true) &&
	       slice_equal(name, entry->key) && category_find(text) == CATEGORY_ANY &&
	       common_category_of_new(entry->key, import_category_of(text)) == entry->category;
}

static void write_entity(struct graph *graph, const struct item *item)
{
	struct export *export = graph->export;
	const struct json *doc = item->entry.doc;
	uint32_t value = item->entry.value_node;
	struct slice name = write_graph_name_of(graph, item);
	struct json_writer w = json_writer_to(export->out, &json_compact);

	json_write_object(&w);
	json_write_member_string(&w, "type", slice_of("entity"));
	json_write_member_string(&w, "name", name);
	if (write_graph_is_entity(&item->entry, name)) {
		json_write_member_value(&w, "entityType", doc, json_member(doc, value, "type"));
		json_write_member_value(&w, "observations", doc,
					json_member(doc, value, "observations"));
	} else {
		json_write_member_string(&w, "entityType",
					 slice_of(category_name(item->entry.category)));
		json_write_member_array(&w, "observations");
		if (json_type(doc, value) != JSON_ARRAY || doc->nodes[value].count < 2)
			write_observation(&w, doc, value);
		else
			for (uint32_t n = json_first(doc, value); n != JSON_NONE;
			     n = json_next(doc, n))
				write_observation(&w, doc, n);
		json_write_end(&w);
	}
	json_write_end(&w);
	str_addc(export->out, '\n');
	export->entries++;
	graph->facts += !item->entry.bare;
}

static const struct item *write_graph_find_end(const struct graph *graph, struct slice ref)
{
	const struct whole *whole = graph->export->whole;

	for (size_t i = 0; i < whole->item_count; i++) {
		if (slice_equal(whole->items[i].ref, ref) &&
		    whole_has(whole, whole->items[i].entry.category))
			return &whole->items[i];
	}
	return NULL;
}

/* What the relation was called where it came from; false where it has a name of ours. */
static bool write_foreign_type(struct json_writer *w, const struct relation *relation)
{
	STR_AUTO scratch = STR_INIT;
	JSON_AUTO doc = {0};

	if (relation->type != RELATION_RELATED || !relation->metadata.ptr)
		return false;
	common_parse(&doc, relation->metadata);
	uint32_t type = json_member(&doc, JSON_ROOT, IMPORT_GRAPH_TYPE);
	if (json_type(&doc, type) != JSON_STRING)
		return false;
	json_write_string(w, json_string(&doc, type, &scratch));
	return true;
}

static void write_relation(struct graph *graph, const struct link *link)
{
	struct export *export = graph->export;
	const struct item *from = write_graph_find_end(graph, link->from);
	const struct item *to = write_graph_find_end(graph, link->to);

	if (!from || !to)
		return;
	struct json_writer w = json_writer_to(export->out, &json_compact);
	json_write_object(&w);
	json_write_member_string(&w, "type", slice_of("relation"));
	json_write_member_string(&w, "from", write_graph_name_of(graph, from));
	json_write_member_string(&w, "to", write_graph_name_of(graph, to));
	json_write_name(&w, slice_of("relationType"));
	if (!write_foreign_type(&w, &link->relation))
		json_write_string(&w, slice_of(relation_type_names[link->relation.type]));
	json_write_end(&w);
	str_addc(export->out, '\n');
	export->links++;
}

static void write_graph_lines(struct export *export)
{
	const struct whole *whole = export->whole;
	struct graph graph = {.export = export, .keys = MAP_INIT};

	for (size_t i = 0; i < whole->item_count; i++) {
		size_t count = 0;

		map_get(&graph.keys, whole->items[i].entry.key, &count);
		map_put(&graph.keys, whole->items[i].entry.key, count + 1);
	}
	for (size_t i = 0; i < whole->item_count; i++) {
		progress_step(export->call->progress, "writing", i, whole->item_count);
		if (whole_has(whole, whole->items[i].entry.category))
			write_entity(&graph, &whole->items[i]);
	}
	for (size_t i = 0; i < whole->link_count; i++)
		write_relation(&graph, &whole->links[i]);
	export_lose(export,
		    ", because memory.jsonl has no place for them: times, tags and other facts, of",
		    graph.facts, "entry", "entries", "");
	export_lose(export, ", likewise: strength, time and metadata of", export->links, "link",
		    "links", "");
	export_lose(export, ":", whole->link_count - export->links, "link", "links",
		    ", of which an entry is not in it either");
	export_lose(export, ":", whole->record_count, "archived record", "archived records",
		    "; json and jsonl hold them");
	map_release(&graph.keys);
}

const struct export_writer export_writer_graph = {write_graph_lines};
