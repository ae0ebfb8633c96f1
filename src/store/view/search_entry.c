#include "store/view/search_entry.h"

static void search_entry_add_texts(struct str *out, const struct json *doc, uint32_t node)
{
	STR_AUTO scratch = STR_INIT;

	if (json_type(doc, node) == JSON_STRING) {
		str_add(out, json_string(doc, node, &scratch));
		str_addc(out, '\n');
	} else if (json_type(doc, node) == JSON_ARRAY) {
		for (uint32_t n = json_first(doc, node); n != JSON_NONE; n = json_next(doc, n)) {
			if (json_type(doc, n) != JSON_ARRAY)
				search_entry_add_texts(out, doc, n);
		}
	}
}

/* The texts of two members, one a line. */
static void search_entry_add_members(struct str *out, const struct entry *entry, const char *first,
				     const char *second)
{
	const uint32_t nodes[] = {entry_member(entry, first), entry_member(entry, second)};

	for (size_t i = 0; i < 2; i++)
		if (nodes[i] != JSON_NONE)
			search_entry_add_texts(out, entry->doc, nodes[i]);
}

size_t search_entry_add(struct search *index, const struct entry *entry, bool with_value,
			struct slice former)
{
	STR_AUTO labels = STR_INIT;
	STR_AUTO about = STR_INIT;

	search_entry_add_members(&labels, entry, "tags", "entities");
	str_add(&labels, former);
	search_entry_add_members(&about, entry, "context", "source");
	return search_add(index, &(struct search_item){.key = entry->key,
						       .value = slice_of("null"),
						       .doc = with_value ? entry->doc : NULL,
						       .node = entry->value_node,
						       .labels = str_slice(&labels),
						       .about = str_slice(&about)});
}
