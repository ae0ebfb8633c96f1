/*
 * Where a store comes from, and what it may therefore do.
 *
 * Whoever commits data/kota_memory to a repository speaks to the model of everyone who opens it,
 * and could act on their files. So a store is own, unreviewed or foreign, and everything that could
 * reach outside it, destroy data or speak unasked checks that here first.
 */
#ifndef KOTA_STORE_TRUST_ORIGIN_H
#define KOTA_STORE_TRUST_ORIGIN_H

#include "base/err.h"
#include "base/sys.h"
#include "store/location/location.h"
#include "store/trust/registry.h"

#include <limits.h>

enum origin_kind {
	/* The person's own place, made here, or trusted. */
	ORIGIN_OWN,
	/* Found by a path, and nothing says that it came with a repository. */
	ORIGIN_UNREVIEWED,
	/* A surrounding repository's index names it and it was not trusted, or another user owns
	   it. */
	ORIGIN_FOREIGN
};

/* What the program keeps in a store for itself, one bit each: see origin_believes(). */
enum state_file {
	STATE_PENDING = 1 << 0,
	STATE_USAGE = 1 << 1,
	STATE_GIT = 1 << 2,
	STATE_DISPLACED = 1 << 3, /* .NAME.prev, .last, .held-N, temporary files, .lock's notes */
	STATE_JOURNAL = 1 << 4
};

/* Zeroes stand for a store that does not exist. */
struct origin {
	enum origin_kind kind;
	bool personal;      /* the person's own place */
	bool named;         /* the person named it: this process may write to it */
	bool tracked;       /* a surrounding index names something at or below it */
	bool shared;        /* ... a category file: what is removed here is removed for others */
	bool synced;        /* it has a remote: likewise for other machines, see src/sync */
	bool surrounded;    /* a repository surrounds it */
	bool other_owner;   /* it, or a file of it, belongs to another user */
	unsigned committed; /* enum state_file: what a surrounding index names */
	char *path;         /* real; owned; NULL when not known */
	char *root;         /* of the nearest work tree around it; owned; NULL for none */
	char *registry;     /* the file of the list of own stores; owned; NULL when not looked at */
	char *index;  /* of the repository that names it, else of the nearest; owned or NULL */
	bool trusted; /* it was trusted; else, where it has a name, made here */
	struct slice since;  /* when, as ISO 8601; empty when not registered */
	struct slice config; /* the store's config.json as it was trusted */
	struct slice name;   /* of its files in the state folder; empty when not registered */
	bool links_known;    /* from here on: for origin_may_follow() */
	struct recorded_link *links;
	size_t link_count;
	struct arena arena; /* owns config, name and links */
};

/* Says in a store that it has a remote; what it says is for people. */
#define SYNCED_NAME ".synced"

/*
 * Finds out where the open folder comes from; path is how it was named. env NULL: nothing is
 * registered and there is no personal place, as for a folder that is only imported. An index that
 * cannot be parsed counts as naming everything; a temporary read failure is an error, since a guess
 * would hide the person's own memories or believe a stranger's. *out is released with
 * origin_release().
 */
int origin_find(struct origin *out, const struct sys *sys, environment env, int dirfd,
		const char *path, bool named, struct err *err);

/* A birth time as text, with its terminator. */
#define ORIGIN_BORN_SIZE 48

/*
 * Which folder is open: path, inode and birth time, whose text is in born; empty where the file
 * system has none. The path is valid as long as the origin.
 */
int origin_identify(const struct origin *origin, const struct sys *sys, int dirfd,
		    struct store_id *out, char born[ORIGIN_BORN_SIZE], struct err *err);

/* Frees what it owns, leaves one of a store that does not exist. */
void origin_release(struct origin *origin);

/* Called with the name of a file, relative to the store. */
typedef void (*origin_visitor)(void *context, struct slice name);

/*
 * Visits the program's internal files that the index of the surrounding repository names; all of
 * .git counts as one.
 */
void origin_each_committed(const struct origin *origin, const struct sys *sys, origin_visitor visit,
			   void *context);

/*
 * The target of a file of the store that is a link; false if it is not a link, or is dangling. The
 * target is looked up, not opened.
 */
bool origin_link_target(const struct sys *sys, int dirfd, const char *file, char out[PATH_MAX]);

/* Registers the store as made here, or trusted, with the links that its category files are now. */
int origin_register(const struct origin *origin, const struct sys *sys, environment env, int dirfd,
		    bool trusted, struct err *err);

/* Removes the store from the registry; *was says whether it was in it. */
int origin_unregister(const struct origin *origin, const struct sys *sys, environment env,
		      int dirfd, bool *was, struct err *err);

/*
 * Records where the category file `file` leads as its allowed target. `target` is a real path.
 */
int origin_record_link(struct origin *origin, const struct sys *sys, environment env, int dirfd,
		       const char *file, const char *target, struct err *err);

/*
 * True if the link of a category file may be followed to this real path. Inside the store it may,
 * unless the store is foreign. Outside it may only in an own store that no repository tracks, to
 * the recorded target; in the person's own place a target that is seen for the first time is
 * recorded now.
 */
bool origin_may_follow(struct origin *origin, const struct sys *sys, environment env, int dirfd,
		       const char *file, const char *target);

/* True if links of category files may lead out of the store at all. */
static inline bool origin_links_lead_out(const struct origin *origin)
{
	return origin->kind == ORIGIN_OWN && (origin->personal || !origin->tracked);
}

/*
 * True if this file, which is not a link, may be believed. .git and .journal have further
 * conditions.
 */
static inline bool origin_believes(const struct origin *origin, enum state_file file)
{
	return origin->kind != ORIGIN_FOREIGN && !(origin->committed & file);
}

/* True if this process may change the store, expire what is due, and count uses. */
static inline bool origin_may_change(const struct origin *origin)
{
	return origin->kind != ORIGIN_FOREIGN || (origin->named && !origin->other_owner);
}

/*
 * True if entries may be given to a model that did not ask for them. Those of a store that nobody
 * reviewed only if the person named it, or if a repository surrounds it and does not track it.
 */
static inline bool origin_speaks_unasked(const struct origin *origin)
{
	return origin->kind == ORIGIN_OWN ||
	       (origin->kind == ORIGIN_UNREVIEWED && (origin->surrounded || origin->named));
}

/* True if all settings of the store are in force. */
static inline bool origin_settles(const struct origin *origin)
{
	return origin->kind == ORIGIN_OWN && (origin->personal || !origin->tracked);
}

#endif
