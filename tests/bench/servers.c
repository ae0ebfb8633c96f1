/*
 * Two servers side by side, as a client sees them: how long until the first reply, and how much
 * memory they have had after the same small work.
 */
#include "bench/bench.h"

#include "bench/process.h"
#include "support/tmpdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define STARTS 15
#define MEMORY_RUNS 3
#define LIST_BAR_BYTES 20000

/* Memories stored and then asked for before the memory is looked at. */
#define WORK 20

static const char initialize[] =
	"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
	"\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}"
	"}";
static const char initialized[] = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";

/* A server, and how it is told to store and to recall the n-th memory. */
struct server {
	char *const *command;
	const char *store; /* JSON of a call with %1$d for the number */
	const char *recall;
};

static const char kota_store[] = "{\"name\":\"memory_set\",\"arguments\":{\"key\":\"topic %1$d\","
				 "\"value\":\"note %1$d about the work\"}}";
static const char kota_recall[] =
	"{\"name\":\"memory_get\",\"arguments\":{\"query\":\"topic %1$d\"}}";
static const char reference_store[] =
	"{\"name\":\"create_entities\",\"arguments\":{\"entities\":[{\"name\":\"topic %1$d\","
	"\"entityType\":\"note\",\"observations\":[\"note %1$d about the work\"]}]}}";
static const char reference_recall[] =
	"{\"name\":\"search_nodes\",\"arguments\":{\"query\":\"topic %1$d\"}}";

/* Gives the servers an empty place for what they store; both read it from the environment. */
static void make_place(struct tmpdir *dir)
{
	STR_AUTO path = STR_INIT;

	tmpdir_make(dir);
	str_printf(&path, "%s/kota", dir->path);
	/* In a folder that is there a server confines itself before its first reply. */
	mkdirat(dir->fd, "kota", 0700);
	setenv("KOTA_MEMORY_DIR", path.ptr, 1);
	str_clear(&path);
	str_printf(&path, "%s/memory.jsonl", dir->path);
	setenv("MEMORY_FILE_PATH", path.ptr, 1);
}

/* Milliseconds from the start of a server to its first reply; negative when there is none. */
static double time_start(const struct server *server)
{
	struct process process;
	STR_AUTO reply = STR_INIT;
	struct tmpdir dir;
	double ms = -1;
	int64_t begin;

	make_place(&dir);
	begin = bench_now_ns();
	if (process_start(&process, server->command) == 0) {
		if (process_send(&process, initialize) == 0 && process_read(&process, &reply) == 0)
			ms = (double)(bench_now_ns() - begin) / 1e6;
		process_end(&process);
	}
	tmpdir_remove(&dir);
	return ms;
}

static int ask(const struct process *process, const char *method, const char *format, int number,
	       struct str *reply)
{
	STR_AUTO line = STR_INIT;
	char params[512];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(params, sizeof params, format, number);
#pragma GCC diagnostic pop
	str_printf(&line, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"%s\",\"params\":%s}", number,
		   method, params);
	if (process_send(process, line.ptr) != 0 || process_read(process, reply) != 0)
		return -1;
	return strstr(reply->ptr, "\"result\"") && !strstr(reply->ptr, "\"isError\":true") ? 0 : -1;
}

/* Bytes of the reply to tools/list; negative when there is none. */
static double measure_list(const struct server *server)
{
	struct process process;
	STR_AUTO reply = STR_INIT;
	struct tmpdir dir;
	double bytes = -1;

	make_place(&dir);
	if (process_start(&process, server->command) == 0) {
		if (process_send(&process, initialize) == 0 &&
		    process_read(&process, &reply) == 0 &&
		    process_send(&process, initialized) == 0 &&
		    ask(&process, "tools/list", "{}", 1, &reply) == 0)
			bytes = (double)reply.len;
		process_end(&process);
	}
	tmpdir_remove(&dir);
	return bytes;
}

static int work(const struct process *process, const struct server *server)
{
	STR_AUTO reply = STR_INIT;

	if (process_send(process, initialize) != 0 || process_read(process, &reply) != 0 ||
	    process_send(process, initialized) != 0 ||
	    ask(process, "tools/list", "{}", 1, &reply) != 0)
		return -1;
	for (int i = 2; i < WORK + 2; i++) {
		if (ask(process, "tools/call", server->store, i, &reply) != 0)
			return -1;
	}
	for (int i = 2; i < WORK + 2; i++) {
		if (ask(process, "tools/call", server->recall, i, &reply) != 0)
			return -1;
	}
	return 0;
}

/* Peak memory in KiB of one server after the work; negative when it could not be done. */
static double measure_work(const struct server *server)
{
	struct process process;
	double kib = -1;

	if (process_start(&process, server->command) == 0) {
		if (work(&process, server) == 0)
			kib = (double)process_peak_kib(&process);
		process_end(&process);
	}
	return kib;
}

/*
 * The same in a session like most: with a store that is there. The one that makes it also looks for
 * the first commit of a repository around it, and loads libgit2 for that.
 */
static double measure_memory(const struct server *server)
{
	struct tmpdir dir;
	double kib;

	make_place(&dir);
	kib = measure_work(server) > 0 ? measure_work(server) : -1;
	tmpdir_remove(&dir);
	return kib;
}

/* What is measured of both servers in turns, and how it is shown. */
struct contest {
	const char *measure;
	const char *bar;
	const char *history;
	double (*run)(const struct server *server);
	size_t runs;
	double least; /* how many times smaller ours has to be */
	double unit;  /* of the details: what is measured divided by this */
	const char *unit_name;
};

static const struct contest contests[] = {
	{"start to first reply", "<= 1/150", "off", time_start, STARTS, 150, 1, "ms"},
	{"start to first reply, with history", "<= 1/60", "own", time_start, STARTS, 60, 1, "ms"},
	{"peak memory", "<= 1/15", "off", measure_memory, MEMORY_RUNS, 15, 1024, "MiB"},
	{"peak memory, with history", "", "own", measure_memory, MEMORY_RUNS, 0, 1024, "MiB"},
};

static void compare(struct bench *bench, const struct contest *contest, const struct server *kota,
		    const struct server *reference)
{
	double ours[STARTS];
	double theirs[STARTS];
	struct bench_row *row;
	double ratio;

	setenv("KOTA_MEMORY_GIT", contest->history, 1);
	contest->run(kota); /* warms the caches up */
	contest->run(reference);
	for (size_t i = 0; i < contest->runs; i++) {
		ours[i] = contest->run(kota);
		theirs[i] = contest->run(reference);
		if (ours[i] <= 0 || theirs[i] <= 0) {
			bench_miss(bench, contest->measure, contest->bar, BENCH_FAILED,
				   ours[i] <= 0 ? "kota gave no answer"
						: "the reference gave no answer");
			return;
		}
	}
	ratio = bench_median_ratio(theirs, ours, contest->runs);
	row = bench_add(bench, contest->measure, contest->bar);
	snprintf(row->figure, sizeof row->figure, "1/%.0f", ratio);
	snprintf(row->detail, sizeof row->detail, "kota %.2f %s, reference %.1f %s",
		 bench_median(ours, contest->runs) / contest->unit, contest->unit_name,
		 bench_median(theirs, contest->runs) / contest->unit, contest->unit_name);
	row->verdict = contest->least <= 0       ? BENCH_SHOWN
		       : ratio >= contest->least ? BENCH_OK
						 : BENCH_OVER;
}

/* What a client gets to read before it can do anything. */
static void report_lists(struct bench *bench, const struct server *kota,
			 const struct server *reference)
{
	double ours = measure_list(kota);
	double theirs = reference->command ? measure_list(reference) : 0;
	struct bench_row *row = bench_add(bench, "tools/list", "< 20000 bytes");

	snprintf(row->figure, sizeof row->figure, "%.0f bytes", ours);
	if (theirs > 0)
		snprintf(row->detail, sizeof row->detail, "reference %.0f bytes", theirs);
	row->verdict = ours <= 0 || theirs < 0 ? BENCH_FAILED
		       : ours < LIST_BAR_BYTES ? BENCH_OK
					       : BENCH_OVER;
}

void bench_servers(struct bench *bench, const char *kota, char *const *reference)
{
	STR_AUTO program = STR_INIT;
	char serve_word[] = "serve";
	char *command[] = {NULL, serve_word, NULL};
	struct server ours = {command, kota_store, kota_recall};
	struct server theirs = {reference, reference_store, reference_recall};

	str_adds(&program, kota);
	command[0] = program.ptr;
	for (size_t i = 0; i < sizeof contests / sizeof contests[0]; i++) {
		if (reference)
			compare(bench, &contests[i], &ours, &theirs);
		else
			bench_miss(bench, contests[i].measure, contests[i].bar, BENCH_SKIPPED,
				   "no server to compare with");
	}
	report_lists(bench, &ours, &theirs);
}
