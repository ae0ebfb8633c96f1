/*
 * Relations: typed links between two entries, as relations.json has them.
 *
 * The file is one object, id -> link, to be read and written by hand like a category file:
 *
 * "rel-5f0c12ab90de": { "from": "preferences:editor", "to": "state:project", "type": "supports",
 * "strength": 0.9, "metadata": {"reason": "..."}, "created_at": TIME }
 *
 * Only from and to are needed: without a type a link is "related", without a strength it has 1.
 * Whatever else a person added to it stays. A member that is not a link is ignored and left as it
 * is. Pure functions; slices point into the document or the arena.
 */
#ifndef KOTA_MODEL_RELATION_H
#define KOTA_MODEL_RELATION_H

#include "base/arena.h"
#include "base/time.h"
#include "json/doc.h"
#include "model/category.h"

/* The types of which a client may make links. */
#define RELATION_TOLD_TYPES(X)                                                                     \
	X(RELATED, "related")                                                                      \
	X(CAUSES, "causes")                                                                        \
	X(SUPPORTS, "supports")                                                                    \
	X(CONTRADICTS, "contradicts")                                                              \
	X(HAS_DECISION, "has_decision")                                                            \
	X(CONSOLIDATED_FROM, "consolidated_from")

/* The last is made by the program alone: from an entry to the archived one whose place it took. */
#define RELATION_TYPES(X)                                                                          \
	RELATION_TOLD_TYPES(X)                                                                     \
	X(SUPERSEDES, "supersedes")

enum relation_type {
#define X(id, name) RELATION_##id,
	RELATION_TYPES(X)
#undef X
		RELATION_TYPE_COUNT
};

/* All names in order, ended by NULL. */
extern const char *const relation_type_names[RELATION_TYPE_COUNT + 1];

/* Strength of a link that says none. */
#define RELATION_STRENGTH 1.0

struct relation {
	struct slice id;
	struct slice from; /* ref of an entry, as written; likewise to */
	struct slice to;
	enum relation_type type;
	double strength;       /* 0 to 1; what is written beyond that counts as the end it passed */
	struct slice metadata; /* JSON text of an object; absent when there is none */
	int64_t created_ms;    /* TIME_NONE when missing or unreadable */
	struct slice text;     /* the member's value in the file, exact bytes */
};

/*
 * Reads the link that a member of relations.json's root object is. False, and *out is undefined,
 * when it is none: no object, from or to missing or blank, an unknown type.
 */
bool relation_read(struct relation *out, const struct json *doc, uint32_t member,
		   struct arena *arena);

/*
 * The category under which a link is archived: that of the entry it begins with; state if that is
 * unknown.
 */
enum category relation_category(const struct json *doc, uint32_t member);

/* Appends the compact JSON text of a new link; id and text are not looked at. */
void relation_compose(struct str *out, const struct relation *relation);

/*
 * Appends the compact JSON text of the link whose text this is with other ends; an absent one stays
 * as it stands, and so does all the rest.
 */
void relation_repoint(struct str *out, struct slice text, struct slice from, struct slice to);

/*
 * Appends the id of a new link: made of what it says, so that the same link gets the same id; n is
 * 1, or higher where that is taken by another.
 */
void relation_id(struct str *out, struct slice from, struct slice to, enum relation_type type,
		 int n);

#endif
