/*
 * What the JSON files of src/base share and nobody else may use: decoding of quoted text, members
 * in an order that finds equal names fast, and comparison of number texts.
 */
#ifndef KOTA_JSON_DOC_INTERNAL_H
#define KOTA_JSON_DOC_INTERNAL_H

#include "json/doc.h"

/*
 * Nothing nests deeper than this whatever the caller's bounds say, so that functions that follow
 * the nesting by calling themselves need little stack.
 */
#define JSON_DEPTH_MAX 512

/*
 * The decoded text of a valid JSON string with its quotes. Without escapes it points into quoted;
 * else it is decoded into *scratch (cleared first).
 */
struct slice json_unquote(struct slice quoted, bool escaped, struct str *scratch);

/* A member of an object and the hash of its decoded name. */
struct json_key {
	uint64_t hash;
	uint32_t node;
};

/* Members of one object by name; the memory is kept from one object to the next. */
struct json_keys {
	struct json_key *list;
	size_t count;
	size_t cap;
	struct str left; /* for decoding names */
	struct str right;
};

/* An empty list; release with json_keys_release(). */
void json_keys_init(struct json_keys *keys);

/* Frees the list, leaves an empty one. */
void json_keys_release(struct json_keys *keys);

/* The first member of an object that has the name of an earlier one, or JSON_NONE. */
uint32_t json_keys_duplicate(struct json_keys *keys, const struct json *doc, uint32_t object);

/*
 * Gives the document the names of its root, the object that was looked through last: the list is
 * the document's from here on. A root with few members gets none, and finds them faster.
 */
void json_keys_keep(struct json_keys *keys, struct json *doc);

/* The root's member of this name, or JSON_NONE, in a document that keeps its names. */
uint32_t json_keys_find(const struct json *doc, struct slice name);

/* True if two number texts have the same decimal value. Exact, however large the exponent. */
bool json_number_equal(struct slice a, struct slice b);

#endif
