/*
 * Members by name, for finding duplicates, and equality of values. Both stay below n log n steps
 * for n members whatever the names are: names with one hash are still ordered by their bytes.
 */
#include "base/map.h"
#include "base/mem.h"
#include "json/doc_internal.h"

#include <stdlib.h>

/* Up to so many members, comparing each with each is cheaper than sorting. */
#define FEW_MEMBERS 16

void json_keys_init(struct json_keys *keys)
{
	memset(keys, 0, sizeof *keys);
	str_init(&keys->left);
	str_init(&keys->right);
}

void json_keys_release(struct json_keys *keys)
{
	free(keys->list);
	str_release(&keys->left);
	str_release(&keys->right);
	json_keys_init(keys);
}

/* Lists the members of an object in the order of the text, hashed. */
static void equal_collect(struct json_keys *keys, const struct json *doc, uint32_t object)
{
	size_t count = 0;

	keys->list = mem_grow(keys->list, &keys->cap, doc->nodes[object].count, sizeof *keys->list);
	for (uint32_t m = json_first(doc, object); m != JSON_NONE; m = json_next(doc, m)) {
		keys->list[count].hash = hash64(json_name(doc, m, &keys->left));
		keys->list[count].node = m;
		count++;
	}
	keys->count = count;
}

/* What the order of names needs to know beside the two keys. */
struct order {
	const struct json *doc;
	struct str *left;
	struct str *right;
};

static int equal_compare_names(const struct json_key *a, const struct json_key *b,
			       struct order *order)
{
	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return slice_compare(json_name(order->doc, a->node, order->left),
			     json_name(order->doc, b->node, order->right));
}

static int equal_compare_keys(const void *left, const void *right, void *context)
{
	const struct json_key *a = left;
	const struct json_key *b = right;
	int order = a->node == b->node ? 0 : equal_compare_names(a, b, context);

	if (order != 0)
		return order;
	return a->node < b->node ? -1 : a->node > b->node;
}

/* Brings equal names together: by hash, then name, then place in the text. */
static void equal_keys_sort(struct json_keys *keys, const struct json *doc)
{
	struct order order = {doc, &keys->left, &keys->right};

	qsort_r(keys->list, keys->count, sizeof *keys->list, equal_compare_keys, &order);
}

/* Most names have no escapes and differ in length already. */
static bool equal_names_equal(const struct json *doc, uint32_t a, uint32_t b,
			      struct json_keys *keys)
{
	const struct json_node *left = &doc->nodes[a];
	const struct json_node *right = &doc->nodes[b];

	if (!left->name_escaped && !right->name_escaped &&
	    left->name_end - left->name_start != right->name_end - right->name_start)
		return false;
	return slice_equal(json_name(doc, a, &keys->left), json_name(doc, b, &keys->right));
}

static uint32_t equal_duplicate_of_few(struct json_keys *keys, const struct json *doc,
				       uint32_t object)
{
	for (uint32_t m = json_first(doc, object); m != JSON_NONE; m = json_next(doc, m)) {
		for (uint32_t k = json_first(doc, object); k != m; k = json_next(doc, k)) {
			if (equal_names_equal(doc, m, k, keys))
				return m;
		}
	}
	return JSON_NONE;
}

static uint32_t equal_duplicate_of_sorted(const struct json_keys *keys, struct order *order)
{
	uint32_t found = JSON_NONE;

	for (size_t i = 1; i < keys->count; i++) {
		uint32_t node = keys->list[i].node;

		if (keys->list[i].hash != keys->list[i - 1].hash)
			continue;
		if (found != JSON_NONE && node > found)
			continue;
		if (equal_compare_names(&keys->list[i], &keys->list[i - 1], order) == 0)
			found = node;
	}
	return found;
}

uint32_t json_keys_duplicate(struct json_keys *keys, const struct json *doc, uint32_t object)
{
	struct order order = {doc, &keys->left, &keys->right};

	if (doc->nodes[object].count <= FEW_MEMBERS)
		return equal_duplicate_of_few(keys, doc, object);
	equal_collect(keys, doc, object);
	equal_keys_sort(keys, doc);
	return equal_duplicate_of_sorted(keys, &order);
}

void json_keys_keep(struct json_keys *keys, struct json *doc)
{
	uint32_t count = doc->nodes[JSON_ROOT].count;

	if (json_type(doc, JSON_ROOT) != JSON_OBJECT || count <= FEW_MEMBERS)
		return;
	/* It had room for the largest object. */
	doc->names = mem_realloc(keys->list, count, sizeof *keys->list);
	keys->list = NULL;
	keys->cap = keys->count = 0;
}

uint32_t json_keys_find(const struct json *doc, struct slice name)
{
	uint64_t hash = hash64(name);
	size_t from = 0;
	size_t to = doc->nodes[JSON_ROOT].count;
	STR_AUTO scratch = STR_INIT;

	while (from < to) {
		size_t middle = from + (to - from) / 2;
		const struct json_key *key = &doc->names[middle];
		int order = (key->hash > hash) - (key->hash < hash);

		if (order == 0)
			order = slice_compare(json_name(doc, key->node, &scratch), name);
		if (order == 0)
			return key->node;
		if (order < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return JSON_NONE;
}

static bool equal_strings_equal(const struct json *a, uint32_t node_a, const struct json *b,
				uint32_t node_b)
{
	STR_AUTO left = STR_INIT;
	STR_AUTO right = STR_INIT;

	return slice_equal(json_string(a, node_a, &left), json_string(b, node_b, &right));
}

static bool equal_arrays_equal(const struct json *a, uint32_t node_a, const struct json *b,
			       uint32_t node_b)
{
	if (a->nodes[node_a].count != b->nodes[node_b].count)
		return false;
	node_a = json_first(a, node_a);
	node_b = json_first(b, node_b);
	while (node_a != JSON_NONE) {
		if (!json_equal(a, node_a, b, node_b))
			return false;
		node_a = json_next(a, node_a);
		node_b = json_next(b, node_b);
	}
	return true;
}

/* True if two sorted lists of members have the same names with equal values. */
static bool equal_members_equal(const struct json *a, struct json_keys *x, const struct json *b,
				struct json_keys *y)
{
	for (size_t i = 0; i < x->count; i++) {
		if (x->list[i].hash != y->list[i].hash)
			return false;
		if (!slice_equal(json_name(a, x->list[i].node, &x->left),
				 json_name(b, y->list[i].node, &y->left)))
			return false;
	}
	for (size_t i = 0; i < x->count; i++) {
		if (!json_equal(a, x->list[i].node, b, y->list[i].node))
			return false;
	}
	return true;
}

static bool equal_objects_equal(const struct json *a, uint32_t node_a, const struct json *b,
				uint32_t node_b)
{
	struct json_keys x;
	struct json_keys y;

	if (a->nodes[node_a].count != b->nodes[node_b].count)
		return false;
	json_keys_init(&x);
	json_keys_init(&y);
	equal_collect(&x, a, node_a);
	equal_collect(&y, b, node_b);
	equal_keys_sort(&x, a);
	equal_keys_sort(&y, b);
	bool equal = equal_members_equal(a, &x, b, &y);
	json_keys_release(&x);
	json_keys_release(&y);
	return equal;
}

bool json_equal(const struct json *a, uint32_t node_a, const struct json *b, uint32_t node_b)
{
	if (json_type(a, node_a) != json_type(b, node_b))
		return false;
	switch (json_type(a, node_a)) {
	case JSON_STRING:
		return equal_strings_equal(a, node_a, b, node_b);
	case JSON_ARRAY:
		return equal_arrays_equal(a, node_a, b, node_b);
	case JSON_OBJECT:
		return equal_objects_equal(a, node_a, b, node_b);
	case JSON_NUMBER:
		return json_number_equal(json_text(a, node_a), json_text(b, node_b));
	case JSON_NULL:
	case JSON_BOOL:
		break;
	}
	return slice_equal(json_text(a, node_a), json_text(b, node_b));
}
