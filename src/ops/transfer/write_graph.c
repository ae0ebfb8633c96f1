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

#include <stdlib.h>

struct graph {
	struct export *export;
	struct map keys; /* how often a key is there, in whatever category */
	size_t facts;    /* the others */
};

static void count_keys(struct graph *graph)
{
	const struct whole *whole = graph->export->whole;

	for (size_t i = 0; i < whole->item_count; i++) {
		struct slice key = whole->items[i].entry.key;
		size_t count = 0;

		map_get(&graph->keys, key, &count);
		map_put(&graph->keys, key, count + 1);
	}
}

/* An entity is known by its name alone: where the key does not do it is the ref. */
static struct slice write_graph_name_of(const struct graph *graph, const struct item *item)
{
	size_t count = 0;

	map_get(&graph->keys, item->entry.key, &count);
	if (count > 1 || ref_parse(item->entry.key).category != CATEGORY_ANY)
		return item->ref;
	return item->entry.key;
}

static bool write_graph_reads_as_json(struct slice text)
{
	struct json_fault fault;
	struct json doc;

	if (json_parse(&doc, text, &json_line_bounds, &fault) != 0)
		return false;
	json_release(&doc);
	return true;
}

static void write_observation(struct json_writer *w, const struct json *doc, uint32_t node)
{
	STR_AUTO scratch = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct json_writer inner;
	struct slice string;

	if (json_type(doc, node) == JSON_STRING) {
		string = json_string(doc, node, &scratch);
		if (!write_graph_reads_as_json(string)) {
			json_write_string(w, string);
			return;
		}
	}
	json_writer_init(&inner, &text, &json_compact);
	json_write_value(&inner, doc, node);
	json_write_string(w, str_slice(&text));
}

static void write_observations(struct json_writer *w, const struct json *doc, uint32_t value)
{
	json_write_name(w, slice_of("observations"));
	json_write_array(w);
	if (json_type(doc, value) != JSON_ARRAY || doc->nodes[value].count < 2)
		write_observation(w, doc, value);
	else
		for (uint32_t n = json_first(doc, value); n != JSON_NONE; n = json_next(doc, n))
			write_observation(w, doc, n);
	json_write_end(w);
}

/* Did it come out of a graph, and does it lead back to the same entry? */
static bool is_entity(const struct graph *graph, const struct item *item, const struct json *doc)
{
	uint32_t type = json_member(doc, JSON_ROOT, "type");
	uint32_t observations = json_member(doc, JSON_ROOT, "observations");
	STR_AUTO scratch = STR_INIT;
	struct slice text;
	int category;

	if (type == JSON_NONE || json_type(doc, type) != JSON_STRING || observations == JSON_NONE ||
	    json_type(doc, observations) != JSON_ARRAY || doc->nodes[JSON_ROOT].count != 2 ||
	    !slice_equal(write_graph_name_of(graph, item), item->entry.key))
		return false;
	for (uint32_t n = json_first(doc, observations); n != JSON_NONE; n = json_next(doc, n)) {
		if (json_type(doc, n) != JSON_STRING)
			return false;
	}
	text = json_string(doc, type, &scratch);
	category = import_category_of(text);
	return category_find(text) == CATEGORY_ANY &&
	       common_category_of_new(item->entry.key, category) == item->entry.category;
}

static void write_entity(struct graph *graph, const struct item *item)
{
	struct export *export = graph->export;
	struct json doc = {0};
	struct json_writer w;

	common_parse(&doc, item->entry.value);
	json_writer_init(&w, export->out, &json_compact);
	json_write_object(&w);
	json_write_member_string(&w, "type", slice_of("entity"));
	json_write_member_string(&w, "name", write_graph_name_of(graph, item));
	json_write_name(&w, slice_of("entityType"));
	if (is_entity(graph, item, &doc)) {
		json_write_value(&w, &doc, json_member(&doc, JSON_ROOT, "type"));
		json_write_name(&w, slice_of("observations"));
		json_write_value(&w, &doc, json_member(&doc, JSON_ROOT, "observations"));
	} else {
		json_write_string(&w, slice_of(category_name(item->entry.category)));
		write_observations(&w, &doc, JSON_ROOT);
	}
	json_write_end(&w);
	json_release(&doc);
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
	struct json doc = {0};
	uint32_t type;
	bool found;

	if (relation->type != RELATION_RELATED || !relation->metadata.ptr)
		return false;
	common_parse(&doc, relation->metadata);
	type = json_member(&doc, JSON_ROOT, IMPORT_GRAPH_TYPE);
	found = type != JSON_NONE && json_type(&doc, type) == JSON_STRING;
	if (found)
		json_write_string(w, json_string(&doc, type, &scratch));
	json_release(&doc);
	return found;
}

static void write_relation(struct graph *graph, const struct link *link)
{
	struct export *export = graph->export;
	const struct item *from = write_graph_find_end(graph, link->from);
	const struct item *to = write_graph_find_end(graph, link->to);
	struct json_writer w;

	if (!from || !to)
		return;
	json_writer_init(&w, export->out, &json_compact);
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

static void lose(struct graph *graph)
{
	struct export *export = graph->export;
	size_t lost = export->whole->link_count - export->links;

	if (graph->facts > 0)
		export_lose(export,
			    "not in it, because memory.jsonl has no place for them: times, tags "
			    "and other facts, of %zu %s",
			    graph->facts, graph->facts == 1 ? "entry" : "entries");
	if (export->links > 0)
		export_lose(export, "not in it, likewise: strength, time and metadata of %zu %s",
			    export->links, export->links == 1 ? "link" : "links");
	if (lost > 0)
		export_lose(export, "not in it: %zu %s, of which an entry is not in it either",
			    lost, lost == 1 ? "link" : "links");
	if (export->whole->record_count > 0)
		export_lose(export, "not in it: %zu archived %s; json and jsonl hold them",
			    export->whole->record_count,
			    export->whole->record_count == 1 ? "record" : "records");
}

void export_graph(struct export *export)
{
	struct graph graph = {.export = export, .keys = MAP_INIT};

	count_keys(&graph);
	for (size_t i = 0; i < export->whole->item_count; i++) {
		progress_step(export->call->progress, "writing", i, export->whole->item_count);
		if (whole_has(export->whole, export->whole->items[i].entry.category))
			write_entity(&graph, &export->whole->items[i]);
	}
	for (size_t i = 0; i < export->whole->link_count; i++)
		write_relation(&graph, &export->whole->links[i]);
	lose(&graph);
	map_release(&graph.keys);
}
