/*
 * Inside the server, without a client's pipes: what looking after a large memory costs.
 */
#include "bench/bench.h"

#include "bench/sample.h"
#include "mcp/dispatch.h"
#include "store/open/store.h"
#include "support/surroundings.h"
#include "tools/registry.h"

#include <stdio.h>

#define RUNS 5
#define VALUE_BYTES 200
#define COUNT(list) (sizeof(list) / sizeof(list)[0])

struct life {
	struct tmpdir dir;
	struct mcp_session *session;
	struct str reply;
};

/* A call, and how long it may take over so many entries. */
static const struct task {
	const char *name;
	size_t entries;
	const char *tool;
	const char *arguments;
	double bar_ms;
} tasks[] = {
	{"health duplicates, 1,000 entries", 1000, "memory_health", "{\"check\":\"duplicates\"}",
	 200},
	{"health clusters, 1,000 entries", 1000, "memory_health", "{\"check\":\"clusters\"}", 200},
	{"health summary, 1,000 entries", 1000, "memory_health", "{}", 200},
	{"health duplicates, 10,000 entries", 10000, "memory_health", "{\"check\":\"duplicates\"}",
	 1000},
	{"health clusters, 10,000 entries", 10000, "memory_health", "{\"check\":\"clusters\"}",
	 1000},
	{"health summary, 10,000 entries", 10000, "memory_health", "{}", 1000},
	{"optimize top_accessed, 10,000 entries", 10000, "memory_optimize", "{}", 500},
	{"optimize stale_cleanup, 10,000 entries", 10000, "memory_optimize",
	 "{\"strategy\":\"stale_cleanup\"}", 500},
	{"optimize consolidate_similar, 10,000 entries", 10000, "memory_optimize",
	 "{\"strategy\":\"consolidate_similar\",\"limit\":100000}", 500},
	{"consolidate light, 10,000 entries", 10000, "memory_consolidate", "{}", 2000},
	{"consolidate deep, 10,000 entries", 10000, "memory_consolidate", "{\"mode\":\"deep\"}",
	 2000},
	{"consolidate rem, 10,000 entries", 10000, "memory_consolidate", "{\"mode\":\"rem\"}",
	 2000},
	{"merge, groups found, 10,000 entries", 10000, "memory_merge", "{\"auto_detect\":true}",
	 2000},
};

/* Milliseconds. */
static double ask(struct life *life, const char *line)
{
	int64_t begin = bench_now_ns();

	str_clear(&life->reply);
	mcp_dispatch_line(life->session, slice_of(line), &life->reply);
	return (double)(bench_now_ns() - begin) / 1e6;
}

static double call(struct life *life, const char *tool, const char *arguments)
{
	STR_AUTO line = STR_INIT;

	str_printf(&line,
		   "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
		   "\"%s\",\"arguments\":%s}}",
		   tool, arguments);
	return ask(life, line.ptr);
}

static void open_life(struct life *life, size_t entries)
{
	str_init(&life->reply);
	tmpdir_make(&life->dir);
	sample_write(&life->dir, entries, VALUE_BYTES);
	life->session = mcp_session_new(sys_real(), surroundings_plain, life->dir.path, tools_all(),
					NULL);
	ask(life, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
		  "\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{"
		  "\"name\":\"bench\",\"version\":\"1\"}}}");
	ask(life, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
	/* What the first read of a store costs is measured elsewhere. */
	call(life, "memory_list", "{}");
}

static void close_life(struct life *life)
{
	mcp_session_free(life->session);
	tmpdir_remove(&life->dir);
	str_release(&life->reply);
}

static void measure(struct bench *bench, struct life *life, const struct task *task)
{
	struct bench_row *row;
	double times[RUNS];
	double median;
	char bar[32];

	for (size_t i = 0; i < RUNS; i++)
		times[i] = call(life, task->tool, task->arguments);
	median = bench_median(times, RUNS);
	snprintf(bar, sizeof bar, "< %.0f ms", task->bar_ms);
	if (!memmem(life->reply.ptr, life->reply.len, "\"isError\":false", 15)) {
		bench_miss(bench, task->name, bar, BENCH_FAILED, "the call was refused");
		return;
	}
	row = bench_add(bench, task->name, bar);
	snprintf(row->figure, sizeof row->figure, "%.1f ms", median);
	snprintf(row->detail, sizeof row->detail, "median of %d, slowest %.1f ms", RUNS,
		 times[RUNS - 1]);
	row->verdict = median < task->bar_ms ? BENCH_OK : BENCH_OVER;
}

void bench_life(struct bench *bench)
{
	struct life life;

	for (size_t i = 0; i < COUNT(tasks); i++) {
		bool first = i == 0 || tasks[i].entries != tasks[i - 1].entries;
		bool last = i + 1 == COUNT(tasks) || tasks[i].entries != tasks[i + 1].entries;

		if (first)
			open_life(&life, tasks[i].entries);
		measure(bench, &life, &tasks[i]);
		if (last)
			close_life(&life);
	}
}
