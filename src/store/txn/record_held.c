#include "store/txn/record_held.h"

#include "store/files/dir_open.h"
#include "store/history/history.h"
#include "store/txn/apply.h"
#include "store/view/snapshot.h"

int history_record_held(struct store *store, int64_t now_ms, struct err *err)
{
	int result = -1;

	if (disk_lock(&store->disk, DISK_LOCK_WAIT_MS, err) != 0)
		return -1;
	store->now_ms = now_ms;
	if (history_prepare(store, err) == 0 &&
	    apply_recover(&store->disk, store->now_ms, err) == 0)
		result = history_record_all(store, err);
	disk_unlock(&store->disk);
	return result;
}
