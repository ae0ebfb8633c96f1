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

/* The text of a member of the file, link or not, as it stands; absent when there is none. */
struct slice store_link_text(struct store *store, struct slice id);

/* For snapshot.c. NULL is allowed. */
void links_free(struct links *links);

#endif
