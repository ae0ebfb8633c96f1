/*
 * The inside of a repo, for src/git only.
 */
#ifndef KOTA_GIT_REPO_INTERNAL_H
#define KOTA_GIT_REPO_INTERNAL_H

#include "base/file.h"
#include "git/libgit2.h"

struct progress;

/* Where we are, in commits and logs; the name is RECORD_AUTHOR. */
#define OUR_EMAIL "kota-memory@localhost"

/* Says of a repository that it was made here: a name in its folder. */
#define NURSERY_MARK "info/kota-memory"

/* The folder of packs, in .git. */
#define PACK_FOLDER "objects/pack"

/* What recordings have written lately, see objects.h. */
struct fresh {
	struct fresh_object *items;
	size_t count;
	size_t cap;
	size_t settled; /* so many are of the last recording */
	bool held;      /* they are in memory only, for who puts them into a pack */
	uint64_t made;  /* how many there have been */
	struct err why; /* of what failed inside a call of the library */
};

/* The log of what is not durable yet, see write/object_log.h. */
struct object_log {
	int fd;
	dev_t dev; /* of the open file */
	ino_t ino;
	char boot[64]; /* of the machine as it runs; "" where nothing is logged */
	uint64_t epoch;
	size_t end; /* where the next record goes */
	unsigned records;
	bool looked; /* for objects that others have left */
	bool ready;  /* for a record; as long as the store's lock is held */
};

/* Files of the repository that recordings keep open. */
enum repo_file {
	REPO_FILE_STAGED,     /* see write/index_file.h */
	REPO_FILE_BRANCH_LOG, /* where the branch was */
	REPO_FILE_HEAD_LOG,
	REPO_FILE_SPARE, /* of the branch, and what it was before, in turns; see write/tip.c */
	REPO_FILE_COUNT = REPO_FILE_SPARE + 2
};

struct repo {
	struct lib lib;
	const struct sys *sys;
	const struct progress *progress; /* of who waits; NULL is nobody */
	git_repository *handle;
	git_odb *odb;
	git_repository *maker; /* upon them: what it writes is fresh */
	struct fresh fresh;
	bool folders[256]; /* of objects/: those that were there when something was put there */
	struct object_log log;
	bool merge_rests;        /* no packs are being merged, see write/pack_merge.h */
	git_index *index;        /* see write/index_file.h; NULL: it is not known */
	struct file_id index_id; /* of the file that has it */
	struct file_id packs;    /* its folder of packs when it was opened */
	struct str dir;          /* the store's */
	struct str folder;       /* of the repository, with a slash at the end */
	struct str common;       /* the same of the repository that a linked work tree belongs to */
	struct str place;        /* where it was looked for: DIR/.git */
	struct str branch;       /* as repo_branch() last found it */
	struct file_id head_id;  /* of HEAD, which named it */
	struct file_id quiet;    /* of the folder when nothing was under way in it */
	bool recorded_on;        /* a recording is under way: it stays on the branch it found */
	struct str tip_name;     /* the branch whose tip was read last; "" for none */
	struct file_id tip_id;   /* ... from this file */
	struct object_id tip;
	struct str spare_name;      /* the branch that was moved last by this process */
	struct object_id spare_tip; /* ... and where it was before */
	struct object_id moved_to;  /* ... and where it was moved to */
	unsigned spare_turn;        /* which of the two is the spare now */
	struct kept_file kept[REPO_FILE_COUNT];
};

/*
 * Puts a file there, in the place of an older one, with the permissions of mode; durable if asked.
 * For files of our own, which no one else writes. ERR_NO_HISTORY.
 */
int git_file_put(const struct sys *sys, const char *path, mode_t mode, struct slice text,
		 bool durable, struct err *err);

/* Makes a file or a folder durable. ERR_NO_HISTORY. */
int git_file_sync(const struct sys *sys, const char *path, struct err *err);

/* Has the library look for the packs that this process has just put there. */
void repo_take_packs(struct repo *repo);

/* ERR_NO_HISTORY where HEAD is on no branch. */
int repo_check_branch(struct repo *repo, struct err *err);

/* True if the folder, as it was just looked at, is as repo_note_quiet() has noted. */
static inline bool repo_is_quiet(const struct repo *repo, const struct file_id *folder)
{
	return folder->present && file_id_equal(folder, &repo->quiet) && *repo->branch.ptr;
}

/* Where a branch is, by its name; none where it is not there. Read anew where its file changed. */
int repo_branch_tip(struct repo *repo, const char *name, struct object_id *out, struct err *err);

/* The folder of the repository is as a recording leaves it: nothing is under way. */
void repo_note_quiet(struct repo *repo);

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
