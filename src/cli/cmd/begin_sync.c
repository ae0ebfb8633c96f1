#include "cli/cmd/begin_sync.h"

#include "base/file.h"
#include "store/location/location.h"
#include "store/trust/origin.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <unistd.h>

void begin_sync(const struct run *run)
{
	const char *words[] = {"kota", "sync", "--background", NULL, NULL, NULL};
	const struct cli *cli = run->cli;
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	struct err ignored;
	STR_AUTO mark = STR_INIT;
	struct place place;
	struct stat st;
	pid_t pid;

	if (place_find(&place, cli->sys, cli->env, run->options.dir, &ignored) != 0)
		return;
	path_join(&mark, place.path, SYNCED_NAME);
	place_release(&place);
	if (cli->sys->fstatat(AT_FDCWD, mark.ptr, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return;
	if (run->options.dir) {
		words[3] = "--dir";
		words[4] = run->options.dir;
	}
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
	posix_spawn_file_actions_init(&actions);
	for (int fd = 0; fd <= 2; fd++)
		posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
	posix_spawn(&pid, "/proc/self/exe", &actions, &attributes, (char *const *)(uintptr_t)words,
		    environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
}
