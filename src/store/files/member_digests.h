/*
 * What a file of the store is made of: entries of a category file, records of archive.json, links
 * of relations.json.
 *
 * Files are merged unit by unit. A unit is known by the hash of its name and compared by the hash
 * of its exact text, so that a list of the two is enough to tell later which units somebody has
 * touched. Lists are owned by the caller: digests_release().
 */
#ifndef KOTA_STORE_FILES_MEMBER_DIGESTS_H
#define KOTA_STORE_FILES_MEMBER_DIGESTS_H

#include "json/doc.h"
#include "store/files/dir.h"

struct member_digest {
	uint64_t id;     /* hash of the name, in archive.json with its category */
	uint64_t digest; /* hash64 of the exact text */
	uint32_t node;   /* in the document that was read; JSON_NONE in a list that was decoded */
	enum category category;
};

struct digests {
	struct member_digest *list;
	size_t count;
	size_t cap;
};

#define UNITS_INIT                                                                                 \
	{                                                                                          \
		0                                                                                  \
	}

/* Lists the units of a document; *out is empty before. Anything odd in it is no unit. */
void digests_read(struct digests *out, enum store_file file, const struct json *doc);

/* Frees the list, leaves an empty one. */
void digests_release(struct digests *units);

/* Copies `from` into *out, which is empty before. */
void digests_copy(struct digests *out, const struct digests *from);

/* The unit of this id, or NULL. */
const struct member_digest *digests_find(const struct digests *units, uint64_t id);

/* Appends ids and digests as one word of text; "-" for none. */
void digests_encode(struct str *out, const struct digests *units);

/* Reads such a word into *out, which is empty before; false (and *out empty) when it is none. */
bool digests_decode(struct digests *out, struct slice word);

/*
 * Appends the line for the cold archive that keeps the text of a unit that lost in a merge, as a
 * record with the reason "replaced", and a newline.
 */
void unit_set_aside(struct str *lines, enum store_file file, enum category category,
		    const struct json *doc, uint32_t node, int64_t now_ms);

#endif
