#include "store/files/note_folder.h"

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

/* To go through it, which also a process that may not list it can. */
static int note_folder_open_folder(const struct way *way, int at, const char *name)
{
	int flags = O_PATH | O_DIRECTORY | O_CLOEXEC | (way->follow ? 0 : O_NOFOLLOW);

	return file_open(way->disk->sys, at, name, flags, 0);
}

/* To list it and to make it durable. */
static int note_folder_open_to_read(const struct way *way, int at)
{
	return file_open(way->disk->sys, at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
}

/* A new name lasts once the folder that has it is durable. */
static int note_folder_make_folder(const struct way *way, int at, const char *name)
{
	const struct sys *sys = way->disk->sys;

	if (sys->mkdirat(at, name, 0700) != 0 && errno != EEXIST)
		return -1;
	int fd = note_folder_open_to_read(way, at);
	int result = fd < 0 ? -1 : file_fsync(sys, fd);
	file_close(sys, &fd);
	return result;
}

/* Goes one step on. */
static int note_folder_step_on(const struct way *way, int *at, const char *name)
{
	int next = note_folder_open_folder(way, *at, name);

	if (next < 0 && errno == ENOENT && way->make &&
	    note_folder_make_folder(way, *at, name) == 0)
		next = note_folder_open_folder(way, *at, name);
	int number = errno;
	file_close(way->disk->sys, at);
	*at = next;
	errno = number;
	return next < 0 ? -1 : 0;
}

int note_folder_open(const struct disk *disk, const char *dir, bool follow, bool make)
{
	struct way way = {disk, follow, make && dir[0] != '/'};
	int at = note_folder_open_folder(&way, disk->dirfd, dir[0] == '/' ? "/" : ".");
	char *path = mem_strdup(dir);
	char *rest = NULL;
	int result = at < 0 ? -1 : 0;
	int folder = -1;

	for (char *step = strtok_r(path, "/", &rest); step && result == 0;
	     step = strtok_r(NULL, "/", &rest))
		result = note_folder_step_on(&way, &at, step);
	if (result == 0)
		folder = note_folder_open_to_read(&way, at);
	file_close(disk->sys, &at);
	free(path);
	return folder;
}
