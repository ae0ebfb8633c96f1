/*
 * What the hooks told which session, and when: prompted.json in the state folder. Nothing is told a
 * session twice, and one that goes on is told only what changed since.
 */
#ifndef KOTA_CLI_CMD_HOOK_SESSION_H
#define KOTA_CLI_CMD_HOOK_SESSION_H

#include "base/arena.h"
#include "base/time.h"
#include "store/open/store.h"

struct hook_session {
	struct slice id;    /* as the client says it */
	int64_t last_ms;    /* TIME_NONE: nothing is known of the session */
	struct slice *told; /* refs; in the arena */
	size_t told_count;
};

/*
 * Reads what is known of a session. A list that is missing or broken knows nothing. -1 when there
 * is no state folder that counts, or it cannot be read for the moment.
 */
int hook_session_read(struct hook_session *out, const struct sys *sys, environment env,
		      const struct store *store, struct slice id, struct arena *arena,
		      struct err *err);

/* Was the entry told? */
bool hook_session_knows(const struct hook_session *session, struct slice ref);

/*
 * Adds what was told now; with anew, what was told before is forgotten: it is no longer before the
 * model. Sessions that are over for long go, and so do the oldest beyond a number.
 */
int hook_session_add(const struct hook_session *session, const struct sys *sys, environment env,
		     const struct store *store, const struct item *const *items, size_t count,
		     bool anew, int64_t now_ms, struct err *err);

#endif
