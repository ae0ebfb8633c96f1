/*
 * What clients can read as resources, and their names: memory://index, memory://category/CATEGORY,
 * memory://key/CATEGORY/KEY.
 *
 * For src/mcp. A key may be any text: all but letters, digits and -._~ is percent-encoded.
 */
#ifndef KOTA_MCP_RESOURCES_H
#define KOTA_MCP_RESOURCES_H

#include "base/str.h"
#include "model/category.h"

enum uri_kind { URI_NONE, URI_INDEX, URI_CATEGORY, URI_KEY };

#define URI_INDEX_TEXT "memory://index"
#define URI_CATEGORY_TEXT "memory://category/"
#define URI_KEY_TEXT "memory://key/"

struct uri {
	enum uri_kind kind;
	enum category category; /* URI_CATEGORY, URI_KEY */
	struct str key;         /* decoded: URI_KEY */
};

/* Takes a name apart into *out, whose key is empty before; URI_NONE when it is none of ours. */
void uri_read(struct uri *out, struct slice text);

/* Frees the key. */
void uri_release(struct uri *uri);

/* Appends the name of an entry's resource. */
void uri_add_key(struct str *out, enum category category, struct slice key);

#endif
