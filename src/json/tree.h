/*
 * Changing JSON: a tree whose parts can be added, replaced and removed.
 *
 * Documents (json/doc.h) are for reading; where values are put together or merged, they are
 * turned into a tree, changed, and printed. cJSON holds the tree, and json/tree.c is the only
 * file that knows it: its parser and printer are never used, because they lose digits, cut strings
 * at NUL and accept what is not JSON. Numbers, strings and names carry the exact text that the
 * scanner saw. Member names compare by their decoded bytes.
 *
 * Whoever holds a tree that is not part of another owns it and frees it with json_tree_free().
 */
#ifndef KOTA_JSON_TREE_H
#define KOTA_JSON_TREE_H

#include "json/doc.h"
#include "json/write.h"

struct json_tree;

/* A tree of the value; the document may go away afterwards. */
struct json_tree *json_tree_from(const struct json *doc, uint32_t node);

/* A new string value. */
struct json_tree *json_tree_string(struct slice text);

/* A new object without members. */
struct json_tree *json_tree_object(void);

/* Frees a tree that is not part of another; NULL is ignored. */
void json_tree_free(struct json_tree *tree);

/* What the value is. */
enum json_type json_tree_type(const struct json_tree *tree);

/* Member of an object by decoded name, still owned by the object; NULL when there is none. */
struct json_tree *json_tree_member(const struct json_tree *object, struct slice name);

/* Puts value (ownership taken) under a name: in the place of the old one, else at the end. */
void json_tree_put(struct json_tree *object, struct slice name, struct json_tree *value);

/* Appends to an array; ownership is taken. */
void json_tree_append(struct json_tree *array, struct json_tree *value);

/* Moves every member of `from` (freed) into object, replacing those of the same name. */
void json_tree_merge(struct json_tree *object, struct json_tree *from);

/* Moves every element of `from` (freed) to the end of array. */
void json_tree_concat(struct json_tree *array, struct json_tree *from);

/* Prints the tree; on one line without spaces. */
void json_tree_write(const struct json_tree *tree, struct json_writer *w);
void json_tree_print(struct str *out, const struct json_tree *tree);

/* The library beneath, as it says itself: "1.7.15"; static storage. */
const char *json_tree_library(void);

#endif
