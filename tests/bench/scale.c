/*
 * Inside the server, without a client's pipes, over stores from the default size to two hundred
 * times that: how long memory_get takes by the way of asking, what a change costs, and how a lookup
 * compares with one pass over the bytes of all keys.
 */
#include "bench/bench.h"

#include "bench/sample.h"
#include "lookup/lookup.h"
#include "mcp/dispatch.h"
#include "store/open/store.h"
#include "support/surroundings.h"
#include "tools/registry.h"

#include <stdio.h>

#define GETS_MAX 100
#define PASSES 20
#define PASS_BAR 15

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

struct scale {
	size_t entries;
	size_t value_bytes;
	size_t gets;
	double bar_ms;
};

static const struct scale scales[] = {
	{500, 60, 100, 0.2}, {10000, 500, 50, 2}, {100000, 1000, 20, 20}};

struct inside {
	struct tmpdir dir;
	struct mcp_session *session;
	struct str reply;
};

static void add_unknown(struct str *out, size_t n)
{
	str_printf(out, "zzyzx%zu wxqq", n);
}

static void add_null(struct str *out, size_t n)
{
	(void)n;
	str_adds(out, "\"result\":null");
}

/* A way of asking, and what is in a right reply. */
static const struct question {
	const char *name;
	void (*add_query)(struct str *out, size_t n);
	void (*add_answer)(struct str *out, size_t n);
	const char *tool;
	bool bar;
} questions[] = {
	{"get, exact key", sample_key, sample_key, "memory_get", true},
	{"get, typo", sample_typo, sample_key, "memory_get", true},
	{"get, word of the value", sample_name, sample_name, "memory_get", true},
	{"get, no match", add_unknown, add_null, "memory_get", true},
	{"search", sample_key, sample_key, "memory_search", false},
};

/* Sends a line; milliseconds. */
static double ask(struct inside *inside, const char *line)
{
	int64_t begin = bench_now_ns();

	str_clear(&inside->reply);
	mcp_dispatch_line(inside->session, slice_of(line), &inside->reply);
	return (double)(bench_now_ns() - begin) / 1e6;
}

static double call(struct inside *inside, const char *name, const char *arguments)
{
	STR_AUTO line = STR_INIT;

	str_printf(&line,
		   "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
		   "\"name\":\"%s\",\"arguments\":%s}}",
		   name, arguments);
	return ask(inside, line.ptr);
}

static void open_inside(struct inside *inside, const struct scale *scale)
{
	str_init(&inside->reply);
	tmpdir_make(&inside->dir);
	sample_write(&inside->dir, scale->entries, scale->value_bytes);
	inside->session = mcp_session_new(sys_real(), surroundings_plain, inside->dir.path,
					  tools_all(), NULL);
	ask(inside, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
		    "\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{"
		    "\"name\":\"bench\",\"version\":\"1\"}}}");
	ask(inside, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
}

static void close_inside(struct inside *inside)
{
	mcp_session_free(inside->session);
	tmpdir_remove(&inside->dir);
	str_release(&inside->reply);
}

static double time_get(struct inside *inside, const struct question *question, size_t n,
		       bool *right)
{
	STR_AUTO arguments = STR_INIT;
	STR_AUTO answer = STR_INIT;
	double ms;

	str_adds(&arguments, "{\"query\":\"");
	question->add_query(&arguments, n);
	str_adds(&arguments, "\"}");
	question->add_answer(&answer, n);
	ms = call(inside, question->tool, arguments.ptr);
	*right = strstr(inside->reply.ptr, answer.ptr) != NULL;
	return ms;
}

static void measure_gets(struct bench *bench, struct inside *inside, const struct scale *scale,
			 const struct question *question)
{
	double ms[GETS_MAX];
	size_t right = 0;
	char measure[48];
	char bar[32] = "";
	struct bench_row *row;
	double median;
	bool is_right;

	for (size_t i = 0; i < scale->gets; i++) {
		ms[i] = time_get(inside, question, i * 3701 % scale->entries, &is_right);
		right += is_right;
	}
	snprintf(measure, sizeof measure, "inside, %zu: %s", scale->entries, question->name);
	if (question->bar)
		snprintf(bar, sizeof bar, "<= %g ms", scale->bar_ms);
	row = bench_add(bench, measure, bar);
	median = bench_median(ms, scale->gets);
	snprintf(row->figure, sizeof row->figure, "%.3f ms", median);
	snprintf(row->detail, sizeof row->detail,
		 "p95/p99 %.3f/%.3f ms, %zu of %zu answers are right",
		 bench_percentile(ms, scale->gets, 95), bench_percentile(ms, scale->gets, 99),
		 right, scale->gets);
	row->verdict = !question->bar            ? BENCH_SHOWN
		       : median <= scale->bar_ms ? BENCH_OK
						 : BENCH_OVER;
}

/* The first get, which reads and builds everything; a change; and the get after it. */
static void measure_changes(struct bench *bench, struct inside *inside, const struct scale *scale)
{
	double sets[10];
	double gets[10];
	char measure[48];
	struct bench_row *row;

	for (int i = 0; i < 10; i++) {
		STR_AUTO arguments = STR_INIT;

		str_printf(&arguments,
			   "{\"category\":\"state\",\"key\":\"changed\",\"value\":\"turn %d\"}", i);
		sets[i] = call(inside, "memory_set", arguments.ptr);
		gets[i] = call(inside, "memory_get", "{\"query\":\"changed\"}");
	}
	snprintf(measure, sizeof measure, "inside, %zu: set, and the get after", scale->entries);
	row = bench_add(bench, measure, "");
	snprintf(row->figure, sizeof row->figure, "%.2f ms", bench_median(sets, 10));
	snprintf(row->detail, sizeof row->detail, "then %.2f ms; the file has %zu bytes",
		 bench_median(gets, 10), scale->entries / 5 * (scale->value_bytes + 100));
	row->verdict = BENCH_SHOWN;
}

static void measure_scale(struct bench *bench, const struct scale *scale)
{
	struct inside inside;
	struct bench_row *row;
	char measure[48];
	double first;

	open_inside(&inside, scale);
	first = call(&inside, "memory_get", "{\"query\":\"editor theme\"}");
	snprintf(measure, sizeof measure, "inside, %zu: first get", scale->entries);
	row = bench_add(bench, measure, "");
	snprintf(row->figure, sizeof row->figure, "%.1f ms", first);
	snprintf(row->detail, sizeof row->detail, "reads the files, builds the index");
	row->verdict = BENCH_SHOWN;
	for (size_t q = 0; q < COUNT(questions); q++)
		measure_gets(bench, &inside, scale, &questions[q]);
	measure_changes(bench, &inside, scale);
	close_inside(&inside);
}

/* Milliseconds of one pass over the bytes, eight at a time. */
static double time_pass(const struct str *keys, uint64_t *sum)
{
	int64_t begin = bench_now_ns();

	for (size_t i = 0; i + sizeof *sum <= keys->len; i += sizeof *sum) {
		uint64_t word;

		memcpy(&word, keys->ptr + i, sizeof word);
		*sum += word;
	}
	return (double)(bench_now_ns() - begin) / 1e6;
}

static double time_lookup(struct lookup *index, size_t n)
{
	STR_AUTO query = STR_INIT;
	struct lookup_answer answer;
	int64_t begin;

	sample_typo(&query, n);
	begin = bench_now_ns();
	lookup_find(index, str_slice(&query), LOOKUP_ANY_SCOPE, &answer);
	return (double)(bench_now_ns() - begin) / 1e6;
}

/* A misspelt key against one pass over all keys, in turns. */
static void measure_pass(struct bench *bench)
{
	struct lookup *index = lookup_new(NULL, 0);
	STR_AUTO keys = STR_INIT;
	double lookups[PASSES];
	double passes[PASSES];
	struct bench_row *row;
	uint64_t sum = 0;
	double ratio;

	for (size_t n = 0; n < SAMPLE_MAX; n++) {
		STR_AUTO key = STR_INIT;

		sample_key(&key, n);
		str_add(&keys, str_slice(&key));
		lookup_add(index, &(struct lookup_item){.key = str_slice(&key),
							.value = slice_of("\"short\""),
							.ref = str_slice(&key)});
	}
	for (size_t i = 0; i < PASSES; i++) {
		time_pass(&keys, &sum);
		passes[i] = time_pass(&keys, &sum);
		lookups[i] = time_lookup(index, i * 3701 % SAMPLE_MAX);
	}
	lookup_free(index);
	ratio = bench_median_ratio(lookups, passes, PASSES);
	row = bench_add(bench, "typo, 100,000 keys / a pass over their bytes", "<= 15");
	snprintf(row->figure, sizeof row->figure, "%.1f", ratio);
	snprintf(row->detail, sizeof row->detail, "%.3f ms, pass %.3f ms over %zu bytes%s",
		 bench_median(lookups, PASSES), bench_median(passes, PASSES), keys.len,
		 sum ? "" : " ");
	row->verdict = ratio <= PASS_BAR ? BENCH_OK : BENCH_OVER;
}

void bench_scale(struct bench *bench)
{
	for (size_t i = 0; i < COUNT(scales); i++)
		measure_scale(bench, &scales[i]);
	measure_pass(bench);
}
