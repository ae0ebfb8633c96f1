#include "store/txn/refresh.h"

#include "store/files/confine.h"
#include "store/files/dir_open.h"
#include "store/history/history.h"
#include "store/txn/apply.h"
#include "store/txn/expire.h"
#include "store/view/notices.h"
#include "store/view/snapshot.h"

/* A reader lets things expire only where that costs nobody a wait. */
static void expire_if_free(struct store *store)
{
	struct err ignored;

	if (disk_lock(&store->disk, 0, &ignored) != 0)
		return;
	history_open(store);
	if (apply_recover(&store->disk, store->now_ms, &ignored) == 0) {
		view_take_remarks(store);
		view_load(store, store->now_ms);
		if (view_has_due(store))
			expire_due(store);
	}
	history_record(store);
	disk_unlock(&store->disk);
}

/* The kernel could, and refused: the client's person should know. */
static void tell_of_confinement(struct store *store)
{
	const struct confine *confine = store->disk.confine;

	if (confine && confine->trouble.text[0])
		view_notice(store, "this server is not confined to its files: %s",
			    confine->trouble.text);
}

int store_refresh(struct store *store, int64_t now_ms, struct err *err)
{
	if (disk_reopen(&store->disk, err) != 0)
		return -1;
	view_clear_notices(store);
	tell_of_confinement(store);
	view_load(store, now_ms);
	if (view_has_due(store))
		expire_if_free(store);
	return 0;
}

int store_look(struct store *store, int64_t now_ms, struct err *err)
{
	bool before = store->disk.hands_off;
	int result;

	store->disk.hands_off = true;
	result = store_refresh(store, now_ms, err);
	store->disk.hands_off = before;
	return result;
}
