/*
 * The repository of a store: opening, making, and what is in it.
 *
 *	struct repo *repo;
 *	if (repo_open(&repo, sys, "/home/me/notes", &err) == 0) { ... repo_close(repo); }
 *
 * It is the one at DIR/.git and no other: nothing is searched for upwards. For src/store, which
 * decides what is recorded; this folder knows nothing of entries. What fails here is ERR_NO_HISTORY
 * (ERR_NOT_FOUND where that is said): a reason why there is no history, never a reason to refuse a
 * write of the store. A struct repo belongs to who opened it and is used by one thread.
 */
#ifndef KOTA_GIT_REPO_H
#define KOTA_GIT_REPO_H

#include "base/err.h"
#include "base/str.h"
#include "base/sys.h"
#include "git/libgit2.h"

/* The author of what is recorded on the program's own behalf. */
#define RECORD_AUTHOR "kota-memory"

struct file_id;
struct repo;
struct progress;

/* Long work on the repository reports to this progress from now on; may be NULL. Not owned. */
void repo_watch(struct repo *repo, const struct progress *progress);

/*
 * Opens DIR/.git. ERR_NOT_FOUND only when there is no such name at all; a repository of somebody
 * else, or one that this library does not understand or could not read without waiting (guard.h),
 * is ERR_NO_HISTORY with the reason. sys must outlive the repo.
 */
int repo_open(struct repo **out, const struct sys *sys, const char *dir, struct err *err);

/*
 * Makes DIR/.git, whole or not at all, with a branch `main` and attributes of its own which keep
 * every byte of a file as it is; then opens it.
 */
int repo_create(struct repo **out, const struct sys *sys, const char *dir, struct err *err);

/*
 * Reopens the repository if packs have come or gone since: otherwise the library would go on using
 * objects that are gone. After a failure it is still open, as it was.
 */
int repo_refresh(struct repo *repo, struct err *err);

void repo_close(struct repo *repo);

/*
 * Finds the work tree of another repository, further up, in which DIR lies. *workdir gets that work
 * tree (cleared when there is none), *ignored whether it ignores DIR. ERR_NO_HISTORY, with a
 * sentence that names the file, when the library would read something there that is not a regular
 * file or is too large.
 */
int repo_around(const struct sys *sys, const char *dir, struct str *workdir, bool *ignored,
		struct err *err);

/* The folder of the repository itself, ending in a slash; owned by the repo. */
const char *repo_folder(const struct repo *repo);

/* True if it was made by repo_create(). */
bool repo_is_ours(const struct repo *repo);

/*
 * Checks that a commit can be made now. Fails with the reason when HEAD is not on a branch; a
 * merge, rebase, bisect or the like is under way; there is no work tree.
 */
int repo_check(struct repo *repo, struct err *err);

/* The branch that HEAD is on, "refs/heads/main"; "" on none. Owned by the repo till the next call.
 */
const char *repo_branch(struct repo *repo);

/* The last commit; none on a branch without one. */
int repo_head(struct repo *repo, struct object_id *out, struct err *err);

/* A text of git's settings as they hold in the repository; false where it is not set, or empty. */
bool repo_setting(struct repo *repo, const char *name, struct str *out);

/*
 * The settings by which git merges the files of a store: a driver for them, and one that makes one
 * base of several.
 */
struct driver_setting {
	const char *name;
	const char *value;
	bool program; /* the program comes before the value, as a word of a shell */
};

#define DRIVER_SETTINGS 5
extern const struct driver_setting driver_settings[DRIVER_SETTINGS];

/* The first setting of each driver that runs the program; without it there is no driver. */
enum { DRIVER_PROGRAM = 1, DRIVER_BASES_PROGRAM = 4 };

enum driver_state {
	DRIVER_MISSING,
	DRIVER_OUTDATED, /* some of the settings are missing, or of another version */
	DRIVER_CURRENT
};

enum driver_state repo_driver_state(struct repo *repo);

/* The person's name and address by git's settings; false where they are not set. */
bool repo_person(struct repo *repo, struct str *name, struct str *email);

/*
 * True if a rule of the repository ignores this path, relative to the store. As for git, a rule
 * says nothing of a file that the history has already: ask only about others.
 */
bool repo_ignores(struct repo *repo, const char *path);

/* The id that a text has as a blob; needs no write. */
int repo_blob_id(struct repo *repo, struct slice text, struct object_id *out, struct err *err);

/* Makes the text durable as a blob. */
int repo_blob_write(struct repo *repo, struct slice text, struct object_id *out, struct err *err);

/* The same of a text that is to be recorded: durable when recording_finish() or _keep() is done. */
int repo_blob_put(struct repo *repo, struct slice text, struct object_id *out, struct err *err);

bool repo_has(struct repo *repo, const struct object_id *id);

/* The same without a look for packs that have come since repo_refresh(): it may be there if not. */
bool repo_knows(struct repo *repo, const struct object_id *id);

/*
 * Are objects hashed when they are read, to see that they are what they are called? They are, but
 * for who reads very many: then zlib's checksum of each is looked at, and the hash would take as
 * long as all else together. To be set back to true.
 */
void repo_hash_objects(struct repo *repo, bool on);

/* Puts the blob's text into *out (cleared first). */
int repo_blob_read(struct repo *repo, const struct object_id *blob, struct str *out,
		   struct err *err);

/* How long its text is, which is not read for that. */
int repo_blob_bytes(struct repo *repo, const struct object_id *blob, size_t *out, struct err *err);

/*
 * The blob at a path of a commit; none when the commit has no such file, or is none itself. A link
 * is no file.
 */
int repo_file_at(struct repo *repo, const struct object_id *commit, const char *path,
		 struct object_id *blob, struct err *err);

/*
 * Called for each file of a commit, path by path; a non-zero result ends the walk. Folders in
 * more than a thousand others are passed over.
 */
typedef int (*repo_visitor)(void *context, const char *path, const struct object_id *blob);
int repo_files(struct repo *repo, const struct object_id *commit, repo_visitor visit, void *context,
	       struct err *err);

/* The same, with links. */
int repo_blobs(struct repo *repo, const struct object_id *commit, repo_visitor visit, void *context,
	       struct err *err);

/*
 * The same of what is no file, with no blob: links and commits of other repositories by their path,
 * folders by theirs with a slash at the end.
 */
int repo_others(struct repo *repo, const struct object_id *commit, repo_visitor visit,
		void *context, struct err *err);

/*
 * The commit that a text names: digits of its id, at least four, or anything that git understands.
 * ERR_NOT_FOUND when it names none, or several.
 */
int repo_resolve(struct repo *repo, struct slice text, struct object_id *out, struct err *err);

/* The version of the library beneath, "1.5.1"; ERR_NO_HISTORY where it is missing. Loads it. */
int repo_library(struct str *out, struct err *err);

#endif
