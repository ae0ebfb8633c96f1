#include "store/open/store.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "store/files/dir_lock.h"
#include "store/history/history.h"
#include "store/trust/destination.h"
#include "store/txn/group.h"
#include "store/view/notices.h"
#include "store/view/relations.h"
#include "store/view/snapshot.h"

#include <stdlib.h>

int store_open(struct store **out, const struct sys *sys, environment env, const char *path,
	       struct err *err)
{
	PLACE_AUTO place = {.path = mem_strdup(path), .kind = PLACE_NAMED};

	return store_open_at(out, sys, env, &place, err);
}

int store_open_at(struct store **out, const struct sys *sys, environment env,
		  const struct place *place, struct err *err)
{
	return store_open_confined(out, sys, env, place, NULL, err);
}

int store_open_confined(struct store **out, const struct sys *sys, environment env,
			const struct place *place, struct confine *confine, struct err *err)
{
	struct store *store = mem_zalloc(1, sizeof *store);

	if (disk_open_confined(&store->disk, sys, env, place, confine, err) != 0) {
		free(store);
		return -1;
	}
	store->sys = sys;
	store->env = env;
	store->project = place->project ? mem_strdup(place->project) : NULL;
	store->personal_config = place_own_path(PLACE_OWN_CONFIG, env);
	store->usage = usage_new(&store->disk);
	store->history = history_new(store);
	store->find_last = history_find_last;
	store->destination.dirfd = -1;
	for (int f = 0; f < STORE_FILE_COUNT; f++) {
		str_init(&store->files[f].text);
		str_init(&store->files[f].raw);
		str_init(&store->files[f].gone);
	}
	settings_init(&store->settings);
	*out = store;
	return 0;
}

const char *store_take_made(struct store *store)
{
	bool made = store->disk.made && store->disk.origin.named;

	store->disk.made = false;
	return made ? store->disk.path : NULL;
}

void store_note_destination(struct store *store)
{
	STR_AUTO before = STR_INIT;
	const char *path = store->disk.origin.path;

	if (store->project && path)
		destination_note(&store->destination, store->sys, store->env, store->project, path,
				 &before);
	if (before.len > 0) {
		STR_AUTO from = STR_INIT;
		STR_AUTO to = STR_INIT;

		utf8_add_visible(&to, slice_of(path), false);
		utf8_add_visible(&from, str_slice(&before), false);
		notices_add(store,
			    "stored in %s; the last memory from this project went to %s "
			    "(kota where says why)",
			    to.ptr, from.ptr);
	}
}

void store_hands_off(struct store *store)
{
	store->disk.hands_off = true;
}

void store_close(struct store *store)
{
	if (!store)
		return;
	group_free(store);
	snapshot_release(store);
	store_release_cold(store);
	free(store->cold_docs);
	free(store->all);
	usage_free(store->usage);
	reviewed_release(&store->reviewed);
	stat_cache_release(&store->config, store->sys);
	history_free(store->history);
	destination_release(&store->destination, store->sys);
	disk_close(&store->disk);
	free(store->personal_config);
	free(store->project);
	free(store);
}

void store_watch(struct store *store, const struct progress *progress)
{
	store->disk.progress = progress;
	history_watch(store);
}

int store_check_file(struct store *store, enum store_file file, struct err *err)
{
	return store_check_change(store, file, err) == 0 || store->files[file].stands ? 0 : -1;
}

int store_check_change(struct store *store, enum store_file file, struct err *err)
{
	const struct link *links;
	size_t count;

	if (file == STORE_FILE_RELATIONS && store_links(store, &links, &count, err) != 0)
		return -1;
	if (!store->files[file].broken)
		return 0;
	*err = store->files[file].error;
	return -1;
}

void store_rest(struct store *store)
{
	struct err ignored;

	if (!history_may_rest(store) || disk_lock(&store->disk, 0, &ignored) != 0)
		return;
	history_rest(store);
	disk_unlock(&store->disk);
}
