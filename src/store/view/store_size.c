#include "store/view/store_size.h"

#include "store/view/state.h"

static int64_t bytes_of(const struct store *store, int file)
{
	const struct file_id *id = &store->files[file].id;

	return id->present ? (int64_t)id->size : 0;
}

void store_weigh(const struct store *store, struct store_weight *out)
{
	*out = (struct store_weight){.records = (int64_t)store->archive.count};
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		out->categories[c] = bytes_of(store, c);
		out->total += out->categories[c];
	}
	out->archive = bytes_of(store, STORE_FILE_ARCHIVE);
	out->total += out->archive;
}
