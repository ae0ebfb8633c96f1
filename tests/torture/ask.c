#include "torture/ask.h"

#include "torture/row.h"
#include "torture/server.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS_MAX 16

static _Noreturn void run_program(const struct question *question, int out)
{
	const char *words[WORDS_MAX + 4] = {NULL, "--dir", question->dir};
	char buffer[4096];
	size_t count = 3;

	words[0] = server_program(question->plant, buffer, sizeof buffer);
	for (size_t i = 0; question->words[i] && i < WORDS_MAX; i++)
		words[count++] = question->words[i];
	dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	if (question->has_mask)
		umask((mode_t)question->mask);
	if (question->plant)
		setenv("KOTA_PLANT", question->plant, 1);
	if (question->uid != 0 &&
	    (setgroups(0, NULL) != 0 || setgid(question->uid) != 0 || setuid(question->uid) != 0))
		_exit(126);
	execv(words[0], (char *const *)words);
	_exit(126);
}

/* Appends what comes until the end, or the deadline; false then. */
static bool read_all(int fd, struct str *out)
{
	int64_t end_ms = row_clock_us() / 1000 + ASK_DEADLINE_MS;

	for (;;) {
		struct pollfd ready = {.fd = fd, .events = POLLIN};
		int64_t left_ms = end_ms - row_clock_us() / 1000;
		ssize_t got;

		if (left_ms <= 0 || poll(&ready, 1, (int)left_ms) == 0)
			return false;
		str_reserve(out, 4096);
		got = read(fd, out->ptr + out->len, 4096);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		out->len += (size_t)got;
	}
	out->ptr[out->len] = '\0';
	return true;
}

void ask(struct answer *answer, const struct question *question)
{
	int status = 0;
	int out[2];
	pid_t pid;

	str_clear(&answer->text);
	if (pipe2(out, O_CLOEXEC) != 0)
		row_fatal("pipe");
	pid = fork();
	if (pid < 0)
		row_fatal("fork");
	if (pid == 0)
		run_program(question, out[1]);
	close(out[1]);
	answer->hung = !read_all(out[0], &answer->text);
	if (answer->hung)
		kill(pid, SIGKILL);
	close(out[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	answer->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void answer_release(struct answer *answer)
{
	str_release(&answer->text);
}

bool answer_says(struct slice text, const char *word)
{
	return text.len > 0 && memmem(text.ptr, text.len, word, strlen(word)) != NULL;
}

bool ask_server(struct server *server, const char *tool, const char *arguments, struct str *reply,
		bool *hung)
{
	struct pollfd ready = {.fd = server->out, .events = POLLIN};

	*hung = false;
	str_clear(reply);
	if (!server_send(server, tool, arguments))
		return false;
	if (poll(&ready, 1, ASK_DEADLINE_MS) == 0) {
		*hung = true;
		kill(server->pid, SIGKILL);
		return false;
	}
	return server_receive(server, reply);
}
