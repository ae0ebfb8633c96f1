#include "store/files/disk_usage.h"

#include "store/files/file_names.h"

#include <fcntl.h>

/* Folders deeper than this are none of ours. */
#define DEPTH_MAX 8

int64_t size_of_file(struct disk *disk, const char *name)
{
	struct stat st;

	if (disk->dirfd < 0 || disk->sys->fstatat(disk->dirfd, name, &st, 0) != 0 ||
	    !S_ISREG(st.st_mode))
		return 0;
	return st.st_size;
}

static int disk_usage_open_folder(const struct sys *sys, int parent, const char *name)
{
	return file_open(sys, parent, name,
			 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
}

static int64_t disk_usage_size_below(const struct sys *sys, int folder, int depth)
{
	NAMES_AUTO names = {0};
	int64_t sum = 0;
	struct stat st;

	names_read(sys, folder, NULL, &names);
	for (size_t i = 0; i < names.count; i++) {
		if (sys->fstatat(folder, names.list[i], &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		if (S_ISREG(st.st_mode))
			sum += st.st_size;
		if (!S_ISDIR(st.st_mode) || depth == DEPTH_MAX)
			continue;
		int inner = disk_usage_open_folder(sys, folder, names.list[i]);
		if (inner >= 0)
			sum += disk_usage_size_below(sys, inner, depth + 1);
		file_close(sys, &inner);
	}
	return sum;
}

int64_t size_of_folder(struct disk *disk, const char *name)
{
	int folder = disk->dirfd < 0 ? -1 : disk_usage_open_folder(disk->sys, disk->dirfd, name);
	int64_t sum = folder < 0 ? 0 : disk_usage_size_below(disk->sys, folder, 1);

	file_close(disk->sys, &folder);
	return sum;
}
