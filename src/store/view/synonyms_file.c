#include "store/view/synonyms_file.h"

#include "base/mem.h"
#include "store/files/resolve.h"
#include "store/view/notices.h"

#include <stdlib.h>

#define SYNONYMS_NAME "synonyms.json"

struct synonyms_file {
	struct stat_cache cache;
	struct file_id id;
	bool known;
	bool settled;
	struct synonyms synonyms;
	size_t left_out;
};

static void synonyms_read_file(struct store *store, struct synonyms_file *file)
{
	STR_AUTO text = STR_INIT;
	struct json doc;
	struct err err;

	file->known = false;
	file->left_out = 0;
	synonyms_release(&file->synonyms);
	if (disk_read_json(&store->disk, SYNONYMS_NAME, &text, &doc, &file->id, &err) != 0) {
		notices_add(store, "%s; synonyms are left out until it is fixed", err.text);
		return;
	}
	synonyms_read(&file->synonyms, &doc, &file->left_out);
	json_release(&doc);
	file->known = true;
	file->settled = disk_is_settled(&store->disk, &file->id);
}

static bool synonyms_is_current(struct store *store, struct synonyms_file *file)
{
	struct file_id id = {0};
	struct err ignored;

	return file->known && file->settled &&
	       stat_cache_at(&file->cache, &store->disk, SYNONYMS_NAME, &id, &ignored) == 0 &&
	       file_id_equal(&id, &file->id);
}

const struct synonyms *synonyms_file_read(struct store *store)
{
	if (store->disk.dirfd < 0)
		return NULL;
	if (!store->synonyms)
		store->synonyms = mem_zalloc(1, sizeof *store->synonyms);
	struct synonyms_file *file = store->synonyms;
	if (!synonyms_is_current(store, file))
		synonyms_read_file(store, file);
	if (file->left_out)
		notices_add(store,
			    "%s/" SYNONYMS_NAME ": %zu members are not words and are left out",
			    store->disk.path, file->left_out);
	return file->synonyms.count ? &file->synonyms : NULL;
}

void synonyms_file_free(struct synonyms_file *file, const struct sys *sys)
{
	if (!file)
		return;
	stat_cache_release(&file->cache, sys);
	synonyms_release(&file->synonyms);
	free(file);
}
