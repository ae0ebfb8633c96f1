/*
 * Which packs are ours: .git/kota-packs, their names, one a line.
 *
 * Only these are merged (pack_merge.h). A person's packs stay as they are, whoever made the
 * repository, and so does one of ours that the person has marked to be kept. A list that is lost
 * means that packs stay which could have been merged. For src/git only; the store's lock must be
 * held.
 */
#ifndef KOTA_GIT_WRITE_OWN_PACKS_H
#define KOTA_GIT_WRITE_OWN_PACKS_H

#include "git/repo_state.h"

/* "pack-", the digits of its hash, and a terminator: a name without an ending. */
#define PACK_NAME_SIZE 46

struct own_pack {
	char name[PACK_NAME_SIZE];
	uint32_t count; /* of objects */
	uint64_t bytes; /* of the pack */
};

/*
 * Lists those of ours that are there and not marked, the ones with the fewest objects first. The
 * caller frees the list.
 */
int own_packs_list(struct repo *repo, struct own_pack **out, size_t *count, struct err *err);

/* Adds a name, durable with the folder; what is gone leaves the list. */
int own_packs_add(struct repo *repo, const char *name, struct err *err);

/* From now on the pack is nobody's that we know of. */
int own_packs_drop(struct repo *repo, const char *name, struct err *err);

/* Is it "pack-" and a hash? */
bool own_packs_is_name(const char name[PACK_NAME_SIZE]);

/* Appends the path of a file of the pack, by its ending: ".idx". */
void own_packs_path(const struct repo *repo, const char *name, const char *ending, struct str *out);

#endif
