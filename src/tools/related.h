/*
 * The links between entries, as relations.json has them, for replies that show them.
 *
 * For this folder only. The file's root is an object; each relation is an object with "from", "to"
 * and "type", in a list that is a member of the root, or a member itself. A relation whose entry is
 * gone is hidden.
 */
#ifndef KOTA_TOOLS_RELATED_H
#define KOTA_TOOLS_RELATED_H

#include "tools/common.h"

struct relation {
	struct slice from;
	struct slice to;
	uint32_t node;
};

struct related {
	struct str text;
	struct json doc;
	struct relation *list; /* in the call's arena */
	size_t count;
};

/*
 * Reads the relations of the call's store; none where there is no file, or where it cannot be read,
 * which becomes the call's warning. Release with related_release().
 */
void related_read(struct related *related, const struct call *call);

/* Frees the document. */
void related_release(struct related *related);

/* Writes `relations`: those that begin or end at one of the refs. */
void related_write(const struct related *related, struct json_writer *w, const struct slice *refs,
		   size_t count);

#endif
