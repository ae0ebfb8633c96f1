#include "support/memory_sys.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* Makes the folders of a path. */
static void make_folders(const char *path)
{
	char part[PATH_MAX];

	for (const char *end = strchr(path + 1, '/'); end; end = strchr(end + 1, '/')) {
		snprintf(part, sizeof part, "%.*s", (int)(end - path), path);
		memory_sys()->mkdirat(AT_FDCWD, part, 0700);
	}
}

void memory_sys_write(const char *path, struct slice bytes)
{
	const struct sys *sys = memory_sys();
	int fd;

	make_folders(path);
	fd = sys->openat(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0)
		abort();
	sys->write(fd, bytes.ptr, bytes.len);
	sys->close(fd);
}
