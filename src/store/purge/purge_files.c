#include "store/files/file_names.h"
#include "store/files/resolve.h"
#include "store/log/cold.h"
#include "store/log/shared_use.h"
#include "store/log/usage.h"
#include "store/purge/purge_internal.h"
#include "store/swap/displaced.h"
#include "store/swap/last_text.h"
#include "store/swap/siblings.h"

#include <errno.h>
#include <fcntl.h>

/*
 * True if the file may hold any of the names. A category's file holds names of that category alone.
 */
static bool purge_concerns_file(const struct purging *purging, enum store_file file)
{
	const struct purge_set *set = purging->set;
	bool concerns = (int)file >= CATEGORY_COUNT;

	for (size_t i = 0; !concerns && i < set->count; i++)
		concerns = set->keys[i].category == (enum category)file;
	return concerns;
}

int purge_check_files(struct purging *purging, struct err *err)
{
	for (int f = 0; f < STORE_FILE_COUNT; f++) {
		STR_AUTO text = STR_INIT;
		struct file_id id;
		JSON_AUTO doc = {0};

		if (!purge_concerns_file(purging, (enum store_file)f))
			continue;
		if (disk_read_json(purging->disk, store_file_name((enum store_file)f), &text, &doc,
				   &id, err) != 0)
			return -1;
	}
	return 0;
}

static int purge_error(struct purging *purging, const char *what, const char *where,
		       const char *name, struct err *err)
{
	return err_set_errno(err, err_code_of_write(errno), errno, "cannot %s %s/%s%s", what,
			     purging->disk->path, where, name);
}

int purge_walk(struct purging *purging, int dirfd, purge_visitor visit, void *context,
	       struct err *err)
{
	NAMES_AUTO names = {0};
	int result = 0;

	/* All of them before any is changed. */
	errno = names_read(purging->disk->sys, dirfd, NULL, &names);
	if (errno != 0)
		result = purge_error(purging, "read", "", "", err);
	for (size_t i = 0; result == 0 && i < names.count; i++)
		result = visit(purging, context, names.list[i], err);
	return result;
}

int purge_replace(struct purging *purging, int dirfd, const char *where, const char *name,
		  struct slice text, struct err *err)
{
	STR_AUTO folder = STR_INIT;

	purging->disk->cold_writes++;
	disk_look_again(purging->disk, STORE_FILE_COUNT);
	if (file_replace(purging->disk->sys, dirfd, name, text, 0600, FILE_DURABLE, NULL, err) == 0)
		return 0;
	str_printf(&folder, "%s/%s", purging->disk->path, where);
	str_truncate(&folder, folder.len - 1); /* the slash at its end */
	return err_in_folder(err, folder.ptr, name);
}

/* ---- the files of the store */

struct part {
	struct purging *purging;
	const char *name;
	size_t *count;
};

static int purge_build(void *context, const struct json *doc, struct str *out, struct str *aside,
		       struct err *err)
{
	const struct part *part = context;
	size_t count = 0;

	(void)aside;
	switch (purge_set_text(part->purging->set, part->name, doc->text, out, &count)) {
	case PURGED_NOT:
		str_add(out, doc->text);
		break;
	case PURGED_TEXT:
		break;
	case PURGED_BROKEN:
	case PURGED_WHOLE:
		return err_set(err, ERR_BAD_DATA, "1:1: the entry cannot be removed");
	}
	*part->count = count;
	return 0;
}

static int purge_file(struct purging *purging, enum store_file file, size_t *count, struct err *err)
{
	struct part part = {purging, store_file_name(file), count};
	struct rewrite rewrite = {.build = purge_build, .context = &part};
	size_t before = *count;

	if (replace_file(purging->disk, file, &rewrite, purging->now_ms, NULL, err) != 0)
		return -1;
	*count += before;
	return 0;
}

/* ---- files of lines */

static int purge_lines(struct purging *purging, int dirfd, const char *where, const char *name,
		       size_t *count, struct err *err)
{
	STR_AUTO path = STR_INIT;
	STR_AUTO text = STR_INIT;
	STR_AUTO out = STR_INIT;
	struct file_id id;

	str_printf(&path, "%s%s", where, name);
	if (file_read_own(purging->disk->sys, dirfd, name, json_file_bounds.bytes, &text, &id,
			  err) != 0)
		return err_prefix(err, "%s/%s", purging->disk->path, path.ptr);
	if (!id.present ||
	    purge_set_text(purging->set, path.ptr, str_slice(&text), &out, count) != PURGED_TEXT)
		return 0;
	return purge_replace(purging, dirfd, where, name, str_slice(&out), err);
}

static int purge_month(struct purging *purging, void *context, const char *name, struct err *err)
{
	const int *folder = context;
	size_t len = strlen(name);

	/* What a kill left of a month that was being replaced. */
	if (name[0] == '.' && len > 4 && strcmp(name + len - 4, ".tmp") == 0) {
		if (purging->disk->sys->unlinkat(*folder, name, 0) != 0 && errno != ENOENT)
			return err_set_errno(err, ERR_IO, errno,
					     "cannot remove %s/" COLD_FOLDER "/%s",
					     purging->disk->path, name);
		return 0;
	}
	if (!cold_is_file_name(name))
		return 0;
	return purge_lines(purging, *folder, COLD_FOLDER "/", name, &purging->report->cold, err);
}

static int purge_cold(struct purging *purging, struct err *err)
{
	int folder = file_open(purging->disk->sys, purging->disk->dirfd, COLD_FOLDER,
			       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);

	if (folder < 0)
		return errno == ENOENT ? 0 : purge_error(purging, "open", COLD_FOLDER, "", err);
	int result = purge_walk(purging, folder, purge_month, &folder, err);
	file_close(purging->disk->sys, &folder);
	return result;
}

static int purge_store_files(struct purging *purging, struct err *err)
{
	struct purge_report *report = purging->report;

	for (int c = 0; c < CATEGORY_COUNT; c++) {
		if (purge_concerns_file(purging, (enum store_file)c) &&
		    purge_file(purging, (enum store_file)c, &report->entries, err) != 0)
			return -1;
	}
	if (purge_file(purging, STORE_FILE_ARCHIVE, &report->records, err) != 0 ||
	    purge_file(purging, STORE_FILE_RELATIONS, &report->relations, err) != 0)
		return -1;
	/* Last, because overwritten texts go there. */
	if (purge_cold(purging, err) != 0)
		return -1;
	if (purge_lines(purging, purging->disk->dirfd, "", SHARED_USE_NAME, &report->usage, err) !=
	    0)
		return -1;
	return purge_lines(purging, purging->disk->dirfd, "", USAGE_FILE_NAME, &report->usage, err);
}

/* ---- what stands beside the files of the store */

/* A file of the store, with what stands beside it. */
struct beside {
	const struct path *path;
	struct str prefix; /* of the names of its twins */
};

/* Displaced files and the like are ours; anything else is kept for the person. */
static bool purge_is_ours(const char *suffix)
{
	return strcmp(suffix, SIBLING_PREV) == 0 || strcmp(suffix, SIBLING_TEMP) == 0 ||
	       strncmp(suffix, "held-", 5) == 0 ||
	       strncmp(suffix, SIBLING_LAST, sizeof SIBLING_LAST - 1) == 0;
}

/* True if one of our files has the entry under any name that it ever had. */
static bool purge_has_any(struct purging *purging, const struct beside *beside, struct slice text)
{
	STR_AUTO unused = STR_INIT;

	for (size_t i = 1; i < purging->set->count; i++)
		purging->set->keys[i].ended = false;
	bool found = purge_set_text(purging->set, beside->path->file_name, text, &unused, NULL) !=
			     PURGED_NOT ||
		     needles_in(&purging->set->values, text);
	purge_names_now(purging);
	return found;
}

static int purge_take_twin(struct purging *purging, void *context, const char *name,
			   struct err *err)
{
	const struct beside *beside = context;
	STR_AUTO text = STR_INIT;
	STR_AUTO out = STR_INIT;
	struct file_id id;
	struct err ignored;

	if (strncmp(name, beside->prefix.ptr, beside->prefix.len) != 0)
		return 0;
	if (path_read(beside->path, name, &text, &id, &ignored) != 0) {
		purge_unreached(purging, "%s/%s cannot be read", purging->disk->path, name);
		return 0;
	}
	if (purge_is_ours(name + beside->prefix.len)) {
		if (!purge_has_any(purging, beside, str_slice(&text)))
			return 0;
		if (purging->disk->sys->unlinkat(beside->path->dirfd, name, 0) != 0 &&
		    errno != ENOENT)
			return purge_error(purging, "remove", "", name, err);
		purging->report->beside++;
		return 0;
	}
	enum purged purged = purge_set_text(purging->set, beside->path->file_name, str_slice(&text),
					    &out, NULL);
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
	PATH_AUTO path = {0};

	if (path_open(&path, purging->disk, file_name, err) != 0)
		return -1;
	beside.path = &path;
	str_printf(&beside.prefix, ".%s.", path.name);
	int result = purge_walk(purging, path.dirfd, purge_take_twin, &beside, err);
	if (result == 0 && file_fsync(purging->disk->sys, path.dirfd) != 0)
		result = err_set_errno(err, ERR_IO, errno, "cannot make %s durable",
				       purging->disk->path);
	if (path.linked)
		purge_unreached(purging, "%s is a link: where it leads may be in a history, too",
				file_name);
	str_release(&beside.prefix);
	return result;
}

int purge_files(struct purging *purging, struct err *err)
{
	if (purge_store_files(purging, err) != 0)
		return -1;
	/* Now, because what was exchanged above stands beside its file too. */
	for (int f = 0; f < STORE_FILE_COUNT; f++) {
		if (purge_concerns_file(purging, (enum store_file)f) &&
		    purge_twins(purging, store_file_name((enum store_file)f), err) != 0)
			return -1;
	}
	return 0;
}
