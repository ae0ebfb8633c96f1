/*
 * Parts of files that are not entries, kept to undo a change: links, and records of archive.json.
 *
 * Where no history has them, what a change does to such a part is a line of the cold archive:
 * {"category":C,"undo":true,"archivedAt":TIME,"link":ID,"was":TEXT}, or "record":KEY. "was" is what
 * the change removed or replaced; it is "came" where there was nothing, with what came. Of a link
 * that was replaced "left" is what the change put there. Such a line is no archive record: it has
 * no entry. Pure functions; slices point into the document or the arena.
 */
#ifndef KOTA_MODEL_KEPT_PART_H
#define KOTA_MODEL_KEPT_PART_H

#include "base/arena.h"
#include "base/time.h"
#include "json/doc.h"
#include "model/category.h"

struct kept_part {
	bool link;              /* of relations.json; else a record of archive.json */
	bool came;              /* there was none */
	enum category category; /* of a link: of the entry that it begins with */
	struct slice name;      /* the id of the link, the key of the record */
	struct slice text;      /* JSON; what was there, or what came */
	struct slice left;      /* JSON; what took its place; absent if nothing did */
	int64_t at_ms;          /* of the change; TIME_NONE if unreadable */
};

/*
 * Appends the line, without a newline. What a line of the cold archive has and a record of
 * archive.json has not is left out of the text of a record.
 */
void kept_part_compose(struct str *out, const struct kept_part *part);

/* Reads the line that node is; false if it is none of these. */
bool kept_part_read(struct kept_part *out, const struct json *doc, uint32_t node,
		    struct arena *arena);

/* The node of the text within such a line; JSON_NONE if it is none. */
uint32_t kept_part_text(const struct json *doc, uint32_t node);

/* The node of what took its place; JSON_NONE if there is none. */
uint32_t kept_part_left(const struct json *doc, uint32_t node);

#endif
