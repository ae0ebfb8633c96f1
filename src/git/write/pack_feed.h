/*
 * What a new pack gets, in the order in which it gets small: a commit, its tree, its files, then
 * the commits that it stands on. So versions of a file that are alike come one by one.
 *
 *	struct pack_feed feed = {.repo = repo, .writer = writer, .err = err};
 *	pack_feed_lead_to(&feed, &id); ...
 *	pack_feed_take_all(&feed);
 *	id_list_release(&feed.todo);
 *
 * For src/git only.
 */
#ifndef KOTA_GIT_WRITE_PACK_FEED_H
#define KOTA_GIT_WRITE_PACK_FEED_H

#include "git/id_list.h"
#include "git/write/pack_writer.h"

struct pack_feed {
	struct repo *repo;
	struct pack_writer *writer;
	const struct id_list *only; /* in order: nothing else is taken; NULL: all is */
	struct err *err;
	struct id_list todo; /* what has to be in the pack, and all that it leads to */
	size_t count;        /* for who waits */
};

/* The object is to be in the pack, unless it is there or may not be. */
void pack_feed_lead_to(struct pack_feed *feed, const struct object_id *id);

/* Takes these objects and all that they lead to. ERR_NO_HISTORY where one cannot be read. */
int pack_feed_take_all(struct pack_feed *feed);

#endif
