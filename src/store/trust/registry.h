/*
 * The stores that are the person's own: those made here, and those that were trusted.
 *
 * `stores.json` in the person's state folder, not in the stores: nothing that comes with a
 * repository can write it. A store is recognised by the inode and birth time of its folder, also
 * after it was moved; after a restore or in a container, where both are new, by its path together
 * with the root commit of its repository. The device is never compared: it changes with a reboot.
 */
#ifndef KOTA_STORE_TRUST_REGISTRY_H
#define KOTA_STORE_TRUST_REGISTRY_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "base/sys.h"
#include "store/location/location.h"

/* What a store is recognised by. The slices of `root` and `cloned` are empty when not known. */
struct store_id {
	struct slice path; /* real */
	uint64_t inode;
	struct slice born;   /* birth time, "SECONDS.NANOSECONDS"; empty where not recorded */
	struct slice root;   /* the root commit of its repository, in hexadecimal */
	struct slice cloned; /* when that repository was cloned or made; survives a backup */
};

/* A file of the store that is a link, and the real path that it may lead to. */
struct recorded_link {
	struct slice file;
	struct slice target;
};

struct registered {
	struct store_id id;
	bool trusted;        /* by `kota trust`; else made here */
	struct slice since;  /* when, as ISO 8601 */
	struct slice config; /* the text of its config.json when it was trusted */
	struct slice name;   /* of what else is kept of it in the state folder */
	struct recorded_link *links;
	size_t link_count;
};

struct registry {
	const struct sys *sys;
	int folder; /* the state folder; -1 where there is none */
	int lock;   /* -1 when read only */
	struct registered *list;
	size_t count;
	size_t cap;
	struct arena arena; /* owns the list's texts */
};

enum registry_match {
	REGISTRY_NONE,
	REGISTRY_SAME_FOLDER, /* inode and birth time agree */
	REGISTRY_SAME_PATH    /* compare root and clone before believing it */
};

/*
 * Reads the registry. With `change` the state folder is made where missing and locked until
 * registry_close(). work_tree is the root of the work tree around the store, or NULL: a state
 * folder inside it does not count. Fails when there is no usable state folder (with `change`), or
 * when the file cannot be understood.
 */
int registry_open(struct registry *out, const struct sys *sys, environment env,
		  const char *work_tree, bool change, struct err *err);

/* The path of the list, for noticing that it changed; NULL without a home. The caller frees it. */
char *registry_path(environment env);

/* Finds the entry of a store; *match says by what. NULL with REGISTRY_NONE. */
struct registered *registry_find(const struct registry *registry, const struct store_id *id,
				 enum registry_match *match);

/*
 * The entry of a store, a new one if there is none. Texts are copied. An entry of the same folder
 * or path gets this identity; one with the same path but another folder first loses its trust and
 * its links.
 */
struct registered *registry_add(struct registry *registry, const struct store_id *id);

/* Removes an entry of the list. */
void registry_remove(struct registry *registry, struct registered *entry);

/* Records the target of a file's link; replaces one recorded before. */
void registry_set_link(struct registry *registry, struct registered *entry, const char *file,
		       const char *target);

/* Writes the list, which must have been opened for a change. Durable on success. */
int registry_save(struct registry *registry, struct err *err);

/* Releases the lock and the memory. */
void registry_close(struct registry *registry);

#endif
