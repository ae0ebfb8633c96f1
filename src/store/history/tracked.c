#include "store/history/tracked.h"

#include "base/mem.h"
#include "store/files/resolve.h"
#include "store/log/shared_use.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#define NOTES_FOLDER "notes"

/* Those that a sync writes come last. */
static const char *const single_files[] = {"config.json", "synonyms.json", ".kota",
					   ".gitignore",  SHARED_USE_NAME, PURGED_NAME};

#define SINGLE_COUNT (sizeof single_files / sizeof *single_files)
#define OF_SYNC_COUNT 2

/* True if it is a plain name in this folder, with this ending. Hidden files are not. */
static bool tracked_is_in(const char *name, const char *folder, const char *ending)
{
	size_t len = strlen(folder);

	return strncmp(name, folder, len) == 0 && name[len] == '/' && name[len + 1] != '.' &&
	       !strchr(name + len + 1, '/') && strlen(name + len + 1) > strlen(ending) &&
	       slice_ends(slice_of(name), ending);
}

bool tracked_is(const char *name)
{
	for (size_t i = 0; i < SINGLE_COUNT; i++) {
		if (strcmp(single_files[i], name) == 0)
			return true;
	}
	return store_file_find(slice_of(name)) < STORE_FILE_COUNT || tracked_is_appended(name) ||
	       tracked_is_note(name);
}

bool tracked_is_appended(const char *name)
{
	return tracked_is_in(name, COLD_FOLDER, COLD_SUFFIX);
}

bool tracked_is_note(const char *name)
{
	return tracked_is_in(name, NOTES_FOLDER, ".md");
}

bool tracked_is_folder(const char *name)
{
	return strcmp(name, NOTES_FOLDER) == 0 || strcmp(name, COLD_FOLDER) == 0;
}

static int tracked_visit_if_there(struct disk *disk, const char *name, tracked_visitor visit,
				  void *context)
{
	struct file_id id;
	struct err ignored;
	bool linked;

	/* If stat fails, visit it all the same: reading it gives the reason. */
	if (disk_look_at(disk, name, &id, &linked, &ignored) == 0 && !id.present)
		return 0;
	return visit(context, name);
}

static int tracked_walk_names(DIR *dir, struct disk *disk, const char *folder,
			      tracked_visitor visit, void *context, struct err *err)
{
	int result = 0;

	while (result == 0) {
		STR_AUTO name = STR_INIT;

		errno = 0;
		const struct dirent *entry = disk->sys->readdir(dir);
		if (!entry)
			return errno == 0 ? 0
					  : err_set_errno(err, ERR_IO, errno, "cannot read %s/%s",
							  disk->path, folder);
		str_printf(&name, "%s/%s", folder, entry->d_name);
		if (tracked_is(name.ptr))
			result = visit(context, name.ptr);
	}
	return 0;
}

static int tracked_walk_folder(struct disk *disk, const char *folder, tracked_visitor visit,
			       void *context, struct err *err)
{
	int fd = file_open(disk->sys, disk->dirfd, folder,
			   O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
	DIR *dir = fd < 0 ? NULL : disk->sys->fdopendir(fd);

	/* If it is a link or a file, whoever needs the folder reports it. */
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP))
		return 0;
	if (!dir) {
		err_set_errno(err, ERR_IO, errno, "cannot read %s/%s", disk->path, folder);
		file_close(disk->sys, &fd);
		return -1;
	}
	int result = tracked_walk_names(dir, disk, folder, visit, context, err);
	disk->sys->closedir(dir);
	return result;
}

int tracked_walk(struct disk *disk, bool of_sync, tracked_visitor visit, void *context,
		 struct err *err)
{
	size_t singles = of_sync ? SINGLE_COUNT : SINGLE_COUNT - OF_SYNC_COUNT;
	struct err ignored;
	struct file_id id;
	int result = 0;

	for (int f = 0; result == 0 && f < STORE_FILE_COUNT; f++) {
		/* If stat fails, visit it all the same: reading it gives the reason. */
		if (disk_look(disk, (enum store_file)f, &id, &ignored) != 0 || id.present)
			result = visit(context, store_file_name((enum store_file)f));
	}
	for (size_t i = 0; result == 0 && i < singles; i++)
		result = tracked_visit_if_there(disk, single_files[i], visit, context);
	if (result != 0)
		return 0;
	if (tracked_walk_folder(disk, COLD_FOLDER, visit, context, err) != 0)
		return -1;
	return tracked_walk_folder(disk, NOTES_FOLDER, visit, context, err);
}

/* A file in a folder of the store: neither may be a link, which could lead anywhere. */
static int tracked_read_below(struct disk *disk, const char *name, size_t folder_len,
			      struct str *text, struct file_id *id, struct err *err)
{
	char *folder = mem_strndup(name, folder_len);
	int fd = file_open(disk->sys, disk->dirfd, folder,
			   O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
	int result = 0;

	str_clear(text);
	if (fd >= 0)
		result = file_read_own(disk->sys, fd, name + folder_len + 1, json_file_bounds.bytes,
				       text, id, err);
	else if (errno == ENOENT)
		*id = (struct file_id){.present = false};
	else
		result = err_set_errno(err, ERR_BAD_DATA, errno, "cannot open %s/%s", disk->path,
				       folder);
	file_close(disk->sys, &fd);
	free(folder);
	return result;
}

int tracked_read(struct disk *disk, const char *name, struct str *text, struct file_id *id,
		 struct err *err)
{
	const char *slash = strchr(name, '/');

	if (slash)
		return tracked_read_below(disk, name, (size_t)(slash - name), text, id, err);
	return disk_read(disk, name, text, id, err);
}

int tracked_category(const char *name)
{
	int file = (int)store_file_find(slice_of(name));

	return file <= STORE_FILE_ARCHIVE ? file : CATEGORY_ANY;
}

bool tracked_edition(struct edition *out, const char *name, struct slice text)
{
	int category = tracked_category(name);

	if (category == CATEGORY_COUNT)
		edition_of_records(out, text);
	else if (category != CATEGORY_ANY)
		edition_of_entries(out, (enum category)category, text);
	return category != CATEGORY_ANY;
}

bool tracked_compare(struct comparison *out, const char *name, struct slice before,
		     struct slice after)
{
	int category = tracked_category(name);

	if (category == CATEGORY_COUNT)
		compare_records(out, before, after);
	else if (category != CATEGORY_ANY)
		compare_entries(out, (enum category)category, before, after);
	return category != CATEGORY_ANY;
}
