/*
 * What memory_update makes of the stored value and an addition.
 */
#ifndef KOTA_MODEL_UPDATE_H
#define KOTA_MODEL_UPDATE_H

#include "base/str.h"
#include "json/doc.h"

enum merge_kind {
	MERGE_UNCHANGED, /* the addition was blank or already there */
	MERGE_EXTENDED,  /* joined or added to; members of the same name were replaced */
	MERGE_REPLACED,  /* a scalar took the place of a scalar */
	MERGE_DISPLACED  /* an object was replaced by another type: the old value is archived */
};

/*
 * Writes the compact JSON text of the merged value to *out (cleared first) and says what happened.
 * Object and object merge shallowly, the addition wins; to an array an array is concatenated and
 * anything else appended; string and string are joined by a space and trimmed unless the addition
 * is blank or already contained; a string that itself is the JSON text of an object (for an
 * object) or of an array or object (for an array) counts as that; anything else replaces.
 * Numbers and strings keep their exact text.
 */
enum merge_kind merge_values(const struct json *value, uint32_t value_node,
			     const struct json *addition, uint32_t addition_node, struct str *out);

#endif
