/*
 * The links between entries: relations.json as a store sees it.
 *
 * Read when somebody asks, and kept until the file changes. Who a link is about is decided anew
 * with each question, because entries come and go without their links: a link whose entry is
 * archived or gone stays in the file, is hidden, and shows again when the entry is back. To change
 * links: store/txn/change.h.
 */
#ifndef KOTA_STORE_VIEW_RELATIONS_H
#define KOTA_STORE_VIEW_RELATIONS_H

#include "model/relation.h"
#include "store/view/query.h"

/* Most links that a store may have; what a person wrote beyond that stays. */
#define LINKS_MAX 20000

struct links;

struct link {
	struct relation relation;
	struct slice from; /* ref of the entry as the store spells it; where it is not active, as
			      the link does */
	struct slice to;
	bool shown; /* both are active entries */
};

/*
 * All links in the order of the file. They belong to the store and are valid until the next
 * refresh, change or store_links(). ERR_BAD_DATA with file:line:column when the file cannot be
 * read.
 */
int store_links(struct store *store, const struct link **out, size_t *count, struct err *err);

/*
 * Who answers for an entry that was superseded. Exactly one is set: the entry that took its place,
 * or, where that has left service itself and may still answer, its newest record.
 */
struct successor {
	const struct item *item;
	const struct archived *archived;
	struct slice ref; /* of the last successor, also of one that is not known here */
};

/*
 * The successor of the entry of this ref (as the store spells it), through all that took the place
 * of each other. False for an entry that is active or was not superseded, where the last successor
 * was deleted or merged away or lies in the cold archive (out->ref names it then), and where
 * relations.json cannot be read. Valid like store_links().
 */
bool store_successor(struct store *store, struct slice ref, struct successor *out);

/* A superseded entry, and who answers for it. */
struct predecessor {
	struct slice ref;
	struct successor successor;
	const struct archived *archived; /* its newest record; NULL where that is a cold one */
};

/* All superseded entries that somebody answers for. Valid like store_links(). */
size_t store_predecessors(struct store *store, const struct predecessor **out);

/* Most entries that are named as contradicting one. */
#define CONTRADICTING_MAX 3

/* The active entries that a link says contradict the one of this ref; returns how many. */
size_t store_contradicting(struct store *store, struct slice ref,
			   struct slice out[CONTRADICTING_MAX]);

/* The text of a member of the file, link or not, as it stands; absent when there is none. */
struct slice store_link_text(struct store *store, struct slice id);

/* For snapshot.c. NULL is allowed. */
void links_free(struct links *links);

#endif
