#include "fuzz/fuzz_folder.h"

#include "git/libgit2.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct {
	struct tmpdir dir;
	struct sys table;
	int64_t now_ms;
	size_t open;
} folder;

static int64_t now_ms(void)
{
	return folder.now_ms;
}

static void sleep_ms(int64_t ms)
{
	folder.now_ms += ms > 0 ? ms : 0;
}

static int no_fsync(int fd)
{
	(void)fd;
	return 0;
}

static int counted_openat(int dirfd, const char *path, int flags, mode_t mode)
{
	int fd = sys_real()->openat(dirfd, path, flags, mode);

	folder.open += fd >= 0;
	return fd;
}

static int counted_close(int fd)
{
	int result = sys_real()->close(fd);

	folder.open -= result == 0;
	return result;
}

static int counted_closedir(DIR *dir)
{
	folder.open--;
	return sys_real()->closedir(dir);
}

/*
 * Starting libgit2 takes longer than all that a target does with it, so that it is started once
 * more than needed and stays; it is not there on every machine.
 */
static void hold_library(void)
{
	static struct lib held;
	struct err ignored;

	if (!held.handle)
		lib_open(&held, &ignored);
}

void fuzz_folder_begin(int64_t now)
{
	char home[PATH_MAX + 8];

	tmpdir_in_memory();
	tmpdir_make(&folder.dir);
	folder.now_ms = now;
	folder.open = 0;
	folder.table = *sys_real();
	folder.table.now_ms = now_ms;
	folder.table.sleep_ms = sleep_ms;
	folder.table.fsync = no_fsync;
	folder.table.openat = counted_openat;
	folder.table.close = counted_close;
	folder.table.closedir = counted_closedir;
	snprintf(home, sizeof home, "%s/home", folder.dir.path);
	mkdir(home, 0700);
	/* Where libgit2 looks for settings. */
	setenv("HOME", home, 1);
	unsetenv("XDG_CONFIG_HOME");
	hold_library();
}

void fuzz_folder_end(void)
{
	tmpdir_remove(&folder.dir);
}

const struct tmpdir *fuzz_folder(void)
{
	return &folder.dir;
}

size_t fuzz_folder_open_count(void)
{
	return folder.open;
}

const struct sys *fuzz_folder_sys(void)
{
	return &folder.table;
}

void fuzz_folder_write(const char *name, struct slice bytes)
{
	const struct timespec then = {.tv_sec = folder.now_ms / 1000 - 60};
	const struct timespec times[2] = {then, then};
	char part[PATH_MAX];

	for (const char *end = strchr(name, '/'); end; end = strchr(end + 1, '/')) {
		snprintf(part, sizeof part, "%.*s", (int)(end - name), name);
		mkdirat(folder.dir.fd, part, 0700);
	}
	tmpdir_write_slice(&folder.dir, name, bytes);
	utimensat(folder.dir.fd, name, times, AT_SYMLINK_NOFOLLOW);
}
