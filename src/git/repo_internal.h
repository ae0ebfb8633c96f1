/*
 * The inside of a repo, for src/git only.
 */
#ifndef KOTA_GIT_REPO_INTERNAL_H
#define KOTA_GIT_REPO_INTERNAL_H

#include "base/file.h"
#include "git/repo.h"

/* Where we are, in commits and logs; the name is RECORD_AUTHOR. */
#define OUR_EMAIL "kota-memory@localhost"

/* The folder of packs, in .git. */
#define PACK_FOLDER "objects/pack"

struct repo {
	struct lib lib;
	const struct sys *sys;
	const struct progress *progress; /* of who waits; NULL is nobody */
	git_repository *handle;
	git_odb *odb;
	struct file_id packs; /* its folder of packs when it was opened */
	struct str dir;       /* the store's */
	struct str folder;    /* of the repository, with a slash at the end */
	struct str place;     /* where it was looked for: DIR/.git */
	struct str branch;    /* as repo_branch() last found it */
};

/*
 * Puts a file there, in the place of an older one, with the permissions of mode; durable if asked.
 * For files of our own, which no one else writes. ERR_NO_HISTORY.
 */
int git_file_put(const struct sys *sys, const char *path, mode_t mode, struct slice text,
		 bool durable, struct err *err);

/* Makes a file or a folder durable. ERR_NO_HISTORY. */
int git_file_sync(const struct sys *sys, const char *path, struct err *err);

/* Looks a commit up; the caller frees it. */
int repo_commit(struct repo *repo, const struct object_id *id, git_commit **out, struct err *err);

/* The commit's tree; the caller frees it. NULL for no commit. */
int repo_tree(struct repo *repo, const struct object_id *commit, git_tree **out, struct err *err);

/* Sets *out to the path of a name in the repository's folder. */
void repo_path(const struct repo *repo, const char *name, struct str *out);

/* The same of FOLDERNAME in the repository that a linked work tree belongs to. */
void repo_common_path(const struct repo *repo, const char *folder, const char *name,
		      struct str *out);

#endif
