/*
 * Values that can be compared: a document with the canonical text of each of its values.
 *
 * The canonical text is compact, the members of objects are sorted by name, strings have no escapes
 * but those that JSON needs; numbers stay as they are written. Two values are the same if their
 * canonical texts are, and the order of these texts decides where nothing else does. It is the
 * same on every machine.
 */
#ifndef KOTA_MERGE_CANON_H
#define KOTA_MERGE_CANON_H

#include "base/arena.h"
#include "json/doc.h"

struct canon_value {
	struct slice name; /* decoded, of a member; else not there */
	uint32_t from;     /* in text */
	uint32_t to;
	uint32_t members; /* of an object: where its members begin in sorted */
};

struct canon {
	struct json json;
	struct str text;
	struct canon_value *values; /* by node of json */
	uint32_t *sorted;           /* nodes of members by object, then name */
	struct arena arena;
};

/* A value of a document, or none: then doc is NULL. */
struct part {
	const struct canon *doc;
	uint32_t node;
};

static inline struct part part_none(void)
{
	return (struct part){.doc = NULL, .node = JSON_NONE};
}

/*
 * Parses text, which the caller keeps alive and unchanged. Returns 0 and *out owns memory:
 * canon_release(); or -1 with *fault, *out is untouched.
 */
int canon_parse(struct canon *out, struct slice text, struct json_fault *fault);

/* Frees it and leaves a document without values. */
void canon_release(struct canon *doc);

/* Released at the end of the scope: `CANON_AUTO doc = {0};` */
#define CANON_AUTO __attribute__((cleanup(canon_release))) struct canon

/* The document itself. */
static inline struct part part_root(const struct canon *doc)
{
	return (struct part){doc, JSON_ROOT};
}

static inline bool part_is(struct part part, enum json_type type)
{
	return part.doc && json_type(&part.doc->json, part.node) == type;
}

/* The canonical text; empty, which no value has, for none. */
static inline struct slice part_text(struct part part)
{
	const struct canon_value *value = part.doc ? &part.doc->values[part.node] : NULL;

	return value ? slice_make(part.doc->text.ptr + value->from, value->to - value->from)
		     : slice_make("", 0);
}

static inline bool part_same(struct part a, struct part b)
{
	struct slice left = part_text(a);
	struct slice right = part_text(b);

	return left.len == right.len && memcmp(left.ptr, right.ptr, left.len) == 0;
}

/* Order of the canonical texts; none is less than any. */
static inline int part_compare(struct part a, struct part b)
{
	return slice_compare(part_text(a), part_text(b));
}

/* The member of this decoded name; none also for what is no object. */
struct part part_member(struct part object, struct slice name);

/* Number of elements or members. */
static inline size_t part_count(struct part parent)
{
	return parent.doc ? parent.doc->json.nodes[parent.node].count : 0;
}

/* First element or member, next of the same parent; none at the end and for scalars. */
struct part part_first(struct part parent);
struct part part_next(struct part part);

/* Decoded name of a member; valid as long as the document. */
static inline struct slice part_name(struct part member)
{
	return member.doc->values[member.node].name;
}

/* Decoded text of a string in *scratch or the document, as json_string() has it. */
static inline struct slice part_string(struct part part, struct str *scratch)
{
	return part_is(part, JSON_STRING) ? json_string(&part.doc->json, part.node, scratch)
					  : slice_of(NULL);
}

#endif
