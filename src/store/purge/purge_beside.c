#include "store/files/resolve.h"
#include "store/purge/purge_internal.h"
#include "store/swap/siblings.h"

#include <errno.h>

/* A file of the store, with what stands beside it. */
struct beside {
	const struct path *path;
	struct str prefix; /* of the names of its twins */
};

/* Displaced files and the like are ours; anything else is kept for the person. */
static bool is_ours(const char *suffix)
{
	return strcmp(suffix, TWIN_PREV) == 0 || strcmp(suffix, TWIN_TEMP) == 0 ||
	       strncmp(suffix, "held-", 5) == 0;
}

static int remove_twin(struct purging *purging, const struct beside *beside, const char *name,
		       struct err *err)
{
	if (purging->disk->sys->unlinkat(beside->path->dirfd, name, 0) != 0 && errno != ENOENT)
		return err_set_errno(err, err_code_of_write(errno), errno, "cannot remove %s/%s",
				     purging->disk->path, name);
	purging->report->beside++;
	return 0;
}

/* Does what stands in a file of ours have the entry under any name that it had at any time? */
static bool has_any(struct purging *purging, const struct beside *beside, struct slice text)
{
	STR_AUTO unused = STR_INIT;
	bool found;

	for (size_t i = 1; i < purging->set->count; i++)
		purging->set->keys[i].ended = false;
	found = purge_set_text(purging->set, beside->path->file_name, text, &unused, NULL) !=
			PURGED_NOT ||
		needles_in(&purging->set->values, text);
	purge_names_now(purging);
	return found;
}

static int take_twin(struct purging *purging, void *context, const char *name, struct err *err)
{
	const struct beside *beside = context;
	STR_AUTO text = STR_INIT;
	STR_AUTO out = STR_INIT;
	struct file_id id;
	struct err ignored;
	enum purged purged;

	if (strncmp(name, beside->prefix.ptr, beside->prefix.len) != 0)
		return 0;
	if (path_read(beside->path, name, &text, &id, &ignored) != 0) {
		purge_unreached(purging, "%s/%s cannot be read", purging->disk->path, name);
		return 0;
	}
	if (is_ours(name + beside->prefix.len))
		return has_any(purging, beside, str_slice(&text))
			       ? remove_twin(purging, beside, name, err)
			       : 0;
	purged = purge_set_text(purging->set, beside->path->file_name, str_slice(&text), &out,
				NULL);
	if (purged == PURGED_NOT)
		return 0;
	if (purged == PURGED_BROKEN) {
		purge_unreached(purging,
				"%s/%s is kept for you and is not valid JSON: take from it what "
				"you need and remove it",
				purging->disk->path, name);
		return 0;
	}
	purging->report->beside++;
	return purge_replace(purging, beside->path->dirfd, "", name, str_slice(&out), err);
}

static int purge_twins(struct purging *purging, const char *file_name, struct err *err)
{
	struct beside beside = {.prefix = STR_INIT};
	struct path path;
	int result;

	if (path_open(&path, purging->disk, file_name, err) != 0)
		return -1;
	beside.path = &path;
	str_printf(&beside.prefix, ".%s.", path.name);
	result = purge_walk(purging, path.dirfd, take_twin, &beside, err);
	if (result == 0 && file_fsync(purging->disk->sys, path.dirfd) != 0)
		result = err_set_errno(err, ERR_IO, errno, "cannot make %s durable",
				       purging->disk->path);
	if (path.linked)
		purge_unreached(purging, "%s is a link: where it leads may be in a history, too",
				file_name);
	str_release(&beside.prefix);
	path_release(&path);
	return result;
}

int purge_beside(struct purging *purging, struct err *err)
{
	for (int f = 0; f < STORE_FILE_COUNT; f++) {
		if (f < CATEGORY_COUNT && !purge_set_has_category(purging->set, (enum category)f))
			continue;
		if (purge_twins(purging, store_file_name((enum store_file)f), err) != 0)
			return -1;
	}
	return 0;
}
