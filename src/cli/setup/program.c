#include "cli/setup/program.h"

#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

/* More than that nobody reads. */
#define SAID_MAX 65536

static bool program_is_program(const struct sys *sys, const char *path)
{
	struct stat st;

	return sys->fstatat(AT_FDCWD, path, &st, 0) == 0 && S_ISREG(st.st_mode) &&
	       (st.st_mode & 0111);
}

bool setup_program_find(struct str *out, const struct cli *cli, const char *name)
{
	const char *at = cli->env("PATH");
	STR_AUTO path = STR_INIT;

	for (; at && *at; at += *at == ':') {
		size_t len = strcspn(at, ":");

		str_clear(&path);
		str_add(&path, slice_make(at, len));
		str_printf(&path, "/%s", name);
		/* Ignore relative folders in PATH. */
		if (*at == '/' && program_is_program(cli->sys, path.ptr)) {
			str_add(out, str_slice(&path));
			return true;
		}
		at += len;
	}
	return false;
}

/* Starts it with its output in a pipe; returns the end to read from, or -1 with errno. */
static int program_start(pid_t *pid, const char *path, char *const words[])
{
	posix_spawn_file_actions_t actions;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return -1;
	int number = posix_spawn_file_actions_init(&actions);
	if (number == 0) {
		posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
		posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
		posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
		number = posix_spawn(pid, path, &actions, NULL, words, environ);
		posix_spawn_file_actions_destroy(&actions);
	}
	close(ends[1]);
	if (number == 0)
		return ends[0];
	close(ends[0]);
	errno = number;
	return -1;
}

static void program_read_all(struct str *said, int fd)
{
	char part[4096];
	ssize_t got;

	while ((got = read(fd, part, sizeof part)) > 0 || (got < 0 && errno == EINTR)) {
		if (got > 0 && said->len < SAID_MAX)
			str_add(said, slice_make(part, (size_t)got));
	}
	close(fd);
}

int setup_program_run(struct str *said, const char *path, char *const words[], struct err *err)
{
	STR_AUTO scratch = STR_INIT;
	int status = 0;
	pid_t pid = 0;
	int fd = program_start(&pid, path, words);

	if (fd < 0)
		return err_set_errno(err, ERR_IO, errno, "cannot run %s", path);
	program_read_all(said, fd);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	return err_set(err, ERR_IO, "%s failed: %s", path,
		       shown(&scratch, slice_last_line(str_slice(said))));
}
