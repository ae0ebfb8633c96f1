#include "store/txn/expire.h"

#include "store/txn/change_commit.h"
#include "store/txn/change_ops_internal.h"
#include "store/view/notices.h"

#include <stdlib.h>

void expire_due(struct store *store)
{
	static const struct change_meta meta = {.tool = "expiry"};
	struct change *change = change_new(store, &meta, store->now_ms);
	struct err err;
	int result = 0;

	for (size_t i = 0; i < store->item_count && result == 0; i++)
		if (store->items[i].due)
			result = change_archive(change, &store->items[i], REASON_EXPIRY, &err);
	if (result == 0)
		result = change_commit(change, NULL, &err);
	if (result != 0)
		view_notice(store, "expired entries stay in their files for now: %s", err.text);
	change_free(change);
}
