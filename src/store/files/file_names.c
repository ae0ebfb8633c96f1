#include "store/files/file_names.h"

#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

void names_release(struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->list[i]);
	free(names->list);
	*names = (struct names){0};
}

static int names_compare(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

static int names_read_all(const struct sys *sys, DIR *dir, bool (*wanted)(const char *name),
			  struct names *out)
{
	const struct dirent *entry;

	while ((void)(errno = 0), (entry = sys->readdir(dir)) != NULL) {
		if (wanted ? !wanted(entry->d_name)
			   : strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		out->list = mem_grow(out->list, &out->cap, out->count + 1, sizeof *out->list);
		out->list[out->count++] = mem_strdup(entry->d_name);
	}
	return errno;
}

int names_read(const struct sys *sys, int folder, bool (*wanted)(const char *name),
	       struct names *out)
{
	int fd = file_open(sys, folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	DIR *dir = fd < 0 ? NULL : sys->fdopendir(fd);
	int number;

	if (!dir) {
		number = errno;
		file_close(sys, &fd);
		return number;
	}
	number = names_read_all(sys, dir, wanted, out);
	sys->closedir(dir);
	if (out->count)
		qsort(out->list, out->count, sizeof *out->list, names_compare);
	return number;
}
