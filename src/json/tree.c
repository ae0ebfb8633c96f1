/*
 * The tree on cJSON. Containers are cJSON's own; every scalar is a raw node that holds the text of
 * the value, and an item's name is the text of the name with its quotes and escapes. Valid JSON
 * text has no NUL byte in it, so that cJSON's terminated strings hold all of it, also "\u0000".
 */
#include "json/tree.h"

#include "base/mem.h"
#include "json/doc_internal.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

static cJSON *tree_item_of(struct json_tree *tree)
{
	return (cJSON *)tree;
}

static const cJSON *tree_const_item_of(const struct json_tree *tree)
{
	return (const cJSON *)tree;
}

static struct json_tree *tree_of(cJSON *item)
{
	return (struct json_tree *)item;
}

/* cJSON says NULL when memory is out; nobody goes on from there. */
static cJSON *tree_present(cJSON *item)
{
	if (!item)
		mem_exhausted();
	return item;
}

static void tree_must(cJSON_bool done)
{
	if (!done)
		mem_exhausted();
}

static cJSON *tree_new_scalar(struct slice text)
{
	char *terminated = mem_strndup(text.ptr, text.len);
	cJSON *item = tree_present(cJSON_CreateRaw(terminated));

	free(terminated);
	return item;
}

/* Adds item at the end of object under a name with quotes. */
static void tree_add_member(cJSON *object, struct slice quoted, cJSON *item)
{
	char *terminated = mem_strndup(quoted.ptr, quoted.len);

	tree_must(cJSON_AddItemToObject(object, terminated, item));
	free(terminated);
}

static cJSON *tree_item_from(const struct json *doc, uint32_t node)
{
	enum json_type type = json_type(doc, node);

	if (type != JSON_OBJECT && type != JSON_ARRAY)
		return tree_new_scalar(json_text(doc, node));
	cJSON *item = tree_present(type == JSON_OBJECT ? cJSON_CreateObject()
						       : cJSON_CreateArray());
	for (uint32_t m = json_first(doc, node); m != JSON_NONE; m = json_next(doc, m)) {
		if (type == JSON_OBJECT)
			tree_add_member(item, json_name_text(doc, m), tree_item_from(doc, m));
		else
			tree_must(cJSON_AddItemToArray(item, tree_item_from(doc, m)));
	}
	return item;
}

struct json_tree *json_tree_from(const struct json *doc, uint32_t node)
{
	return tree_of(tree_item_from(doc, node));
}

struct json_tree *json_tree_string(struct slice text)
{
	STR_AUTO quoted = STR_INIT;

	json_quote(&quoted, text);
	return tree_of(tree_new_scalar(str_slice(&quoted)));
}

struct json_tree *json_tree_object(void)
{
	return tree_of(tree_present(cJSON_CreateObject()));
}

void json_tree_free(struct json_tree *tree)
{
	cJSON_Delete(tree_item_of(tree));
}

enum json_type json_tree_type(const struct json_tree *tree)
{
	const cJSON *item = tree_const_item_of(tree);

	if (cJSON_IsObject(item))
		return JSON_OBJECT;
	if (cJSON_IsArray(item))
		return JSON_ARRAY;
	switch (item->valuestring[0]) {
	case '"':
		return JSON_STRING;
	case 't':
	case 'f':
		return JSON_BOOL;
	case 'n':
		return JSON_NULL;
	default:
		return JSON_NUMBER;
	}
}

/* The decoded text of a terminated string with its quotes. */
static struct slice tree_unquote(const char *terminated, struct str *scratch)
{
	struct slice quoted = slice_of(terminated);

	return json_unquote(quoted, memchr(quoted.ptr, '\\', quoted.len) != NULL, scratch);
}

/* Looks for a decoded name among item and `last` and what is between them. */
static cJSON *tree_find_member(cJSON *item, const cJSON *last, struct slice name)
{
	STR_AUTO scratch = STR_INIT;

	while (item) {
		if (slice_equal(tree_unquote(item->string, &scratch), name))
			return item;
		item = item == last ? NULL : item->next;
	}
	return NULL;
}

static cJSON *tree_member_of(const struct json_tree *object, struct slice name)
{
	return tree_find_member(tree_const_item_of(object)->child, NULL, name);
}

struct json_tree *json_tree_member(const struct json_tree *object, struct slice name)
{
	return tree_of(tree_member_of(object, name));
}

/* Puts item in the place of old, which is freed; the name stays as it was spelled. */
static void tree_replace(cJSON *object, cJSON *old, cJSON *item)
{
	cJSON_free(item->string);
	item->string = old->string;
	old->string = NULL;
	tree_must(cJSON_ReplaceItemViaPointer(object, old, item));
}

void json_tree_put(struct json_tree *object, struct slice name, struct json_tree *value)
{
	cJSON *old = tree_member_of(object, name);
	STR_AUTO quoted = STR_INIT;

	if (old) {
		tree_replace(tree_item_of(object), old, tree_item_of(value));
		return;
	}
	json_quote(&quoted, name);
	tree_add_member(tree_item_of(object), str_slice(&quoted), tree_item_of(value));
}

void json_tree_append(struct json_tree *array, struct json_tree *value)
{
	tree_must(cJSON_AddItemToArray(tree_item_of(array), tree_item_of(value)));
}

/*
 * Only the members that object had before are searched: those of `from` have names of their own,
 * and searching them too would make merging much into little quadratic.
 */
void json_tree_merge(struct json_tree *object, struct json_tree *from)
{
	cJSON *target = tree_item_of(object);
	cJSON *source = tree_item_of(from);
	cJSON *last = target->child ? target->child->prev : NULL;
	STR_AUTO scratch = STR_INIT;

	while (source->child) {
		cJSON *item = cJSON_DetachItemViaPointer(source, source->child);
		struct slice name = tree_unquote(item->string, &scratch);
		cJSON *old = last ? tree_find_member(target->child, last, name) : NULL;

		if (!old) {
			tree_add_member(target, slice_of(item->string), item);
			continue;
		}
		if (old == last)
			last = item;
		tree_replace(target, old, item);
	}
	cJSON_Delete(source);
}

void json_tree_concat(struct json_tree *array, struct json_tree *from)
{
	cJSON *source = tree_item_of(from);

	while (source->child)
		tree_must(cJSON_AddItemToArray(tree_item_of(array),
					       cJSON_DetachItemViaPointer(source, source->child)));
	cJSON_Delete(source);
}

void json_tree_write(const struct json_tree *tree, struct json_writer *w)
{
	const cJSON *item = tree_const_item_of(tree);
	bool object = cJSON_IsObject(item);

	if (!object && !cJSON_IsArray(item)) {
		json_write_raw(w, slice_of(item->valuestring));
		return;
	}
	if (object)
		json_write_object(w);
	else
		json_write_array(w);
	for (cJSON *child = item->child; child; child = child->next) {
		if (object)
			json_write_name_raw(w, slice_of(child->string));
		json_tree_write(tree_of(child), w);
	}
	json_write_end(w);
}

void json_tree_print(struct str *out, const struct json_tree *tree)
{
	struct json_writer w = json_writer_to(out, &json_compact);

	json_tree_write(tree, &w);
}

const char *json_tree_library(void)
{
	return cJSON_Version();
}
