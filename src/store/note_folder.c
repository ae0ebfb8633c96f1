#include "store/note_folder.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

struct way {
	const struct disk *disk;
	bool follow;
	bool make;
};

static int open_folder(const struct way *way, int at, const char *name)
{
	int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (way->follow ? 0 : O_NOFOLLOW);

	return file_open(way->disk->sys, at, name, flags, 0);
}

/* A new name lasts once the folder that has it is durable. */
static int make_folder(const struct way *way, int at, const char *name)
{
	const struct sys *sys = way->disk->sys;

	if (sys->mkdirat(at, name, 0700) != 0 && errno != EEXIST)
		return -1;
	return file_fsync(sys, at);
}

/* Goes one step on. */
static int step_on(const struct way *way, int *at, const char *name)
{
	int next = open_folder(way, *at, name);
	int number;

	if (next < 0 && errno == ENOENT && way->make && make_folder(way, *at, name) == 0)
		next = open_folder(way, *at, name);
	number = errno;
	file_close(way->disk->sys, at);
	*at = next;
	errno = number;
	return next < 0 ? -1 : 0;
}

int note_folder_open(const struct disk *disk, const char *dir, bool follow, bool make)
{
	struct way way = {disk, follow, make && dir[0] != '/'};
	int at = file_open(disk->sys, disk->dirfd, dir[0] == '/' ? "/" : ".",
			   O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	char *path = mem_strdup(dir);
	char *rest = NULL;
	int result = at < 0 ? -1 : 0;

	for (char *step = strtok_r(path, "/", &rest); step && result == 0;
	     step = strtok_r(NULL, "/", &rest))
		result = step_on(&way, &at, step);
	free(path);
	return at;
}
