#include "merge/canon.h"

#include "base/mem.h"
#include "json/write.h"

#include <stdlib.h>

/* A document whose canonical texts are being written. */
struct canon_build {
	struct canon *doc;
	uint32_t used; /* members */
};

static int canon_name_order(const void *left, const void *right, void *context)
{
	const struct canon *doc = context;

	return slice_compare(doc->values[*(const uint32_t *)left].name,
			     doc->values[*(const uint32_t *)right].name);
}

/* The names of the document live in its text or its arena. */
static struct slice canon_name(struct canon *doc, uint32_t node)
{
	STR_AUTO scratch = STR_INIT;
	struct slice name = json_name(&doc->json, node, &scratch);

	return doc->json.nodes[node].name_escaped ? arena_copy(&doc->arena, name) : name;
}

static void canon_write(struct canon_build *build, uint32_t node);

static void canon_write_object(struct canon_build *build, uint32_t node)
{
	struct canon *doc = build->doc;
	uint32_t count = doc->json.nodes[node].count;
	uint32_t first = build->used;
	uint32_t at = first;

	doc->values[node].members = first;
	build->used += count;
	for (uint32_t m = json_first(&doc->json, node); m != JSON_NONE;
	     m = json_next(&doc->json, m)) {
		doc->values[m].name = canon_name(doc, m);
		doc->sorted[at++] = m;
	}
	if (count > 1)
		qsort_r(doc->sorted + first, count, sizeof *doc->sorted, canon_name_order, doc);
	str_addc(&doc->text, '{');
	for (uint32_t i = first; i < first + count; i++) {
		if (i > first)
			str_addc(&doc->text, ',');
		json_quote(&doc->text, doc->values[doc->sorted[i]].name);
		str_addc(&doc->text, ':');
		canon_write(build, doc->sorted[i]);
	}
	str_addc(&doc->text, '}');
}

static void canon_write_array(struct canon_build *build, uint32_t node)
{
	const struct json *json = &build->doc->json;
	struct str *text = &build->doc->text;

	str_addc(text, '[');
	for (uint32_t e = json_first(json, node); e != JSON_NONE; e = json_next(json, e)) {
		if (e != json_first(json, node))
			str_addc(text, ',');
		canon_write(build, e);
	}
	str_addc(text, ']');
}

/* As deep as the scanner let the text be. */
static void canon_write(struct canon_build *build, uint32_t node)
{
	struct canon *doc = build->doc;
	STR_AUTO scratch = STR_INIT;

	doc->values[node].from = (uint32_t)doc->text.len;
	switch (json_type(&doc->json, node)) {
	case JSON_OBJECT:
		canon_write_object(build, node);
		break;
	case JSON_ARRAY:
		canon_write_array(build, node);
		break;
	case JSON_STRING:
		json_quote(&doc->text, json_string(&doc->json, node, &scratch));
		break;
	case JSON_NULL:
	case JSON_BOOL:
	case JSON_NUMBER:
		str_add(&doc->text, json_text(&doc->json, node));
		break;
	}
	doc->values[node].to = (uint32_t)doc->text.len;
}

int canon_parse(struct canon *out, struct slice text, struct json_fault *fault)
{
	/* Escaping a control character makes six bytes of one at most: all offsets fit. */
	static const struct json_bounds bounds = {
		.bytes = 256 << 20, .nodes = 1 << 26, .depth = 40, .allow_bom = true};
	struct canon_build build = {.doc = out};
	struct json json;

	if (json_parse(&json, text, &bounds, fault) != 0)
		return -1;
	*out = (struct canon){.json = json, .text = STR_INIT};
	out->values = mem_zalloc(json.count, sizeof *out->values);
	out->sorted = mem_zalloc(json.count, sizeof *out->sorted);
	canon_write(&build, JSON_ROOT);
	return 0;
}

void canon_release(struct canon *doc)
{
	json_release(&doc->json);
	str_release(&doc->text);
	free(doc->values);
	free(doc->sorted);
	arena_release(&doc->arena);
	*doc = (struct canon){.text = STR_INIT};
}

struct part part_member(struct part object, struct slice name)
{
	const struct canon *doc = object.doc;
	size_t low = 0;
	size_t high;

	if (!part_is(object, JSON_OBJECT))
		return part_none();
	high = doc->json.nodes[object.node].count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint32_t node = doc->sorted[doc->values[object.node].members + middle];
		int order = slice_compare(doc->values[node].name, name);

		if (order == 0)
			return (struct part){doc, node};
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return part_none();
}

struct part part_first(struct part parent)
{
	uint32_t node = parent.doc ? json_first(&parent.doc->json, parent.node) : JSON_NONE;

	return node != JSON_NONE ? (struct part){parent.doc, node} : part_none();
}

struct part part_next(struct part part)
{
	uint32_t node = part.doc ? json_next(&part.doc->json, part.node) : JSON_NONE;

	return node != JSON_NONE ? (struct part){part.doc, node} : part_none();
}
