#include "sync/git_run.h"

#include "base/mem.h"
#include "base/time.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SAID_MAX 65536
#define WORDS_MAX 40

/* Largest file that git may write: a pack that somebody blew up is not to fill the disk. */
#define FILE_BYTES_MAX ((rlim_t)256 << 20)

/* How long it has to clean up once it was told to end. */
#define GRACE_MS 2000

/* Pauses between looks, while it may still speak and once it has closed its output. */
#define LOOK_MS 20
#define END_MS 1

/* What of git's own variables says how to reach a remote. */
static const char *const passed[] = {"GIT_CONFIG_GLOBAL",   "GIT_CONFIG_SYSTEM",
				     "GIT_CONFIG_NOSYSTEM", "GIT_SSH",
				     "GIT_SSH_COMMAND",     "GIT_SSH_VARIANT",
				     "GIT_ASKPASS",         "GIT_PROXY_COMMAND",
				     "GIT_SSL_CAINFO",      "GIT_SSL_CAPATH",
				     "GIT_SSL_CERT",        "GIT_SSL_KEY",
				     "GIT_SSL_NO_VERIFY",   NULL};

/* ---- the environment */

struct variables {
	char **list;
	size_t count;
	size_t cap;
};

static void git_run_add(struct variables *v, const char *name, const char *value)
{
	struct str text = STR_INIT;

	str_printf(&text, "%s=%s", name, value);
	*MEM_ADD(v->list, v->count, v->cap) = text.ptr;
}

static void git_run_variables(const struct git_run *run, struct variables *v)
{
	for (char **at = environ; *at; at++) {
		struct slice name = slice_make(*at, strcspn(*at, "="));

		if (!slice_is(name, "LC_ALL") && !slice_is(name, "LANGUAGE") &&
		    (!slice_starts(name, "GIT_") || slice_index(name, passed) >= 0))
			*MEM_ADD(v->list, v->count, v->cap) = mem_strdup(*at);
	}
	git_run_add(v, "LC_ALL", "C");
	git_run_add(v, "GIT_DIR", run->folder);
	git_run_add(v, "GIT_OBJECT_DIRECTORY", run->objects);
	git_run_add(v, "GIT_ALLOW_PROTOCOL", "file:ssh:https");
	if (!run->terminal) {
		git_run_add(v, "GIT_TERMINAL_PROMPT", "0");
		if (!getenv("GIT_SSH_COMMAND") && !getenv("GIT_SSH"))
			git_run_add(v, "GIT_SSH_COMMAND", "ssh -oBatchMode=yes");
	}
	*MEM_ADD(v->list, v->count, v->cap) = NULL;
}

/* ---- signals */

/* What tells kota to end: git and what it started is ended first. */
static const int endings[] = {SIGINT, SIGTERM, SIGHUP};

/* How signals were treated before git was started. */
struct signals {
	sigset_t mask;
	struct sigaction child;
};

/*
 * Holds back what would end kota, and asks to be told of the end of a child also where who started
 * kota did not want to be. What is ignored is not held back: it would count as received.
 */
static void git_run_hold(struct signals *before)
{
	const struct sigaction told = {.sa_handler = SIG_DFL};
	struct sigaction now;
	sigset_t held;

	sigemptyset(&held);
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		if (sigaction(endings[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
			sigaddset(&held, endings[i]);
	}
	sigprocmask(SIG_BLOCK, &held, &before->mask);
	sigaction(SIGCHLD, &told, &before->child);
}

/* What was held back takes effect now. */
static void git_run_let_go(const struct signals *before)
{
	sigaction(SIGCHLD, &before->child, NULL);
	sigprocmask(SIG_SETMASK, &before->mask, NULL);
}

static bool git_run_is_to_end(const struct signals *before)
{
	sigset_t waiting;
	bool found = false;

	if (sigpending(&waiting) != 0)
		return false;
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
		found = found || (sigismember(&waiting, endings[i]) == 1 &&
				  sigismember(&before->mask, endings[i]) == 0);
	return found;
}

/* ---- the process */

static int64_t git_run_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return time_of_timespec(now);
}

/* Starts it with its output in a pipe; returns the end to read from, or -1 with errno. */
static int git_run_spawn(const struct git_run *run, char *const words[],
			 const struct signals *signals, pid_t *pid)
{
	struct variables variables = {0};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	struct rlimit before;
	struct rlimit less;
	sigset_t usual;
	int ends[2];
	int number;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return -1;
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	git_run_variables(run, &variables);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
	posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
	posix_spawnattr_init(&attributes);
	/* A group of its own can be ended whole; one that asks on the terminal has to stay here. */
	posix_spawnattr_setsigmask(&attributes, &signals->mask);
	/* A process that writes to a pipe with no reader is to end as well. */
	sigemptyset(&usual);
	sigaddset(&usual, SIGPIPE);
	posix_spawnattr_setsigdefault(&attributes, &usual);
	posix_spawnattr_setflags(&attributes,
				 (short)(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
					 (run->terminal ? 0 : POSIX_SPAWN_SETPGROUP)));
	posix_spawnattr_setpgroup(&attributes, 0);
	getrlimit(RLIMIT_FSIZE, &before);
	less = before;
	less.rlim_cur = before.rlim_cur < FILE_BYTES_MAX ? before.rlim_cur : FILE_BYTES_MAX;
	setrlimit(RLIMIT_FSIZE, &less);
	number = posix_spawn(pid, run->program, &actions, &attributes, words, variables.list);
	setrlimit(RLIMIT_FSIZE, &before);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	for (size_t i = 0; i < variables.count; i++)
		free(variables.list[i]);
	free(variables.list);
	close(ends[1]);
	if (number == 0)
		return ends[0];
	close(ends[0]);
	errno = number;
	return -1;
}

/* Reads what is there; false at the end. */
static bool git_run_read(int fd, struct str *said)
{
	char part[4096];
	ssize_t got;

	while ((got = read(fd, part, sizeof part)) > 0) {
		if (said->len < SAID_MAX)
			str_add(said, slice_make(part, (size_t)got));
	}
	return got < 0 && (errno == EAGAIN || errno == EINTR);
}

/*
 * Reads until it has ended, or the time is up, or kota is to end itself where `before` is given;
 * true when it has ended.
 */
static bool git_run_follow(pid_t pid, int fd, int64_t until_ms, const struct signals *before,
			   struct str *said, int *status)
{
	bool open = true;

	while (git_run_now_ms() < until_ms && !(before && git_run_is_to_end(before))) {
		struct pollfd look = {.fd = open ? fd : -1, .events = POLLIN};

		poll(&look, 1, open ? LOOK_MS : END_MS);
		if (open)
			open = git_run_read(fd, said);
		if (waitpid(pid, status, WNOHANG) == pid) {
			if (open)
				git_run_read(fd, said);
			return true;
		}
	}
	return false;
}

static void git_run_end(const struct git_run *run, pid_t pid, int fd, struct str *said)
{
	pid_t whom = run->terminal ? pid : -pid;
	int status;

	kill(whom, SIGTERM);
	if (git_run_follow(pid, fd, git_run_now_ms() + GRACE_MS, NULL, said, &status))
		return;
	kill(whom, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
}

int git_run(const struct git_run *run, const char *const *words, struct str *said, int *status,
	    struct err *err)
{
	static const char *const always[] = {"git",
					     "-c",
					     "core.hooksPath=/dev/null",
					     "-c",
					     "gc.auto=0",
					     "-c",
					     "maintenance.auto=false",
					     "-c",
					     "fetch.fsckObjects=true",
					     "-c",
					     "core.fsync=all",
					     "-c",
					     "fetch.recurseSubmodules=false",
					     "-c",
					     "push.gpgSign=false"};
	const char *all[WORDS_MAX];
	struct signals before;
	size_t count = sizeof always / sizeof *always;
	bool has_ended;
	int ended = 0;
	pid_t pid = 0;
	int fd;

	memcpy(all, always, sizeof always);
	while (*words && count + 1 < WORDS_MAX)
		all[count++] = *words++;
	all[count] = NULL;
	str_clear(said);
	git_run_hold(&before);
	fd = git_run_spawn(run, (char *const *)(uintptr_t)all, &before, &pid);
	if (fd < 0) {
		err_set_errno(err, ERR_IO, errno, "cannot run %s", run->program);
		git_run_let_go(&before);
		return -1;
	}
	has_ended = git_run_follow(pid, fd, git_run_now_ms() + run->limit_ms, &before, said,
				   &ended);
	if (!has_ended)
		git_run_end(run, pid, fd, said);
	/* Leave no child of git behind (such as ssh), however git ended. */
	if (!run->terminal)
		kill(-pid, SIGKILL);
	close(fd);
	git_run_let_go(&before);
	if (!has_ended)
		return err_set(err, ERR_UNREACHABLE,
			       "git: no answer within %d s, so it was stopped",
			       (int)(run->limit_ms / 1000));
	*status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
	return 0;
}
