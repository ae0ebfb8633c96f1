#include "store/swap/last_text.h"

#include "base/time.h"
#include "store/swap/siblings.h"

bool last_text_is_sound(enum store_file file, struct slice text, size_t *count)
{
	struct json_bounds bounds = path_bounds(store_file_name(file));
	struct json_fault fault;
	JSON_AUTO doc = {0};

	if (!text.ptr || text_is_blank(text) || json_parse(&doc, text, &bounds, &fault) != 0)
		return false;
	bool sound = json_type(&doc, JSON_ROOT) == JSON_OBJECT;
	if (sound && count)
		*count = path_count(file, &doc);
	return sound;
}

/* The person's own store, or one that the person named; any other may have come with the copy. */
static bool last_text_is_believed(const struct disk *disk)
{
	const struct origin *origin = &disk->origin;

	return (origin->kind == ORIGIN_OWN ||
		(origin->kind == ORIGIN_UNREVIEWED && origin->named)) &&
	       origin_believes(origin, STATE_DISPLACED);
}

/* True if the copy exists and was made from a file of this identity, or after it. */
static bool last_text_is_kept(const struct path *path, const struct file_id *id)
{
	struct file_id kept = {.present = false};
	struct err ignored;

	return sibling_identify(path, SIBLING_LAST, &kept, &ignored) == 0 && kept.present &&
	       kept.size == id->size &&
	       (kept.mtime.tv_sec > id->mtime.tv_sec ||
		(kept.mtime.tv_sec == id->mtime.tv_sec && kept.mtime.tv_nsec >= id->mtime.tv_nsec));
}

void last_text_keep(struct disk *disk, enum store_file file, const struct file_id *id,
		    struct slice text)
{
	STR_AUTO name = STR_INIT;
	PATH_AUTO path = {0};
	struct err ignored;

	if (!last_text_is_believed(disk) ||
	    path_open(&path, disk, store_file_name(file), &ignored) != 0)
		return;
	if (!last_text_is_kept(&path, id)) {
		sibling_name(&name, &path, SIBLING_LAST);
		file_replace(disk->sys, path.dirfd, name.ptr, text, 0600, 0, NULL, &ignored);
	}
}

bool last_text_read(struct disk *disk, enum store_file file, struct str *text, int64_t *at_ms)
{
	struct file_id id = {.present = false};
	struct path path;
	struct err ignored;

	str_clear(text);
	if (!last_text_is_believed(disk) ||
	    path_open(&path, disk, store_file_name(file), &ignored) != 0)
		return false;
	bool read = sibling_read(&path, SIBLING_LAST, text, &id, NULL, &ignored) == 0 && id.present;
	path_release(&path);
	*at_ms = time_of_timespec(id.mtime);
	return read && last_text_is_sound(file, str_slice(text), NULL);
}
