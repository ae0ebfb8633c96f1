/*
 * The list of our own packs: .git/kota-packs, one name a line.
 *
 * Only these are merged (pack_merge.h). A person's packs stay as they are, and so does a pack of
 * ours that is marked to be kept. If the list is lost, packs stay that could have been merged. For
 * src/git only; the store's lock must be held.
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
 * Lists our packs that exist and are not marked, by number of objects, fewest first. The caller
 * frees the list.
 */
int own_packs_list(struct repo *repo, struct own_pack **out, size_t *count, struct err *err);

/*
 * Lists a pack as ours, or no longer, durably. Packs that do not exist any more go from the list.
 */
int own_packs_set(struct repo *repo, const char *pack, bool ours, struct err *err);

/* True if the name is "pack-" and a hash. */
bool own_packs_is_name(const char name[PACK_NAME_SIZE]);

/* Appends the path of one of the pack's files, by its ending: ".idx". */
void own_packs_path(const struct repo *repo, const char *name, const char *ending, struct str *out);

#endif
