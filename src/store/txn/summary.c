#include "store/txn/summary.h"

#include "store/txn/metadata.h"
#include "store/view/snapshot.h"
#include "store/view/notices.h"

static void count(const struct store *store, struct metadata *out)
{
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		out->counts[c] = (int64_t)(store->first[c + 1] - store->first[c]);
		out->bytes[c] = store->files[c].id.present ? (int64_t)store->files[c].id.size : 0;
	}
	for (size_t i = 0; i < store->archive.count; i++) {
		const struct record *record = &store->archive.records[i].record;

		out->archive_counts[record->category]++;
		out->archive_bytes[record->category] += (int64_t)record->text.len;
	}
}

void summary_write(struct store *store, bool cleaned)
{
	struct metadata metadata = {.updated_ms = store->now_ms, .cleanup_ms = store->now_ms};
	struct err err;

	if (!cleaned || !store->clock_trusted)
		metadata.cleanup_ms = metadata_last_cleanup(&store->disk);
	count(store, &metadata);
	if (metadata_write(&store->disk, &metadata, &err) != 0)
		view_notice(store, "%s; the change itself is safe", err.text);
}

static bool all_read(const struct store *store)
{
	for (int f = 0; f <= STORE_FILE_ARCHIVE; f++) {
		if (store->files[f].broken)
			return false;
	}
	return true;
}

void summary_refresh(struct store *store)
{
	struct metadata metadata = {0};
	enum metadata_state state;

	count(store, &metadata);
	state = metadata_compare(&store->disk, &metadata);
	if (all_read(store) && (state == METADATA_ABSENT || state == METADATA_STALE))
		summary_write(store, false);
}
