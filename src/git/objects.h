/*
 * Objects on their way into a repository: made by the library, written by us.
 *
 * The library looks for each object that it writes in every pack, makes a file and a folder durable
 * for each, and reads back what it has just written. A recording makes three objects of which most
 * of that is known, so it makes them in a repository of its own that lies upon the real one: what
 * it writes is put among the loose objects at once, for all who look with git, and stays in memory
 * until the next recording is done. Nothing of it is durable before objects_sync(). For src/git
 * only.
 */
#ifndef KOTA_GIT_OBJECTS_H
#define KOTA_GIT_OBJECTS_H

#include "git/repo_state.h"

/* One of them; the fields belong to the list. */
struct fresh_object {
	struct object_id id;
	git_object_t type;
	struct str data; /* what it says */
	struct str file; /* what its loose file says */
	uint64_t number; /* of all that this process has made */
};

/* Begins to write to a repository that was just opened. */
int objects_open(struct repo *repo, struct err *err);

/* Before the repository is opened anew: what is on the disk may be gone, what is held stays. */
void objects_detach(struct repo *repo);

void objects_close(struct repo *repo);

/* The object of this recording, or the one before it; NULL for all others. */
const struct fresh_object *objects_find(const struct repo *repo, const struct object_id *id);

/* True if this recording wrote the object itself. Then its file is in memory. */
bool objects_is_fresh(const struct repo *repo, const struct object_id *id);

/*
 * The blob with this text among the few that were made last: to compare texts is much cheaper than
 * to hash one. NULL where it is none of them.
 */
const struct fresh_object *objects_find_blob(const struct repo *repo, struct slice text);

/*
 * Before many changes that are recorded at once: what is written from now on stays in memory alone
 * (fresh.held), until recording_finish() makes one durable pack of it and of what the recording
 * makes. A file for each of them would cost more than all else that recording does.
 */
void objects_hold(struct repo *repo);

/* Where nothing was recorded: puts what is held among the loose objects, as far as that works. */
void objects_release_held(struct repo *repo);

/* What is fresh belongs to the last recording from now on. */
void objects_settle(struct repo *repo);

/* Nothing of it is kept in memory any more: somebody may have taken the files away. */
void objects_forget(struct repo *repo);

/* Makes the file of a loose object durable, and its name. ERR_NO_HISTORY. */
int objects_sync(const struct repo *repo, const struct object_id *id, struct err *err);

/*
 * Puts a loose file of this text in place of any other; durable if asked. ERR_NO_HISTORY.
 */
int objects_put_file(struct repo *repo, const struct object_id *id, struct slice file, bool durable,
		     struct err *err);

/* "cannot WHAT": what failed while the library wrote by us, or its own words. Always returns -1. */
int objects_error(const struct repo *repo, const char *what, struct err *err);

/*
 * Whether the object is there and can be read; if not, it is missing or torn. ERR_NO_HISTORY if the
 * disk does not give the bytes of its loose file: then it may be whole.
 */
int objects_check(const struct repo *repo, const struct object_id *id, bool *whole,
		  struct err *err);

/* True if the object exists as a loose file. */
bool objects_is_loose(const struct repo *repo, const struct object_id *id);

#endif
