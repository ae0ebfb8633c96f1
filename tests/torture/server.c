#include "torture/server.h"

#include "torture/row.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define HANDSHAKE                                                                                  \
	"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"                     \
	"\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"                                  \
	"\"clientInfo\":{\"name\":\"torture\",\"version\":\"1\"}}}\n"

const char *server_program(const char *plant, char *out, size_t size)
{
	const char *build = getenv("BUILD");

	if (!plant)
		return getenv("KOTA") ? getenv("KOTA") : "./kota";
	snprintf(out, size, "%s/tests/torture/planted", build ? build : ".");
	return out;
}

static _Noreturn void run_program(const char *dir, const char *plant, int in, int out)
{
	char buffer[4096];
	const char *program = server_program(plant, buffer, sizeof buffer);

	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	signal(SIGPIPE, SIG_DFL);
	/* A shell lets its background processes ignore it; a client does not. */
	signal(SIGINT, SIG_DFL);
	if (plant)
		setenv("KOTA_PLANT", plant, 1);
	execl(program, program, "serve", "--dir", dir, (char *)NULL);
	fprintf(stderr, "cannot run %s: %s\n", program, strerror(errno));
	_exit(126);
}

static bool write_all(int fd, const char *text, size_t len)
{
	while (len > 0) {
		ssize_t done = write(fd, text, len);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return false;
		text += done;
		len -= (size_t)done;
	}
	return true;
}

void server_start(struct server *server, const char *dir, const char *plant)
{
	STR_AUTO line = STR_INIT;
	int in[2];
	int out[2];

	*server = (struct server){.pending = STR_INIT};
	signal(SIGPIPE, SIG_IGN);
	if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
		row_fatal("pipe");
	server->pid = fork();
	if (server->pid < 0)
		row_fatal("fork");
	if (server->pid == 0)
		run_program(dir, plant, in[0], out[1]);
	close(in[0]);
	close(out[1]);
	server->in = in[1];
	server->out = out[0];
	if (!write_all(server->in, HANDSHAKE, strlen(HANDSHAKE)) || !server_receive(server, &line))
		row_fatal("the server does not shake hands");
}

bool server_send(struct server *server, const char *tool, const char *arguments)
{
	STR_AUTO line = STR_INIT;

	str_printf(&line,
		   "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"tools/call\",\"params\":{"
		   "\"name\":\"%s\",\"arguments\":%s}}\n",
		   ++server->sent, tool, arguments);
	return write_all(server->in, line.ptr, line.len);
}

bool server_receive(struct server *server, struct str *line)
{
	struct str *pending = &server->pending;

	for (;;) {
		char *end = pending->len ? memchr(pending->ptr, '\n', pending->len) : NULL;
		ssize_t got;

		if (end) {
			size_t len = (size_t)(end - pending->ptr);

			str_clear(line);
			str_add(line, slice_make(pending->ptr, len));
			memmove(pending->ptr, end + 1, pending->len - len - 1);
			str_truncate(pending, pending->len - len - 1);
			return true;
		}
		str_reserve(pending, 1 << 16);
		got = read(server->out, pending->ptr + pending->len, 1 << 16);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		pending->len += (size_t)got;
	}
}

bool server_call(struct server *server, const char *tool, const char *arguments, struct str *reply)
{
	return server_send(server, tool, arguments) && server_receive(server, reply);
}

static int finish(struct server *server)
{
	int status = 0;

	while (waitpid(server->pid, &status, 0) < 0 && errno == EINTR)
		;
	close(server->out);
	str_release(&server->pending);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void server_kill(struct server *server)
{
	kill(server->pid, SIGKILL);
	close(server->in);
	finish(server);
}

int server_stop(struct server *server)
{
	close(server->in);
	return finish(server);
}

bool reply_is_ok(struct slice reply)
{
	static const char ok[] = "\"isError\":false";

	return memmem(reply.ptr, reply.len, ok, sizeof ok - 1) != NULL;
}
