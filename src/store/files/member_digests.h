/*
 * What a file of the store is made of: entries of a category file, records of archive.json, links
 * of relations.json.
 *
 * Files are merged unit by unit. A unit is known by the hash of its name and compared by the hash
 * of its exact text, so that a list of the two is enough to tell later which units somebody has
 * touched. Lists are owned by the caller: units_release().
 */
#ifndef KOTA_STORE_FILES_MEMBER_DIGESTS_H
#define KOTA_STORE_FILES_MEMBER_DIGESTS_H

#include "json/doc.h"
#include "store/files/dir.h"

struct unit {
	uint64_t id;     /* hash of the name, in archive.json with its category */
	uint64_t digest; /* hash64 of the exact text */
	uint32_t node;   /* in the document that was read; JSON_NONE in a list that was decoded */
	enum category category;
};

struct units {
	struct unit *list;
	size_t count;
	size_t cap;
};

#define UNITS_INIT                                                                                 \
	{                                                                                          \
		0                                                                                  \
	}

/* Lists the units of a document; *out is empty before. Anything odd in it is no unit. */
void units_read(struct units *out, enum store_file file, const struct json *doc);

/* Frees the list, leaves an empty one. */
void units_release(struct units *units);

/* Copies `from` into *out, which is empty before. */
void units_copy(struct units *out, const struct units *from);

/* The unit of this id, or NULL. */
const struct unit *units_find(const struct units *units, uint64_t id);

/* Appends ids and digests as one word of text; "-" for none. */
void units_encode(struct str *out, const struct units *units);

/* Reads such a word into *out, which is empty before; false (and *out empty) when it is none. */
bool units_decode(struct units *out, struct slice word);

/*
 * Appends the line for the cold archive that keeps the text of a unit which has to give way, as a
 * record with the reason "replaced", and a newline.
 */
void unit_set_aside(struct str *lines, enum store_file file, enum category category,
		    const struct json *doc, uint32_t node, int64_t now_ms);

#endif
