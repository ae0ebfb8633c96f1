#include "support/tmpdir.h"

#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static _Noreturn void give_up(const char *what, const char *name)
{
	fprintf(stderr, "tmpdir: cannot %s %s: %s\n", what, name, strerror(errno));
	abort();
}

void tmpdir_make(struct tmpdir *dir)
{
	const char *base = getenv("TMPDIR");
	char template[PATH_MAX];

	snprintf(template, sizeof template, "%s/kota-test-XXXXXX", base && *base ? base : "/tmp");
	if (!mkdtemp(template) || !realpath(template, dir->path))
		give_up("make", template);
	dir->fd = open(dir->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir->fd < 0)
		give_up("open", dir->path);
}

void tmpdir_write(const struct tmpdir *dir, const char *name, const char *text)
{
	tmpdir_write_slice(dir, name, slice_of(text));
}

void tmpdir_write_slice(const struct tmpdir *dir, const char *name, struct slice bytes)
{
	int fd = openat(dir->fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0)
		give_up("open", name);
	while (bytes.len > 0) {
		ssize_t put = write(fd, bytes.ptr, bytes.len);

		if (put < 0)
			give_up("write", name);
		bytes = slice_make(bytes.ptr + put, bytes.len - (size_t)put);
	}
	if (close(fd) != 0)
		give_up("close", name);
}

char *tmpdir_read(const struct tmpdir *dir, const char *name)
{
	int fd = openat(dir->fd, name, O_RDONLY | O_CLOEXEC);
	char *text = NULL;
	size_t cap = 0;
	size_t len = 0;
	ssize_t got;

	if (fd < 0 && errno == ENOENT)
		return NULL;
	if (fd < 0)
		give_up("open", name);
	do {
		text = mem_grow(text, &cap, len + 4096, 1);
		got = read(fd, text + len, cap - len - 1);
		if (got < 0)
			give_up("read", name);
		len += (size_t)got;
	} while (got > 0);
	text[len] = '\0';
	close(fd);
	return text;
}

bool tmpdir_has(const struct tmpdir *dir, const char *name)
{
	struct stat st;

	return fstatat(dir->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static DIR *open_dir(int dirfd, const char *name)
{
	int fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;

	if (!stream)
		give_up("open", name);
	return stream;
}

/* The next name that is not the directory itself or the one above; NULL at the end. */
static const char *next_name(DIR *stream)
{
	const struct dirent *found;

	do
		found = readdir(stream);
	while (found && (strcmp(found->d_name, ".") == 0 || strcmp(found->d_name, "..") == 0));
	return found ? found->d_name : NULL;
}

size_t tmpdir_count(const struct tmpdir *dir)
{
	DIR *stream = open_dir(dir->fd, ".");
	size_t count = 0;

	while (next_name(stream))
		count++;
	closedir(stream);
	return count;
}

static void remove_tree(int parent, const char *name)
{
	DIR *stream;
	const char *inner;

	if (unlinkat(parent, name, 0) == 0)
		return;
	if (errno != EISDIR && errno != EPERM)
		give_up("remove", name);
	if (fchmodat(parent, name, 0700, 0) != 0)
		give_up("make accessible", name);
	stream = open_dir(parent, name);
	while ((inner = next_name(stream)))
		remove_tree(dirfd(stream), inner);
	closedir(stream);
	if (unlinkat(parent, name, AT_REMOVEDIR) != 0)
		give_up("remove", name);
}

void tmpdir_remove(struct tmpdir *dir)
{
	close(dir->fd);
	dir->fd = -1;
	remove_tree(AT_FDCWD, dir->path);
}

void tmpdir_in_memory(void)
{
	if (access("/dev/shm", W_OK) == 0)
		setenv("TMPDIR", "/dev/shm", 0);
}

int tmpdir_enter(const struct tmpdir *dir)
{
	int before = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (before < 0 || fchdir(dir->fd) != 0)
		give_up("enter", dir->path);
	return before;
}

void tmpdir_leave(int before)
{
	if (fchdir(before) != 0)
		give_up("leave", "a folder");
	close(before);
}
