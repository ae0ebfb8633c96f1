/*
 * Parsing text that is known to be JSON: it comes out of a document or from our own writer.
 *
 * For this folder only.
 */
#ifndef KOTA_MODEL_KNOWN_H
#define KOTA_MODEL_KNOWN_H

#include "json/doc.h"

#include <assert.h>

/* Parses text into *doc, which the caller releases. Anything but JSON is a bug of the caller. */
static inline void known_parse(struct json *doc, struct slice text)
{
	struct json_fault fault;
	int rc = json_parse(doc, text, &json_file_bounds, &fault);

	assert(rc == 0);
	(void)rc;
}

#endif
