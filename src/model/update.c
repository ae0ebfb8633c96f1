#include "model/update.h"

#include "base/utf8.h"
#include "json/tree.h"

#include <string.h>

/* A value inside a document. */
struct part {
	const struct json *doc;
	uint32_t node;
};

static enum json_type update_type_of(struct part part)
{
	return json_type(part.doc, part.node);
}

static struct json_tree *update_tree_of(struct part part)
{
	return json_tree_from(part.doc, part.node);
}

/*
 * Clients often send an object or array as a string of its JSON text. True when string is such a
 * text of a type that goes with a value of type `into`; the caller then releases *doc.
 */
static bool update_reads_as_json(struct part string, enum json_type into, struct json *doc,
				 struct str *text)
{
	struct json_fault fault;

	if (json_parse(doc, json_string(string.doc, string.node, text), &json_line_bounds, &fault))
		return false;
	enum json_type type = json_type(doc, JSON_ROOT);
	if (type == JSON_OBJECT || (type == JSON_ARRAY && into == JSON_ARRAY))
		return true;
	json_release(doc);
	return false;
}

static struct json_tree *update_join_strings(struct part value, struct part addition)
{
	STR_AUTO value_scratch = STR_INIT;
	STR_AUTO addition_scratch = STR_INIT;
	STR_AUTO joined = STR_INIT;
	struct slice old = json_string(value.doc, value.node, &value_scratch);
	struct slice more = json_string(addition.doc, addition.node, &addition_scratch);

	if (blank_trim(more).len == 0 || (old.len && memmem(old.ptr, old.len, more.ptr, more.len)))
		return update_tree_of(value);
	str_add(&joined, old);
	str_addc(&joined, ' ');
	str_add(&joined, more);
	return json_tree_string(blank_trim(str_slice(&joined)));
}

/* The merged value, and what kind it is as long as it differs from the old one. */
static struct json_tree *update_combine(struct part value, struct part addition,
					enum merge_kind *kind)
{
	enum json_type into = update_type_of(value);
	enum json_type from = update_type_of(addition);

	*kind = MERGE_EXTENDED;
	if (into == JSON_STRING && from == JSON_STRING)
		return update_join_strings(value, addition);
	if (into == JSON_ARRAY || (into == JSON_OBJECT && from == JSON_OBJECT)) {
		struct json_tree *merged = update_tree_of(value);

		if (into == JSON_OBJECT)
			json_tree_merge(merged, update_tree_of(addition));
		else if (from == JSON_ARRAY)
			json_tree_concat(merged, update_tree_of(addition));
		else
			json_tree_append(merged, update_tree_of(addition));
		return merged;
	}
	*kind = into == JSON_OBJECT ? MERGE_DISPLACED : MERGE_REPLACED;
	return update_tree_of(addition);
}

enum merge_kind merge_values(const struct json *value, uint32_t value_node,
			     const struct json *addition, uint32_t addition_node, struct str *out)
{
	STR_AUTO text = STR_INIT;
	STR_AUTO before = STR_INIT;
	struct part old = {value, value_node};
	struct part more = {addition, addition_node};
	struct json inner;
	enum json_type into = update_type_of(old);
	bool unpacked = (into == JSON_OBJECT || into == JSON_ARRAY) &&
			update_type_of(more) == JSON_STRING &&
			update_reads_as_json(more, into, &inner, &text);
	enum merge_kind kind;

	if (unpacked)
		more = (struct part){&inner, JSON_ROOT};
	struct json_tree *merged = update_combine(old, more, &kind);
	str_clear(out);
	json_tree_print(out, merged);
	json_tree_free(merged);
	if (unpacked)
		json_release(&inner);
	json_print(&before, old.doc, old.node);
	return slice_equal(str_slice(&before), str_slice(out)) ? MERGE_UNCHANGED : kind;
}
