/*
 * kota sync: one store on several machines, over any git remote.
 *
 *	record what is here -> fetch -> judge -> merge and put in place -> push
 *
 * and again from the fetch if somebody else was faster. git does the transport, the storage and the
 * login; the merge is ours. The store's lock is never held while we wait for the network. Whatever
 * stops a sync, nothing is lost and the store works.
 */
#ifndef KOTA_SYNC_SYNC_H
#define KOTA_SYNC_SYNC_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct store;

struct sync_options {
	const char *git;    /* path of the person's git program */
	const char *remote; /* a URL to remember, or NULL: the known one */
	const char *branch; /* likewise; "main" if none is known */
	bool join;          /* merge with a store that has no history in common */
	bool yes;           /* even if many entries would disappear */
	bool dry_run;       /* say what would happen; change only what is known of the remote */
	bool allow_secret;
	bool push_all;   /* replace the remote's branch with this store */
	bool take_all;   /* replace this store with the remote's, if nothing here is new */
	bool background; /* nobody waits: nothing is done soon after a sync */
	bool terminal;   /* a person can be asked for a password */
	int64_t limit_ms;
};

struct sync_report {
	struct str url;
	size_t took;          /* changes of others */
	size_t gave;          /* of this store */
	struct str took_text; /* who did what, a line each, the newest first */
	struct str conflicts; /* refs that both sides changed, a line each */
	size_t conflict_count;
	struct str gone;    /* refs that were active here and are not any more, a line each */
	struct str remarks; /* sentences, a line each */
	int tries;          /* pushes */
	bool needs_person;  /* only the fetch was done; the error says what to decide */
};

/*
 * Syncs the store. The caller releases *out in either case: sync_report_release(). Errors:
 * ERR_NOT_FOUND if a person has to decide (first meeting, rewritten, many entries gone),
 * ERR_BAD_DATA for a file that is broken, ERR_UNREACHABLE, ERR_BUSY.
 */
int sync_run(struct store *store, const struct sync_options *options, struct sync_report *out,
	     struct err *err);

void sync_report_release(struct sync_report *report);

/* Appends what is known of the store's remote, as lines for people. */
int sync_status(struct store *store, struct str *out, struct err *err);

/* Forgets the remote, and appends a line for people that says so. */
int sync_forget(struct store *store, struct str *out, struct err *err);

#endif
