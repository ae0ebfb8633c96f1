/*
 * Servers under load as a client sees them, one call of each in turn, over stores of many sizes.
 */
#include "bench/bench.h"

#include "bench/process.h"
#include "bench/sample.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CALLS_MAX 200
#define FLIGHT 16
#define FLIGHT_CALLS 60
#define PIPELINED 64
#define PIPELINED_CALLS 2000
#define FLIGHT_ROUNDS 8
#define GROWTH_FIRST 10000
#define GROWTH_LAST 100000
#define VALUE_BYTES 60

static const char initialize[] =
	"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
	"\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}"
	"}";
static const char initialized[] = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";

enum operation { GET, SEARCH, SET, OPERATIONS };

static const char *const operation_names[] = {"get", "search", "set"};

/* A server under load. */
struct contender {
	const char *name;
	char *const *command;
	void (*prepare)(const struct tmpdir *dir, size_t entries);
	void (*add_call)(struct str *out, enum operation operation, const char *key, size_t turn);
	struct tmpdir dir;
	struct process process;
	double ms[OPERATIONS][CALLS_MAX];
};

static void prepare_kota(const struct tmpdir *dir, size_t entries)
{
	if (entries)
		sample_write(dir, entries, VALUE_BYTES);
	setenv("KOTA_MEMORY_DIR", dir->path, 1);
}

static void add_kota_call(struct str *out, enum operation operation, const char *key, size_t turn)
{
	if (operation == GET)
		str_printf(out, "{\"name\":\"memory_get\",\"arguments\":{\"query\":\"%s\"}}", key);
	else if (operation == SEARCH)
		str_printf(out,
			   "{\"name\":\"memory_search\",\"arguments\":{\"query\":\"%s\","
			   "\"track_access\":false}}",
			   key);
	else
		str_printf(out,
			   "{\"name\":\"memory_set\",\"arguments\":{\"category\":\"state\","
			   "\"key\":\"load %zu\",\"value\":\"note %zu about the work\"}}",
			   turn, turn);
}

/* A knowledge graph with an entity for each entry. */
static void prepare_reference(const struct tmpdir *dir, size_t entries)
{
	STR_AUTO text = STR_INIT;
	STR_AUTO path = STR_INIT;

	for (size_t n = 0; n < entries; n++) {
		str_adds(&text, "{\"type\":\"entity\",\"name\":\"");
		sample_key(&text, n);
		str_adds(&text, "\",\"entityType\":\"note\",\"observations\":[\"");
		sample_value(&text, n, VALUE_BYTES);
		str_adds(&text, "\"]}\n");
	}
	tmpdir_write_slice(dir, "memory.jsonl", str_slice(&text));
	str_printf(&path, "%s/memory.jsonl", dir->path);
	setenv("MEMORY_FILE_PATH", path.ptr, 1);
}

static void add_reference_call(struct str *out, enum operation operation, const char *key,
			       size_t turn)
{
	if (operation != SET)
		str_printf(out, "{\"name\":\"search_nodes\",\"arguments\":{\"query\":\"%s\"}}",
			   key);
	else
		str_printf(out,
			   "{\"name\":\"create_entities\",\"arguments\":{\"entities\":[{"
			   "\"name\":\"load %zu\",\"entityType\":\"note\",\"observations\":["
			   "\"note %zu about the work\"]}]}}",
			   turn, turn);
}

static void prepare_nothing(const struct tmpdir *dir, size_t entries)
{
	(void)dir;
	(void)entries;
}

static void add_line(struct str *out, const struct contender *c, enum operation operation,
		     size_t entries, size_t turn)
{
	STR_AUTO key = STR_INIT;

	sample_key(&key, entries ? turn * 37 % entries : turn);
	str_printf(out, "{\"jsonrpc\":\"2.0\",\"id\":%zu,\"method\":\"tools/call\",\"params\":",
		   turn + 1);
	c->add_call(out, operation, key.ptr, turn);
	str_addc(out, '}');
}

/* Milliseconds of one call; negative when it failed. */
static double time_call(const struct contender *c, enum operation operation, size_t entries,
			size_t turn)
{
	STR_AUTO line = STR_INIT;
	STR_AUTO reply = STR_INIT;
	int64_t begin;

	add_line(&line, c, operation, entries, turn);
	begin = bench_now_ns();
	if (process_send(&c->process, line.ptr) != 0 || process_read(&c->process, &reply) != 0 ||
	    !strstr(reply.ptr, "\"result\"") || strstr(reply.ptr, "\"isError\":true"))
		return -1;
	return (double)(bench_now_ns() - begin) / 1e6;
}

static int open_contender(struct contender *c, size_t entries)
{
	STR_AUTO reply = STR_INIT;

	tmpdir_make(&c->dir);
	c->prepare(&c->dir, entries);
	if (process_start(&c->process, c->command) != 0) {
		tmpdir_remove(&c->dir);
		return -1;
	}
	if (process_send(&c->process, initialize) == 0 && process_read(&c->process, &reply) == 0 &&
	    process_send(&c->process, initialized) == 0)
		return 0;
	process_end(&c->process);
	tmpdir_remove(&c->dir);
	return -1;
}

static void close_contender(struct contender *c)
{
	process_end(&c->process);
	tmpdir_remove(&c->dir);
}

/* Fewer calls where each of them takes long. */
static size_t calls_at(size_t entries)
{
	if (entries <= 500)
		return CALLS_MAX;
	return entries <= 3000 ? 50 : entries <= 10000 ? 20 : 5;
}

static int time_operation(struct contender *a, struct contender *b, enum operation o,
			  size_t entries)
{
	for (size_t i = 0; i < calls_at(entries) + 2; i++) {
		size_t at = i < 2 ? 0 : i - 2; /* the first ones read and build */

		a->ms[o][at] = time_call(a, o, entries, i);
		b->ms[o][at] = time_call(b, o, entries, i);
		if (a->ms[o][at] < 0 || b->ms[o][at] < 0)
			return -1;
	}
	return 0;
}

static int time_all(struct contender *a, struct contender *b, size_t entries)
{
	for (int o = GET; o < OPERATIONS; o++)
		if (time_operation(a, b, (enum operation)o, entries) != 0)
			return -1;
	return 0;
}

/* What has a bar: how many times faster than the reference. */
static double bar_of(enum operation operation, size_t entries)
{
	if (operation != SET)
		return entries == 130 ? 20 : 0;
	return entries == 130 ? 1.5 : entries == 3000 ? 4 : 0;
}

static void report(struct bench *bench, struct contender *a, struct contender *b, int o,
		   size_t entries)
{
	size_t count = calls_at(entries);
	double ratio = bench_median_ratio(b->ms[o], a->ms[o], count);
	double least = bar_of((enum operation)o, entries);
	double ours = bench_median(a->ms[o], count);
	double theirs = bench_median(b->ms[o], count);
	char measure[48];
	char bar[32] = "";
	struct bench_row *row;

	snprintf(measure, sizeof measure, "%s, %zu entries", operation_names[o], entries);
	if (least > 0)
		snprintf(bar, sizeof bar, ">= %g x", least);
	row = bench_add(bench, measure, bar);
	snprintf(row->figure, sizeof row->figure, "%.1f x", ratio);
	snprintf(row->detail, sizeof row->detail,
		 "p50/p95/p99 %s %.3f/%.3f/%.3f ms, %s %.2f/%.2f/%.2f ms", a->name, ours,
		 bench_percentile(a->ms[o], count, 95), bench_percentile(a->ms[o], count, 99),
		 b->name, theirs, bench_percentile(b->ms[o], count, 95),
		 bench_percentile(b->ms[o], count, 99));
	row->verdict = least > 0 ? (ratio >= least ? BENCH_OK : BENCH_OVER) : BENCH_SHOWN;
}

static void compare_at(struct bench *bench, struct contender *a, struct contender *b,
		       size_t entries)
{
	int result = -1;

	if (open_contender(a, entries) == 0) {
		if (open_contender(b, entries) == 0) {
			result = time_all(a, b, entries);
			close_contender(b);
		}
		close_contender(a);
	}
	for (int o = GET; result == 0 && o < OPERATIONS; o++)
		report(bench, a, b, o, entries);
	if (result != 0)
		bench_miss(bench, b->name, "", BENCH_FAILED, "a server gave no right answer");
}

/* How many times faster than the reference a server is that does nothing. */
static void report_floor(struct bench *bench, struct contender *floor, struct contender *theirs)
{
	size_t count = calls_at(130);
	struct bench_row *row;
	int result = -1;

	if (open_contender(floor, 130) == 0) {
		if (open_contender(theirs, 130) == 0) {
			result = time_operation(floor, theirs, GET, 130);
			close_contender(theirs);
		}
		close_contender(floor);
	}
	if (result != 0) {
		bench_miss(bench, "get, 130 entries: echo", "", BENCH_FAILED, "no right answer");
		return;
	}
	row = bench_add(bench, "get, 130 entries: echo", "");
	snprintf(row->figure, sizeof row->figure, "%.1f x",
		 bench_median_ratio(theirs->ms[GET], floor->ms[GET], count));
	snprintf(row->detail, sizeof row->detail, "p50 echo %.3f ms, reference %.2f ms",
		 bench_median(floor->ms[GET], count), bench_median(theirs->ms[GET], count));
	row->verdict = BENCH_SHOWN;
}

/* Reads so many lines into *reply, which is cleared first. 0 or -1. */
static int read_lines(const struct process *process, size_t lines, struct str *reply)
{
	struct pollfd waiting = {.fd = process->from, .events = POLLIN};
	char buffer[65536];

	str_clear(reply);
	while (lines > 0) {
		ssize_t got = poll(&waiting, 1, 30000) == 1
				      ? read(process->from, buffer, sizeof buffer)
				      : -1;

		if (got <= 0)
			return -1;
		for (ssize_t i = 0; i < got && lines > 0; i++)
			lines -= buffer[i] == '\n';
		str_add(reply, slice_make(buffer, (size_t)got));
	}
	return 0;
}

/* Sends calls in batches of so many before it reads their replies. */
static int pipeline(const struct contender *c, enum operation operation, size_t entries,
		    size_t calls, size_t in_flight)
{
	STR_AUTO reply = STR_INIT;

	for (size_t done = 0; done < calls; done += in_flight) {
		size_t batch = calls - done < in_flight ? calls - done : in_flight;
		STR_AUTO lines = STR_INIT;

		for (size_t i = 0; i < batch; i++) {
			if (i)
				str_addc(&lines, '\n');
			add_line(&lines, c, operation, entries, done + i);
		}
		if (process_send(&c->process, lines.ptr) != 0 ||
		    read_lines(&c->process, batch, &reply) != 0)
			return -1;
	}
	return 0;
}

/* Calls a second when many wait; negative when it could not be measured. */
static double throughput(struct contender *c, size_t calls)
{
	int64_t begin;
	double rate = -1;

	if (open_contender(c, 500) != 0)
		return -1;
	if (pipeline(c, GET, 500, PIPELINED, PIPELINED) == 0) {
		begin = bench_now_ns();
		if (pipeline(c, GET, 500, calls, PIPELINED) == 0)
			rate = (double)calls * 1e9 / (double)(bench_now_ns() - begin);
	}
	close_contender(c);
	return rate;
}

static void report_throughput(struct bench *bench, struct contender *c, size_t calls)
{
	char measure[48];
	struct bench_row *row;
	double rate = throughput(c, calls);

	snprintf(measure, sizeof measure, "pipelined gets, 500 entries: %s", c->name);
	row = bench_add(bench, measure, "");
	snprintf(row->figure, sizeof row->figure, "%.0f /s", rate);
	snprintf(row->detail, sizeof row->detail, "%d in flight", PIPELINED);
	row->verdict = rate > 0 ? BENCH_SHOWN : BENCH_FAILED;
}

/* How many of the memories that were stored with many calls in flight are there afterwards. */
static int count_kept(const struct contender *c, const char *question)
{
	STR_AUTO reply = STR_INIT;
	int kept = 0;

	if (pipeline(c, SET, 0, FLIGHT_CALLS, FLIGHT) != 0 ||
	    process_send(&c->process, question) != 0 || read_lines(&c->process, 1, &reply) != 0)
		return -1;
	for (size_t turn = 0; turn < FLIGHT_CALLS; turn++) {
		char part[64];

		snprintf(part, sizeof part, "load %zu\\\"", turn);
		kept += strstr(reply.ptr, part) != NULL;
	}
	return kept;
}

static void report_kept(struct bench *bench, struct contender *c, const char *question, bool bar)
{
	char measure[48];
	struct bench_row *row;
	int kept = -1;

	if (open_contender(c, 0) == 0) {
		kept = count_kept(c, question);
		close_contender(c);
	}
	snprintf(measure, sizeof measure, "kept, %d calls in flight: %s", FLIGHT, c->name);
	row = bench_add(bench, measure, bar ? "60 of 60" : "");
	snprintf(row->figure, sizeof row->figure, "%d of %d", kept, FLIGHT_CALLS);
	row->verdict = kept < 0     ? BENCH_FAILED
		       : !bar       ? BENCH_SHOWN
		       : kept == 60 ? BENCH_OK
				    : BENCH_OVER;
}

/* Many calls of which every hundredth changes something. */
static int mix(const struct contender *c, size_t calls)
{
	for (size_t done = 0; done < calls; done += 100) {
		STR_AUTO line = STR_INIT;
		STR_AUTO reply = STR_INIT;

		if (pipeline(c, GET, 500, 99, PIPELINED) != 0)
			return -1;
		add_line(&line, c, SET, 0, done / 100 % 50);
		if (process_send(&c->process, line.ptr) != 0 ||
		    process_read(&c->process, &reply) != 0)
			return -1;
	}
	return 0;
}

/* Memory after many calls, against memory after a tenth of them. */
static void report_growth(struct bench *bench, struct contender *c)
{
	struct bench_row *row = bench_add(bench, "memory after 100,000 calls", "<= 1.05");
	long first = -1;
	long last = -1;

	row->verdict = BENCH_FAILED;
	if (open_contender(c, 500) != 0)
		return;
	if (mix(c, GROWTH_FIRST) == 0) {
		first = process_rss_kib(&c->process);
		if (mix(c, GROWTH_LAST - GROWTH_FIRST) == 0)
			last = process_rss_kib(&c->process);
	}
	close_contender(c);
	if (first <= 0 || last <= 0)
		return;
	snprintf(row->figure, sizeof row->figure, "%.3f", (double)last / (double)first);
	snprintf(row->detail, sizeof row->detail, "%ld KiB after %d calls, %ld KiB after %d", first,
		 GROWTH_FIRST, last, GROWTH_LAST);
	row->verdict = (double)last <= 1.05 * (double)first ? BENCH_OK : BENCH_OVER;
}

/* How many times as fast so many sets are, with a history, when none waits for the reply before. */
static double compare_flight(struct contender *c, double ratios[FLIGHT_ROUNDS], double ms[2])
{
	double sums[2] = {0, 0};

	if (pipeline(c, SET, 0, PIPELINED, 1) != 0)
		return -1;
	for (size_t round = 0; round < FLIGHT_ROUNDS; round++) {
		static const size_t in_flight[2] = {1, PIPELINED};
		double took[2];

		for (size_t i = 0; i < 2; i++) {
			int64_t begin = bench_now_ns();

			if (pipeline(c, SET, 0, PIPELINED, in_flight[i]) != 0)
				return -1;
			took[i] = (double)(bench_now_ns() - begin);
			sums[i] += took[i];
		}
		ratios[round] = took[0] / took[1];
	}
	for (size_t i = 0; i < 2; i++)
		ms[i] = sums[i] / FLIGHT_ROUNDS / PIPELINED / 1e6;
	return bench_median(ratios, FLIGHT_ROUNDS);
}

static void report_flight(struct bench *bench, struct contender *c)
{
	struct bench_row *row = bench_add(bench, "sets in flight / one at a time", ">= 5 x");
	double ratios[FLIGHT_ROUNDS];
	double ms[2];
	double ratio = -1;

	setenv("KOTA_MEMORY_GIT", "own", 1);
	if (open_contender(c, 0) == 0) {
		ratio = compare_flight(c, ratios, ms);
		close_contender(c);
	}
	setenv("KOTA_MEMORY_GIT", "off", 1);
	row->verdict = BENCH_FAILED;
	if (ratio < 0)
		return;
	snprintf(row->figure, sizeof row->figure, "%.1f x", ratio);
	snprintf(row->detail, sizeof row->detail,
		 "with history: %.2f ms a set alone, %.2f ms with %d in flight", ms[0], ms[1],
		 PIPELINED);
	row->verdict = ratio >= 5 ? BENCH_OK : BENCH_OVER;
}

/* ---- the table */

static const char list_state[] =
	"{\"jsonrpc\":\"2.0\",\"id\":999,\"method\":\"tools/call\",\"params\":{\"name\":"
	"\"memory_list\",\"arguments\":{\"category\":\"state\"}}}";
static const char read_graph[] =
	"{\"jsonrpc\":\"2.0\",\"id\":999,\"method\":\"tools/call\",\"params\":{\"name\":"
	"\"read_graph\",\"arguments\":{}}}";

void bench_load(struct bench *bench, char *const *kota, char *const *echo, char *const *reference)
{
	static const size_t sizes[] = {0, 130, 500, 3000, 10000, 100000};
	static struct contender ours;
	static struct contender floor;
	static struct contender theirs;

	ours = (struct contender){.name = "kota",
				  .command = kota,
				  .prepare = prepare_kota,
				  .add_call = add_kota_call};
	floor = (struct contender){.name = "echo",
				   .command = echo,
				   .prepare = prepare_nothing,
				   .add_call = add_kota_call};
	theirs = (struct contender){.name = "reference",
				    .command = reference,
				    .prepare = prepare_reference,
				    .add_call = add_reference_call};
	setenv("KOTA_MEMORY_GIT", "off", 1);
	for (size_t i = 0; reference && i < sizeof sizes / sizeof *sizes; i++)
		compare_at(bench, &ours, &theirs, sizes[i]);
	if (reference)
		report_floor(bench, &floor, &theirs);
	else
		bench_miss(bench, "get, search and set under load", "", BENCH_SKIPPED,
			   "no server to compare with");
	report_throughput(bench, &ours, PIPELINED_CALLS);
	report_throughput(bench, &floor, PIPELINED_CALLS);
	if (reference)
		report_throughput(bench, &theirs, PIPELINED_CALLS / 10);
	report_kept(bench, &ours, list_state, true);
	if (reference)
		report_kept(bench, &theirs, read_graph, false);
	report_flight(bench, &ours);
	report_growth(bench, &ours);
}
