/*
 * Reading JSON: a strict scanner that leaves every byte where it is.
 *
 *	struct json doc;
 *	struct json_fault fault;
 *	if (json_parse(&doc, text, &json_file_bounds, &fault) != 0)
 *		... fault.line, fault.column, fault.what ...
 *	uint32_t value = json_member(&doc, JSON_ROOT, "value");
 *	json_release(&doc);
 *
 * A document is its text plus an array of nodes that say where each value begins and ends. Nothing
 * is converted: the exact text of a number or a string is always at hand (json_text), so that it
 * can be stored, spliced and printed unchanged. RFC 8259 without mercy: valid UTF-8, no duplicate
 * keys in an object (compared decoded), no lone surrogates, nothing after the value, bounded depth,
 * size and number of nodes.
 *
 * The document does not own its text: the caller keeps it alive and unchanged. Node numbers are
 * indices into nodes; 0 is the root, so that 0 also says "none" where a child, sibling or member
 * is asked for.
 */
#ifndef KOTA_JSON_DOC_H
#define KOTA_JSON_DOC_H

#include "base/arena.h"
#include "base/str.h"

#include <stdint.h>

enum json_type { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

#define JSON_ROOT 0u
#define JSON_NONE 0u

struct json_node {
	uint32_t start;      /* first byte of the value in the text (the quote of a string) */
	uint32_t end;        /* byte after the value */
	uint32_t name_start; /* member name with its quotes; both 0 when not a member */
	uint32_t name_end;
	uint32_t first; /* first element or member */
	uint32_t next;  /* next element or member of the same parent */
	uint32_t count; /* number of elements or members */
	uint8_t type;   /* enum json_type */
	bool escaped;   /* the string has a backslash */
	bool name_escaped;
};

struct json_key;

struct json {
	struct slice text;
	struct json_node *nodes;
	uint32_t count;
	struct json_key *names; /* the root's members by name; NULL where there are few */
};

struct json_bounds {
	size_t bytes;   /* longest text; 4 GiB - 2 at most, whatever is asked for */
	uint32_t nodes; /* most values */
	uint32_t depth; /* deepest nesting, [] is 1 deep; 512 at most, whatever is asked for */
	bool allow_bom; /* a byte order mark may come first */
};

/*
 * For files of the store: 1 GiB, 2^26 values, depth 40, a byte order mark is allowed. A file of
 * entries may be 32 deep; the rest is room for what is put around an entry that is archived.
 */
extern const struct json_bounds json_file_bounds;

/* For a protocol line: 1 MiB, 2^19 values, depth 32. */
extern const struct json_bounds json_line_bounds;

struct json_fault {
	uint32_t line;   /* from 1 */
	uint32_t column; /* from 1, in characters */
	char what[160];  /* a phrase: `a comma before "}"`; shows stored bytes only made visible */
};

/*
 * Scans text. On success returns 0 and *out owns its nodes: json_release(). On failure returns
 * -1, *fault says where and why, *out is untouched.
 */
int json_parse(struct json *out, struct slice text, const struct json_bounds *bounds,
	       struct json_fault *fault);

/*
 * An empty object, as json_parse() makes of JSON_EMPTY_OBJECT. The text is static; *out owns its
 * node.
 */
void json_empty_object(struct json *out);
#define JSON_EMPTY_OBJECT "{}\n"

/* A line of a log with a JSON value in each; both are valid during the visit only. */
struct json_line {
	struct slice text;      /* without its \n or \r\n */
	size_t number;          /* from 1 */
	const struct json *doc; /* NULL when the line is not JSON */
};

/* A non-zero result ends the walk. */
typedef int (*json_line_visitor)(void *context, const struct json_line *line);

/*
 * Scans a log of lines in one pass. The bounds hold for each line. A line that is not JSON, an
 * empty one too, is visited without a document. Returns what ended the walk, or 0.
 */
int json_parse_lines(struct slice text, const struct json_bounds *bounds, json_line_visitor visit,
		     void *context);

/*
 * A last line without a newline: a writer was killed, has not finished, or a person's editor left
 * the newline out. Who reads beside a writer takes the lines that end (json_ended_lines). Who holds
 * the lock and appends keeps a last line that is JSON and lacks only its newline, and cuts any
 * other (json_last_line).
 */
struct slice json_ended_lines(struct slice text);

/* The last line when it has no newline, else empty; *whole says that it is JSON. */
struct slice json_last_line(struct slice text, bool *whole);

/* Frees the nodes and the names, leaves an empty document. */
void json_release(struct json *doc);

/* Released at the end of the scope: `JSON_AUTO doc = {0};` */
#define JSON_AUTO __attribute__((cleanup(json_release))) struct json

static inline enum json_type json_type(const struct json *doc, uint32_t node)
{
	return (enum json_type)doc->nodes[node].type;
}

/* Where a member begins: at its name; an element at its value. */
size_t json_begin(const struct json *doc, uint32_t node);

/* First element or member, or JSON_NONE. */
static inline uint32_t json_first(const struct json *doc, uint32_t node)
{
	return doc->nodes[node].first;
}

/* Next one of the same parent, or JSON_NONE. */
static inline uint32_t json_next(const struct json *doc, uint32_t node)
{
	return doc->nodes[node].next;
}

/* The value's text as written, quotes included; valid as long as the document's text. */
struct slice json_text(const struct json *doc, uint32_t node);

/*
 * The member of this name (exact bytes after decoding), or JSON_NONE; also when not an object. In
 * the root it costs the logarithm of the number of members, elsewhere that number.
 */
uint32_t json_member(const struct json *doc, uint32_t object, const char *name);

/* As json_member for a name that is not terminated. */
uint32_t json_member_slice(const struct json *doc, uint32_t object, struct slice name);

/*
 * The decoded text of a string node. Without escapes it points into the document; with escapes it
 * is decoded into *scratch (cleared first) and valid until scratch changes. The text may hold NUL.
 * A node that is no string answers "not there".
 */
struct slice json_string(const struct json *doc, uint32_t node, struct str *scratch);

/* A copy of a string member in the arena; "not there" when there is none, or it is no string. */
struct slice json_member_text(const struct json *doc, uint32_t object, const char *name,
			      struct arena *arena);

/* A member's name as written, quotes included; empty when the node is not a member. */
static inline struct slice json_name_text(const struct json *doc, uint32_t node)
{
	const struct json_node *n = &doc->nodes[node];

	return slice_make(doc->text.ptr + n->name_start, n->name_end - n->name_start);
}

/* The decoded name of a member, as json_string; "not there" when the node is no member. */
struct slice json_name(const struct json *doc, uint32_t node, struct str *scratch);

/* True if the node is a number that 64 bits hold exactly (1e3 and 5.0 count); else *out stays. */
bool json_int(const struct json *doc, uint32_t node, int64_t *out);

/* True if the node is a number that a double holds (finite), rounded to the nearest; else *out
 * stays. */
bool json_double(const struct json *doc, uint32_t node, double *out);

/* True if the node is a boolean; else *out stays. */
bool json_bool(const struct json *doc, uint32_t node, bool *out);

/* Nesting depth of a value: 0 for a scalar, 1 for [] and [1], 2 for [[]]. */
uint32_t json_depth(const struct json *doc, uint32_t node);

/*
 * True if two values mean the same: objects regardless of member order, strings decoded, numbers by
 * exact decimal value where the texts differ (1.0 equals 1, 9007199254740993 does not equal
 * ...992).
 */
bool json_equal(const struct json *a, uint32_t node_a, const struct json *b, uint32_t node_b);

#endif
