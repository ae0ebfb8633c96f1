/*
 * Packing: a repository of ours does not grow without bound.
 *
 * Three loose objects come with each change, which take some kilobytes each. Once there are many,
 * all of them are put into one pack, which takes a tenth or less, and then the loose files go. What
 * nobody refers to is packed like the rest: it may be staged, or about to be committed. So nothing
 * is ever lost here, whoever works in the repository meanwhile, and no lock of git's is needed.
 * pack_merge.h makes one pack of many. The store's lock must be held.
 */
#ifndef KOTA_GIT_WRITE_PACK_H
#define KOTA_GIT_WRITE_PACK_H

#include "git/id_list.h"
#include "git/repo.h"
#include "git/repo_state.h"

/* True if there are about five hundred loose objects. Looks into a few of their 256 folders. */
bool pack_is_due(struct repo *repo);

/* Loose objects, all of them; as many as can be read. */
size_t pack_loose_count(struct repo *repo);

/* Bytes that the objects take on the disk, loose and packed. */
int64_t pack_disk_bytes(struct repo *repo);

/*
 * Packs. All that goes is in a pack that is durable. After a failure or a kill at any moment there
 * may be more files than needed, which the next packing takes away; never fewer.
 */
int pack_run(struct repo *repo, struct err *err);

/*
 * Removes loose files that hold no object, as a power cut leaves of what was not durable, and those
 * of which a pack has the object.
 */
int pack_remove_torn(struct repo *repo, struct err *err);

/*
 * The files below .git/objects: loose objects, packs, and what killed processes left.
 *
 * For src/git only.
 */

/* Folders of loose objects: one for each first byte of an id. */
#define LOOSE_FOLDERS 256

/* Removes a file below .git; absent is fine. */
int git_file_remove(struct repo *repo, const char *name, struct err *err);

/*
 * Checks that all that is packed and removed here is the repository's own. ERR_NO_HISTORY with the
 * reason where DIR/.git or a folder in it is a link, where it leads to another place, or where
 * objects of others count as its own. To be asked before objects are removed.
 */
int object_folders_check(struct repo *repo, struct err *err);

/* Calls visit with each name in a folder below .git; a folder that is not there has none. */
typedef int (*name_visitor)(void *context, const char *name);
int git_folder_walk(struct repo *repo, const char *folder, name_visitor visit, void *context,
		    struct err *err);

/*
 * Calls visit with each file below a folder of .git, however deep, by its path below .git:
 * "logs/refs/stash". Names that begin with a dot are left out; links are not followed.
 */
typedef int (*git_file_visitor)(void *context, const char *path, const struct stat *st);
int git_files_walk(struct repo *repo, const char *folder, git_file_visitor visit, void *context,
		   struct err *err);

/* Appends the ids in a reflog, "logs/refs/stash", whose objects are still in the repository. */
int reflog_ids(struct repo *repo, const char *path, struct id_list *out, struct err *err);

#endif
