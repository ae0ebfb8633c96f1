/*
 * Changing a few members of a JSON file and leaving every other byte where it is.
 *
 * New text takes the look of the file: indentation and line ends of the members around it, else
 * two spaces and "\n". A byte order mark, CRLF, tabs, odd spacing, a missing final newline and
 * minified files stay what they are. A diff shows the changed member, and at most the comma before
 * it.
 */
#ifndef KOTA_JSON_SPLICE_H
#define KOTA_JSON_SPLICE_H

#include "base/err.h"

#include "base/str.h"
#include "json/doc.h"

enum splice_kind {
	SPLICE_PUT,    /* member `name` of the container gets `text`: in place, else at the end */
	SPLICE_REMOVE, /* member `name` goes */
	SPLICE_APPEND, /* array container: `text` becomes a new last element */
	SPLICE_DROP    /* array container: element `element` goes */
};

struct splice {
	enum splice_kind kind;
	struct slice path; /* absent: the root object; else the root's member that is the container,
			      an array made when missing (APPEND) */
	struct slice name; /* decoded */
	struct slice text; /* compact JSON text, laid out by the splicer */
	bool verbatim;     /* text is copied as it is, and for PUT it is the member, name included;
			      only an array that is made for it is laid out */
	uint32_t element;  /* node number in doc */
};

/*
 * Appends to *out (cleared first) the document's text with all splices done, in any order; at most
 * one PUT or REMOVE a name. Removing what is not there does nothing. doc's root is an object.
 * A container under `path` that is not an array is ERR_BAD_DATA, "LINE:COLUMN: " first.
 */
int splice_apply(struct str *out, const struct json *doc, const struct splice *splices,
		 size_t count, struct err *err);

#endif
