#include "store/txn/kept_refs.h"

#include "store/log/cold.h"
#include "store/view/snapshot.h"

void kept_refs_release(struct kept_refs *kept)
{
	map_release(&kept->cold);
	arena_release(&kept->arena);
}

static int take_line(void *context, const struct json *doc)
{
	struct kept_refs *kept = context;
	STR_AUTO ref = STR_INIT;
	struct record record;

	if (!record_read_line(&record, doc, JSON_ROOT, &kept->arena))
		return 0;
	ref_add(&ref, record.category, record.original_key);
	map_put(&kept->cold, arena_copy(&kept->arena, str_slice(&ref)), 0);
	return 0;
}

static bool is_cold(struct kept_refs *kept, struct slice ref)
{
	struct err ignored;

	if (!kept->cold_known) {
		kept->all = cold_walk(&kept->store->disk, take_line, kept, NULL, NULL, &ignored) !=
			    0;
		kept->cold_known = true;
	}
	return kept->all || map_get(&kept->cold, ref, NULL);
}

bool kept_refs_has(void *context, struct slice ref)
{
	struct kept_refs *kept = context;
	const struct store *store = kept->store;
	struct ref parts = ref_parse(ref);

	if (parts.category == CATEGORY_ANY)
		return false;
	if (shelf_find_spelt(&store->shelves[parts.category], parts.key, NULL))
		return true;
	for (size_t i = 0; i < store->archive.count; i++) {
		const struct record *record = &store->archive.records[i].record;

		if ((int)record->category == parts.category &&
		    slice_equal(record->original_key, parts.key))
			return true;
	}
	return is_cold(kept, ref);
}
