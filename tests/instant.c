/*
 * A hook and a server that start in the same instant on a store that does not exist yet, as when a
 * client begins a session; also eight of them at once. All wait at one gate, a pipe that is closed.
 * Every one does its work, the hooks end with 0, nothing is left to be done, and what a server has
 * acknowledged is there.
 */
#include "support/tmpdir.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CROWD_MAX 8
#define TEXT_MAX 65536

static const char requests[] =
	"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
	"\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"instant\",\"version\":\"1\"}"
	"}}"
	"\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/"
	"call\",\"params\":{\"name\":\"memory_set\","
	"\"arguments\":{\"key\":\"key %d\",\"value\":%d,\"category\":\"state\"}}}\n";
static const char event[] = "{\"session_id\":\"s\",\"hook_event_name\":\"SessionStart\","
			    "\"source\":\"startup\"}\n";

struct process {
	pid_t pid;
	bool server;
	int number;
	int out; /* the end that it writes to us */
};

struct round {
	struct tmpdir dir;
	const char *program;
	struct process crowd[CROWD_MAX];
	size_t count;
};

static void fatal(const char *what)
{
	perror(what);
	exit(2);
}

/* What it will read stands in a pipe before it is let go. */
static int filled_pipe(const struct process *process)
{
	char text[1024];
	int ends[2];
	int len = process->server
			  ? snprintf(text, sizeof text, requests, process->number, process->number)
			  : snprintf(text, sizeof text, "%s", event);

	if (pipe(ends) != 0 || write(ends[1], text, (size_t)len) != len)
		fatal("pipe");
	close(ends[1]);
	return ends[0];
}

static void run(const struct round *round, const struct process *process, int gate, int in, int out)
{
	char byte;

	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	if (read(gate, &byte, 1) != 0)
		_exit(3);
	for (int fd = STDERR_FILENO + 1; fd < 64; fd++)
		close(fd);
	if (process->server)
		execl(round->program, "kota", "serve", (char *)NULL);
	else
		execl(round->program, "kota", "hook", "session-start", (char *)NULL);
	_exit(4);
}

static void start(struct round *round, struct process *process, const int gate[2])
{
	int in = filled_pipe(process);
	int ends[2];

	if (pipe(ends) != 0)
		fatal("pipe");
	process->pid = fork();
	if (process->pid < 0)
		fatal("fork");
	if (process->pid == 0) {
		close(gate[1]);
		run(round, process, gate[0], in, ends[1]);
	}
	close(in);
	close(ends[1]);
	process->out = ends[0];
}

static void read_all(int fd, char text[TEXT_MAX])
{
	size_t len = 0;
	ssize_t got;

	while (len < TEXT_MAX - 1 && (got = read(fd, text + len, TEXT_MAX - 1 - len)) > 0)
		len += (size_t)got;
	text[len] = '\0';
	close(fd);
}

/* Its status and what it wrote. */
static bool did_its_work(struct process *process)
{
	static char text[TEXT_MAX];
	int status;

	read_all(process->out, text);
	if (waitpid(process->pid, &status, 0) != process->pid)
		fatal("waitpid");
	if (status != 0) {
		printf("%s: status %d\n", process->server ? "server" : "hook", status);
		return false;
	}
	if (process->server ? !strstr(text, "\"isError\":false")
			    : text[0] && !strstr(text, "\"additionalContext\"")) {
		printf("%s: %s\n", process->server ? "server" : "hook", text);
		return false;
	}
	return true;
}

/* Runs the program with these words; what it wrote first. */
static int ask(const struct round *round, const char *word, const char *more, char text[TEXT_MAX])
{
	int ends[2];
	int status;
	pid_t pid;

	if (pipe(ends) != 0)
		fatal("pipe");
	pid = fork();
	if (pid < 0)
		fatal("fork");
	if (pid == 0) {
		dup2(ends[1], STDOUT_FILENO);
		execl(round->program, "kota", word, more, (char *)NULL);
		_exit(4);
	}
	close(ends[1]);
	read_all(ends[0], text);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/*
 * All that was acknowledged is there, and doctor sees nothing that is to be done; that files which
 * were just replaced are held for a while is a note.
 */
static bool is_well(const struct round *round)
{
	static char text[TEXT_MAX];
	bool well = true;

	if (ask(round, "doctor", "--json", text) != 0) {
		printf("doctor: %s\n", text);
		well = false;
	}
	ask(round, "list", NULL, text);
	for (size_t i = 0; i < round->count; i++) {
		char ref[32];

		snprintf(ref, sizeof ref, "state:key %d\n", round->crowd[i].number);
		if (round->crowd[i].server && !strstr(text, ref)) {
			printf("lost: %s", ref);
			well = false;
		}
	}
	return well;
}

/* The first half are servers. */
static bool play(const char *program, size_t count)
{
	struct round round = {.program = program, .count = count};
	char path[PATH_MAX + 16];
	bool well = true;
	int gate[2];

	tmpdir_make(&round.dir);
	snprintf(path, sizeof path, "%s/store", round.dir.path);
	setenv("KOTA_MEMORY_DIR", path, 1);
	setenv("HOME", round.dir.path, 1);
	if (pipe(gate) != 0)
		fatal("pipe");
	for (size_t i = 0; i < count; i++) {
		round.crowd[i] = (struct process){.server = i < count / 2, .number = (int)i};
		start(&round, &round.crowd[i], gate);
	}
	close(gate[0]);
	close(gate[1]); /* now */
	for (size_t i = 0; i < count; i++)
		well = did_its_work(&round.crowd[i]) && well;
	well = is_well(&round) && well;
	tmpdir_remove(&round.dir);
	return well;
}

int main(void)
{
	static const struct {
		const char *git;
		size_t count;
		int rounds;
	} games[] = {{"off", 2, 40}, {"own", 2, 20}, {"off", CROWD_MAX, 10}, {"own", CROWD_MAX, 5}};
	const char *program = getenv("KOTA");
	int passed = 0;
	int failed = 0;

	if (!program)
		program = "./kota";
	unsetenv("XDG_STATE_HOME");
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("CLAUDE_CONFIG_DIR");
	unsetenv("CODEX_HOME");
	setenv("LC_ALL", "C.UTF-8", 1);
	for (size_t i = 0; i < sizeof games / sizeof *games; i++) {
		setenv("KOTA_MEMORY_GIT", games[i].git, 1);
		for (int round = 0; round < games[i].rounds; round++) {
			if (play(program, games[i].count))
				passed++;
			else
				failed++;
		}
	}
	printf("%d passed, %d failed\n", passed, failed);
	return failed > 0;
}
