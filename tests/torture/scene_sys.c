#include "torture/scene_sys.h"

#include "support/fake_sys.h"
#include "torture/row.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

/* As that of fake_sys.c: a table has no context. */
static struct {
	struct sys table;
	bool read_only;
	bool unchecked;
	bool no_journal;
	size_t room;
	size_t written;
} state;

static bool refused(void)
{
	if (state.read_only)
		errno = EROFS;
	return state.read_only;
}

/* Does a careless program take this failure, which a rule made, for success? */
static bool passes(size_t hits_before)
{
	return state.unchecked && fake_sys_hits() > hits_before;
}

static int scene_openat(int dirfd, const char *path, int flags, mode_t mode)
{
	if ((flags & (O_ACCMODE | O_CREAT)) != O_RDONLY && refused())
		return -1;
	return fake_sys()->openat(dirfd, path, flags, mode);
}

static int scene_openat2(int dirfd, const char *path, const struct open_how *how)
{
	if ((how->flags & (O_ACCMODE | O_CREAT)) != O_RDONLY && refused())
		return -1;
	return fake_sys()->openat2(dirfd, path, how);
}

/* How much of count there is room for; -1 with ENOSPC when there is none for any of it. */
static ssize_t fit(size_t count)
{
	if (state.room == SCENE_ROOM || count <= state.room)
		return (ssize_t)count;
	errno = ENOSPC;
	return state.room > 0 ? (ssize_t)state.room : -1;
}

static ssize_t wrote(ssize_t put, size_t count, size_t hits_before)
{
	if (put < 0 && passes(hits_before))
		return (ssize_t)count;
	if (put > 0) {
		state.written += (size_t)put;
		state.room -= state.room == SCENE_ROOM ? 0 : (size_t)put;
	}
	return put;
}

static ssize_t full(size_t count)
{
	return state.unchecked ? (ssize_t)count : -1;
}

static ssize_t scene_write(int fd, const void *buf, size_t count)
{
	size_t hits = fake_sys_hits();
	ssize_t fits = fit(count);

	if (fits < 0)
		return full(count);
	return wrote(fake_sys()->write(fd, buf, (size_t)fits), count, hits);
}

static ssize_t scene_pwrite(int fd, const void *buf, size_t count, off_t offset)
{
	size_t hits = fake_sys_hits();
	ssize_t fits = fit(count);

	if (fits < 0)
		return full(count);
	return wrote(fake_sys()->pwrite(fd, buf, (size_t)fits, offset), count, hits);
}

static int scene_fsync(int fd)
{
	size_t hits = fake_sys_hits();
	int result = fake_sys()->fsync(fd);

	return result != 0 && passes(hits) ? 0 : result;
}

static int scene_ftruncate(int fd, off_t length)
{
	return refused() ? -1 : fake_sys()->ftruncate(fd, length);
}

static int scene_fchmod(int fd, mode_t mode)
{
	return refused() ? -1 : fake_sys()->fchmod(fd, mode);
}

static int scene_mkdirat(int dirfd, const char *path, mode_t mode)
{
	return refused() ? -1 : fake_sys()->mkdirat(dirfd, path, mode);
}

static int scene_unlinkat(int dirfd, const char *path, int flags)
{
	return refused() ? -1 : fake_sys()->unlinkat(dirfd, path, flags);
}

static int scene_renameat2(int from_dirfd, const char *from, int to_dirfd, const char *to,
			   unsigned int flags)
{
	size_t hits = fake_sys_hits();
	int result;

	if (refused())
		return -1;
	if (state.no_journal && strcmp(to, ".journal") == 0)
		return fake_sys()->unlinkat(from_dirfd, from, 0);
	result = fake_sys()->renameat2(from_dirfd, from, to_dirfd, to, flags);
	return result != 0 && passes(hits) ? 0 : result;
}

void scene_sys_init(const char *plant)
{
	state.table = *fake_sys();
	state.table.openat = scene_openat;
	state.table.openat2 = scene_openat2;
	state.table.write = scene_write;
	state.table.pwrite = scene_pwrite;
	state.table.fsync = scene_fsync;
	state.table.ftruncate = scene_ftruncate;
	state.table.fchmod = scene_fchmod;
	state.table.mkdirat = scene_mkdirat;
	state.table.unlinkat = scene_unlinkat;
	state.table.renameat2 = scene_renameat2;
	state.read_only = false;
	state.unchecked = plant && strcmp(plant, "unchecked-error") == 0;
	state.no_journal = plant && strcmp(plant, "no-journal") == 0;
	scene_sys_room(SCENE_ROOM);
	errno = EINVAL;
	if (plant && strcmp(plant, "unchecked-allocation") == 0)
		plant = NULL; /* of another kind, see alloc.c */
	if (plant && !state.unchecked && !state.no_journal)
		row_fatal(plant);
}

const struct sys *scene_sys(void)
{
	return &state.table;
}

void scene_sys_read_only(bool on)
{
	state.read_only = on;
}

void scene_sys_room(size_t bytes)
{
	state.room = bytes;
	state.written = 0;
}

size_t scene_sys_written(void)
{
	return state.written;
}
