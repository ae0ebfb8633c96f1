/*
 * Packs loose objects, so that a repository of ours does not grow without bound.
 *
 * Each change adds three loose objects of some kilobytes. Once there are many, all of them go into
 * one pack, which takes a tenth of the space or less, and the loose files are removed. Unreachable
 * objects are packed too: they may be staged, or about to be committed. So nothing is lost, whoever
 * works in the repository meanwhile, and no lock of git is needed.
 * pack_merge.h makes one pack of many. The store's lock must be held.
 */
#ifndef KOTA_GIT_WRITE_PACK_H
#define KOTA_GIT_WRITE_PACK_H

#include "git/id_list.h"
#include "git/repo.h"
#include "git/repo_state.h"

/* True if there are about five hundred loose objects. Looks into a few of their 256 folders. */
bool pack_is_due(struct repo *repo);

/* The number of loose objects, as far as their folders can be read. */
size_t pack_loose_count(struct repo *repo);

/* Bytes that the objects take on the disk, loose and packed. */
int64_t pack_disk_bytes(struct repo *repo);

/*
 * Packs all loose objects. A loose file is removed only when a durable pack has its object. After a
 * failure or a kill there may be superfluous files, which the next packing removes.
 */
int pack_run(struct repo *repo, struct err *err);

/*
 * Removes loose files that hold no object, which a power cut can leave, and those whose object is
 * in a pack.
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
 * Checks that the objects belong to this repository alone; to be called before any are removed.
 * ERR_NO_HISTORY with the reason if DIR/.git or a folder in it is a link, if .git points elsewhere,
 * or if the repository uses the objects of another one.
 */
int object_folders_check(struct repo *repo, struct err *err);

/* Calls visit with each name in a folder below .git, if it exists. */
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
