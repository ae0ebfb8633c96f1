/*
 * What comes in on standard input, and how it ends: memory stays flat whatever is sent, the exit
 * status is what `kota help serve` says, and what was acknowledged is there.
 */
#include "json/doc.h"
#include "support/tmpdir.h"
#include "torture/row.h"
#include "torture/server.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)

/* What a server may need more for sixteen times the input: allocators are not exact. */
#define GROWTH_KIB 512

#define BURST 40
#define LONGEST_NS 60000000

struct bench {
	struct row row;
	struct tmpdir dir;
	char store[PATH_MAX + 16];
	int64_t number; /* the last one that was sent */
	int64_t stored; /* the last one that was found */
	unsigned signals;
	unsigned acknowledged;
};

/* The most memory that the process has had, in KiB. */
static long peak_kib(pid_t pid)
{
	char path[64];
	char line[256];
	long peak = -1;
	FILE *file;

	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof line, file)) {
		if (strncmp(line, "VmHWM:", 6) == 0)
			peak = strtol(line + 6, NULL, 10);
	}
	if (file)
		fclose(file);
	if (peak < 0)
		row_skip("/proc says nothing of memory");
	return peak;
}

static bool write_all(int fd, const char *text, size_t len)
{
	while (len > 0) {
		ssize_t put = write(fd, text, len);

		if (put < 0 && errno != EINTR)
			return false;
		if (put > 0) {
			text += put;
			len -= (size_t)put;
		}
	}
	return true;
}

static bool write_text(int fd, const char *text)
{
	return write_all(fd, text, strlen(text));
}

static void write_times(struct server *server, const char *piece, size_t len, size_t times)
{
	for (size_t i = 0; i < times; i++) {
		if (!write_all(server->in, piece, len))
			row_fatal("the server is gone");
	}
}

static void set(struct bench *bench, struct server *server, const char *key)
{
	STR_AUTO arguments = STR_INIT;
	STR_AUTO reply = STR_INIT;

	str_printf(&arguments, "{\"key\":\"%s\",\"value\":1,\"category\":\"state\"}", key);
	if (!server_call(server, "memory_set", arguments.ptr, &reply) ||
	    !reply_is_ok(str_slice(&reply)))
		row_violation(&bench->row, "%s is not acknowledged: %s", key,
			      reply.len ? reply.ptr : "the server is gone");
}

/* Is the key in the file, as a look at the file says? */
static bool is_there(const struct bench *bench, const char *key)
{
	char *text = tmpdir_read(&bench->dir, "store/state.json");
	STR_AUTO wanted = STR_INIT;
	bool there;

	str_printf(&wanted, "\"%s\"", key);
	there = text && strstr(text, wanted.ptr);
	free(text);
	return there;
}

static void want_there(struct bench *bench, const char *key)
{
	if (!is_there(bench, key))
		row_violation(&bench->row, "%s was acknowledged and is not there", key);
	bench->acknowledged++;
}

static void want_status(struct bench *bench, const char *what, int status, int wanted)
{
	if (status != wanted)
		row_violation(&bench->row, "%s: exit status %d, not %d", what, status, wanted);
}

static void start(struct bench *bench, struct server *server)
{
	server_start(server, bench->store, bench->row.plant);
}

/* The same piece over and over; what a sixteenth of it took in memory is all that it takes. */
static long send_much(struct bench *bench, struct server *server, const char *what,
		      const char *piece, size_t len, size_t times)
{
	long before;
	long after;

	write_times(server, piece, len, times / 16);
	before = peak_kib(server->pid);
	write_times(server, piece, len, times - times / 16);
	after = peak_kib(server->pid);
	if (after > before + GROWTH_KIB)
		row_violation(&bench->row, "%s: memory grew from %ld to %ld KiB", what, before,
			      after);
	return after;
}

static long endless_line(struct bench *bench, size_t mib)
{
	STR_AUTO reply = STR_INIT;
	struct server server;
	char *piece = malloc(MIB);
	long peak;

	if (!piece)
		row_fatal("malloc");
	memset(piece, 'x', MIB);
	start(bench, &server);
	peak = send_much(bench, &server, "a line without end", piece, MIB, mib);
	free(piece);
	if (!write_text(server.in, "\n") || !server_receive(&server, &reply) ||
	    !strstr(reply.ptr, "\"error\""))
		row_violation(&bench->row, "a line without end is not refused");
	set(bench, &server, "after_line");
	want_status(bench, "after a line without end", server_stop(&server), 0);
	want_there(bench, "after_line");
	return peak;
}

static void blank_lines(struct bench *bench)
{
	struct server server;
	char piece[4000];

	memset(piece, '\n', sizeof piece);
	for (size_t i = 0; i < sizeof piece; i += 40)
		memcpy(piece + i, " \r\n\t\n", 5);
	start(bench, &server);
	send_much(bench, &server, "blank lines", piece, sizeof piece, 320);
	set(bench, &server, "after_blanks");
	want_status(bench, "after blank lines", server_stop(&server), 0);
	want_there(bench, "after_blanks");
}

/* The end comes in the middle of a message. */
static void half_a_line(struct bench *bench)
{
	struct server server;

	start(bench, &server);
	set(bench, &server, "before_half");
	write_text(server.in, "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/call\",\"params\":"
			      "{\"name\":\"memory_set\",\"arguments\":{\"key\":\"half\",\"val");
	want_status(bench, "half a line", server_stop(&server), 0);
	want_there(bench, "before_half");
	if (is_there(bench, "half"))
		row_violation(&bench->row, "half a message was carried out");
}

/* The input ends while answers to many messages are still to come. */
static void burst(struct bench *bench)
{
	STR_AUTO reply = STR_INIT;
	struct server server;
	unsigned answered = 0;

	start(bench, &server);
	for (unsigned i = 0; i < BURST; i++) {
		STR_AUTO arguments = STR_INIT;

		str_printf(&arguments, "{\"key\":\"burst%u\",\"value\":1,\"category\":\"state\"}",
			   i);
		if (!server_send(&server, "memory_set", arguments.ptr))
			row_fatal("the server is gone");
	}
	close(server.in);
	server.in = -1;
	for (; server_receive(&server, &reply); answered++) {
		STR_AUTO key = STR_INIT;

		str_printf(&key, "burst%u", answered);
		if (reply_is_ok(str_slice(&reply)))
			want_there(bench, key.ptr);
	}
	if (answered != BURST)
		row_violation(&bench->row, "%u messages of a burst, %u answers", BURST, answered);
	want_status(bench, "the end in a burst", server_stop(&server), 0);
}

/* Nobody reads the answers any more. */
static void closed_output(struct bench *bench)
{
	struct server server;

	start(bench, &server);
	set(bench, &server, "before_close");
	close(server.out);
	server.out = open("/dev/null", O_RDONLY | O_CLOEXEC);
	server_send(&server, "memory_set", "{\"key\":\"unread\",\"value\":1}");
	server_send(&server, "memory_set", "{\"key\":\"unread\",\"value\":2}");
	want_status(bench, "output that nobody reads", server_stop(&server), 0);
	want_there(bench, "before_close");
}

/* A handshake and a call, where the shell has redirected or closed something. */
static void odd_streams(struct bench *bench, const char *redirections, int wanted)
{
	STR_AUTO command = STR_INIT;
	int status;

	str_printf(&command,
		   "printf '%%s\\n%%s\\n' '{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\","
		   "\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
		   "\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}' "
		   "'{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
		   "\"name\":\"memory_list\",\"arguments\":{}}}' | "
		   "{ \"${KOTA:-./kota}\" serve --dir '%s' %s; } >/dev/null 2>&1",
		   bench->store, redirections);
	status = system(command.ptr);
	want_status(bench, redirections, WIFEXITED(status) ? WEXITSTATUS(status) : -1, wanted);
}

/* The number that is stored; -1 when there is none. */
static int64_t stored_number(struct bench *bench)
{
	char *text = tmpdir_read(&bench->dir, "store/patterns.json");
	struct json_fault fault;
	struct json doc;
	int64_t number = -1;

	if (text && json_parse(&doc, slice_of(text), &json_file_bounds, &fault) != 0) {
		row_violation(&bench->row, "patterns.json:%u:%u: %s", fault.line, fault.column,
			      fault.what);
	} else if (text) {
		uint32_t entry = json_member(&doc, JSON_ROOT, "count");

		if (entry != JSON_NONE)
			json_int(&doc, json_member(&doc, entry, "value"), &number);
		json_release(&doc);
	}
	free(text);
	return number;
}

static bool send_number(struct server *server, int64_t number)
{
	STR_AUTO arguments = STR_INIT;

	str_printf(&arguments, "{\"key\":\"count\",\"value\":%lld,\"category\":\"patterns\"}",
		   (long long)number);
	return server_send(server, "memory_set", arguments.ptr);
}

/* A signal at any moment of many changes; all answers that were written count. */
static void signalled(struct bench *bench, int number)
{
	struct timespec wait = {.tv_nsec = row_below(&bench->row, LONGEST_NS)};
	STR_AUTO reply = STR_INIT;
	struct server server;
	int64_t before = bench->number;
	int64_t acknowledged = bench->stored;
	int64_t stored;

	start(bench, &server);
	for (unsigned i = 0; i < BURST; i++)
		send_number(&server, ++bench->number);
	nanosleep(&wait, NULL);
	kill(server.pid, number);
	for (int64_t n = before + 1; server_receive(&server, &reply); n++) {
		if (reply_is_ok(str_slice(&reply))) {
			acknowledged = n;
			bench->acknowledged++;
		}
	}
	want_status(bench, strsignal(number), server_stop(&server), 128 + number);
	stored = stored_number(bench);
	if (stored < acknowledged || stored > bench->number)
		row_violation(&bench->row, "%lld was acknowledged, %lld is stored",
			      (long long)acknowledged, (long long)stored);
	bench->stored = stored;
	bench->signals++;
}

static void streams(struct bench *bench)
{
	half_a_line(bench);
	burst(bench);
	closed_output(bench);
	odd_streams(bench, "", 0);
	odd_streams(bench, "2>&-", 0);
	odd_streams(bench, ">/dev/full", 74);
	odd_streams(bench, ">&-", 74);
	odd_streams(bench, ">&- 2>&-", 74);
	odd_streams(bench, "<&-", 74);
	odd_streams(bench, "</", 74);
}

int main(int argc, char **argv)
{
	struct bench bench = {.number = -1, .stored = -1};
	unsigned rounds;
	unsigned mib;
	long peak;

	row_init(&bench.row, argc, argv);
	tmpdir_make(&bench.dir);
	snprintf(bench.store, sizeof bench.store, "%s/store", bench.dir.path);
	mib = bench.row.full ? 1024 : 64;
	rounds = row_times(&bench.row, 8, 400);
	peak = endless_line(&bench, mib);
	if (!row_is_over(&bench.row))
		blank_lines(&bench);
	if (!row_is_over(&bench.row))
		streams(&bench);
	for (unsigned i = 0; i < rounds && !row_is_over(&bench.row); i++)
		signalled(&bench, i % 2 ? SIGINT : SIGTERM);
	tmpdir_remove(&bench.dir);
	return row_end(&bench.row,
		       "%u MiB without a newline: %ld KiB at most; %u signals, "
		       "%u acknowledged changes there, exit status as documented",
		       mib, peak, bench.signals, bench.acknowledged);
}
