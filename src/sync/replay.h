/*
 * Making the commits of this store again on top of the remote's: the history stays a straight line.
 */
#ifndef KOTA_SYNC_REPLAY_H
#define KOTA_SYNC_REPLAY_H

#include "git/write/commit.h"
#include "sync/whole_merge.h"

/* At most this many commits are made again; older ones become one. */
#define REPLAY_COMMITS_MAX 500

/*
 * Makes what sides->ours has beyond sides->bases again in the recording, which stands on
 * sides->theirs: each commit with its author, time and message, and then one, "sync", with what the
 * merge has beyond that. The files of the last one are those of the merge. No branch moves.
 */
int replay_make(struct repo *repo, struct recording *recording, const struct whole_sides *sides,
		const struct whole_result *merged, int64_t now_ms, struct err *err);

#endif
