#include "base/mem.h"
#include "store/log/cold.h"
#include "store/files/cache_file.h"
#include "store/purge/purge_internal.h"
#include "store/files/atomic_write.h"
#include "store/swap/exchange.h"
#include "store/swap/replace.h"
#include "store/log/usage_file.h"
#include "store/files/resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

static bool concerns_file(const struct purging *purging, enum store_file file)
{
	return (int)file >= CATEGORY_COUNT ||
	       purge_set_has_category(purging->set, (enum category)file);
}

int purge_check_files(struct purging *purging, struct err *err)
{
	for (int f = 0; f < STORE_FILE_COUNT; f++) {
		STR_AUTO text = STR_INIT;
		struct file_id id;
		struct json doc;

		if (!concerns_file(purging, (enum store_file)f))
			continue;
		if (disk_read_json(purging->disk, store_file_name((enum store_file)f), &text, &doc,
				   &id, err) != 0)
			return -1;
		json_release(&doc);
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
	const struct sys *sys = purging->disk->sys;
	int fd = file_open(sys, dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	DIR *dir = fd < 0 ? NULL : sys->fdopendir(fd);
	const struct dirent *entry;
	char **names = NULL;
	size_t count = 0;
	size_t cap = 0;
	int result = 0;

	if (!dir) {
		file_close(sys, &fd);
		return purge_error(purging, "read", "", "", err);
	}
	/* All of them before any is changed. */
	while ((entry = sys->readdir(dir))) {
		names = mem_grow(names, &cap, count + 1, sizeof *names);
		names[count++] = mem_strdup(entry->d_name);
	}
	sys->closedir(dir);
	for (size_t i = 0; i < count; i++) {
		if (result == 0)
			result = visit(purging, context, names[i], err);
		free(names[i]);
	}
	free(names);
	return result;
}

int purge_replace(struct purging *purging, int dirfd, const char *where, const char *name,
		  struct slice text, struct err *err)
{
	return renew_file(purging->disk, dirfd, where, name, text, err);
}

/* ---- the files of the store */

struct part {
	struct purging *purging;
	const char *name;
	size_t *count;
};

static int build(void *context, const struct json *doc, struct str *out, struct str *aside,
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
		return err_set(err, ERR_BAD_DATA, "1:1: the entry cannot be taken out");
	}
	*part->count = count;
	return 0;
}

static int purge_file(struct purging *purging, enum store_file file, size_t *count, struct err *err)
{
	struct part part = {purging, store_file_name(file), count};
	struct rewrite rewrite = {.build = build, .context = &part};
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
		purging->disk->sys->unlinkat(*folder, name, 0);
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
	int result;

	if (folder < 0)
		return errno == ENOENT ? 0 : purge_error(purging, "open", COLD_FOLDER, "", err);
	result = purge_walk(purging, folder, purge_month, &folder, err);
	file_close(purging->disk->sys, &folder);
	return result;
}

int purge_files(struct purging *purging, struct err *err)
{
	struct purge_report *report = purging->report;

	for (int c = 0; c < CATEGORY_COUNT; c++) {
		if (concerns_file(purging, (enum store_file)c) &&
		    purge_file(purging, (enum store_file)c, &report->entries, err) != 0)
			return -1;
	}
	if (purge_file(purging, STORE_FILE_ARCHIVE, &report->records, err) != 0 ||
	    purge_file(purging, STORE_FILE_RELATIONS, &report->relations, err) != 0)
		return -1;
	/* Last, because texts that give way go there. */
	if (purge_cold(purging, err) != 0)
		return -1;
	return purge_lines(purging, purging->disk->dirfd, "", USAGE_FILE_NAME, &report->usage, err);
}
