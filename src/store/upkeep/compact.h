/*
 * Making a store smaller without losing anything: kota compact.
 *
 * usage.jsonl gets one line a ref, for everything that is active or archived anywhere. In the cold
 * archive each line stands once: of one that was taken back and put there again only the last word
 * is kept, which holds the whole text in any case. Loose objects of our own history are packed.
 */
#ifndef KOTA_STORE_UPKEEP_COMPACT_H
#define KOTA_STORE_UPKEEP_COMPACT_H

#include "store/txn/change.h"

struct compact_part {
	int64_t before; /* bytes; of the history those that its objects take on the disk */
	int64_t after;
	int64_t removed; /* lines of the cold archive; loose objects that were packed */
};

struct compact_report {
	struct compact_part usage;
	struct compact_part cold;
	struct compact_part history;
	struct err history_why; /* why the history was left as it is; ERR_NONE: it was not */
};

/*
 * Compacts. A store that does not exist stays so. Takes the lock; fails as a change does. What was
 * done before a failure stays done: each part is whole in itself.
 */
int compact_run(struct store *store, const struct change_meta *meta, int64_t now_ms,
		struct compact_report *out, struct err *err);

#endif
