#include "bench/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_MS 30000

extern char **environ;

static int spawn(pid_t *pid, char *const *command, int in, int out)
{
	posix_spawn_file_actions_t actions;
	int failed;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	failed = posix_spawnp(pid, command[0], &actions, NULL, command, environ);
	posix_spawn_file_actions_destroy(&actions);
	return failed ? -1 : 0;
}

int process_start(struct process *process, char *const *command)
{
	int in[2];
	int out[2];
	int rc;

	if (pipe2(in, O_CLOEXEC) != 0)
		return -1;
	if (pipe2(out, O_CLOEXEC) != 0) {
		close(in[0]);
		close(in[1]);
		return -1;
	}
	rc = spawn(&process->pid, command, in[0], out[1]);
	close(in[0]);
	close(out[1]);
	process->to = in[1];
	process->from = out[0];
	if (rc != 0) {
		close(in[1]);
		close(out[0]);
	}
	return rc;
}

int process_send(const struct process *process, const char *line)
{
	STR_AUTO text = STR_INIT;
	ssize_t sent;

	str_printf(&text, "%s\n", line);
	sent = write(process->to, text.ptr, text.len);
	return sent == (ssize_t)text.len ? 0 : -1;
}

int process_read(const struct process *process, struct str *reply)
{
	struct pollfd waiting = {.fd = process->from, .events = POLLIN};
	char buffer[65536];

	str_clear(reply);
	while (reply->len == 0 || reply->ptr[reply->len - 1] != '\n') {
		ssize_t got;

		if (poll(&waiting, 1, PATIENCE_MS) != 1)
			return -1;
		got = read(process->from, buffer, sizeof buffer);
		if (got <= 0)
			return -1;
		str_add(reply, slice_make(buffer, (size_t)got));
	}
	return 0;
}

/* A number of the process's status, by the name that its line begins with. */
static long status_kib(const struct process *process, const char *name)
{
	char line[256];
	long kib = -1;
	FILE *file;

	snprintf(line, sizeof line, "/proc/%ld/status", (long)process->pid);
	file = fopen(line, "r");
	if (!file)
		return -1;
	while (kib < 0 && fgets(line, sizeof line, file))
		if (strncmp(line, name, strlen(name)) == 0)
			kib = strtol(line + strlen(name), NULL, 10);
	fclose(file);
	return kib;
}

long process_peak_kib(const struct process *process)
{
	return status_kib(process, "VmHWM:");
}

long process_rss_kib(const struct process *process)
{
	return status_kib(process, "VmRSS:");
}

void process_end(struct process *process)
{
	close(process->to);
	kill(process->pid, SIGKILL);
	waitpid(process->pid, NULL, 0);
	close(process->from);
}
