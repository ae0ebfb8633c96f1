/*
 * Inside the server, without a client's pipes: lines go straight to a session over a store at the
 * default limits, five categories of a hundred entries.
 */
#include "bench/bench.h"

#include "bench/sample.h"
#include "json/doc.h"
#include "mcp/dispatch.h"
#include "store/open/store.h"
#include "support/surroundings.h"
#include "tools/registry.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define ENTRIES 500

#define SETS 100

#define SET_BAR_RATIO 1.5

/* What a model pays for the tools: those of the handler document, and all of them. */
#define CORE_BAR_BYTES 3500
/* The bar of the design for all tools, as tests/tools/test_registry.c holds it. */
#define ALL_BAR_BYTES 10800

static const char *const core_tools[] = {"memory_set",           "memory_get",
					 "memory_update",        "memory_list",
					 "memory_list_archived", "memory_delete",
					 "memory_clear_state",   "memory_save_conversation_notes"};

/* Of statfs: a file system in memory, where fsync costs nothing. */
#define TMPFS_KIND 0x01021994

struct inside {
	struct tmpdir dir;
	struct mcp_session *session;
	struct str reply;
};

/* Sends a line; the answer is in inside->reply. */
static void ask(struct inside *inside, const char *line)
{
	str_clear(&inside->reply);
	mcp_dispatch_line(inside->session, slice_of(line), &inside->reply);
}

static void open_inside(struct inside *inside)
{
	str_init(&inside->reply);
	tmpdir_make(&inside->dir);
	sample_write(&inside->dir, ENTRIES, 0);
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

static bool is_core(const struct json *doc, uint32_t tool)
{
	STR_AUTO scratch = STR_INIT;
	struct slice name = json_string(doc, json_member(doc, tool, "name"), &scratch);

	for (size_t i = 0; i < sizeof core_tools / sizeof *core_tools; i++)
		if (slice_is(name, core_tools[i]))
			return true;
	return false;
}

/* Bytes of name, description and inputSchema of the listed tools, as they stand in the reply. */
static size_t count_schema_bytes(const struct json *doc, bool core, size_t *tools)
{
	static const char *const members[] = {"name", "description", "inputSchema"};
	uint32_t result = json_member(doc, JSON_ROOT, "result");
	uint32_t list = result == JSON_NONE ? JSON_NONE : json_member(doc, result, "tools");
	size_t bytes = 0;

	if (list == JSON_NONE)
		return 0;
	for (uint32_t t = json_first(doc, list); t != JSON_NONE; t = json_next(doc, t)) {
		if (core && !is_core(doc, t))
			continue;
		for (size_t i = 0; i < sizeof members / sizeof *members; i++)
			bytes += json_text(doc, json_member(doc, t, members[i])).len;
		(*tools)++;
	}
	return bytes;
}

static void report_schemas(struct bench *bench, const struct json *doc, bool core, size_t most)
{
	size_t tools = 0;
	size_t bytes = count_schema_bytes(doc, core, &tools);
	struct bench_row *row;
	char bar[32];

	snprintf(bar, sizeof bar, "< %zu bytes", most);
	row = bench_add(bench,
			core ? "name, description, inputSchema: the eight"
			     : "name, description, inputSchema: all tools",
			bar);
	snprintf(row->figure, sizeof row->figure, "%zu bytes", bytes);
	snprintf(row->detail, sizeof row->detail, "%zu tools", tools);
	row->verdict = bytes < most ? BENCH_OK : BENCH_OVER;
	if (tools == 0 || (core && tools != sizeof core_tools / sizeof *core_tools))
		row->verdict = BENCH_FAILED;
}

static void measure_schemas(struct bench *bench, struct inside *inside)
{
	struct json_fault fault;
	struct json doc;

	ask(inside, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
	if (json_parse(&doc, str_slice(&inside->reply), &json_line_bounds, &fault) != 0) {
		bench_miss(bench, "name, description, inputSchema", "", BENCH_FAILED,
			   "no list of tools");
		return;
	}
	report_schemas(bench, &doc, true, CORE_BAR_BYTES);
	report_schemas(bench, &doc, false, ALL_BAR_BYTES);
	json_release(&doc);
}

/* Replaces the value of one entry; microseconds, negative when it was refused. */
static double time_set(struct inside *inside, size_t turn)
{
	STR_AUTO line = STR_INIT;
	int64_t begin;
	double us;

	str_adds(&line, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
			"\"name\":\"memory_set\",\"arguments\":{\"key\":\"");
	sample_key(&line, 0);
	str_printf(&line, "\",\"value\":\"turn %04zu\"}}}", turn);
	begin = bench_now_ns();
	ask(inside, line.ptr);
	us = (double)(bench_now_ns() - begin) / 1e3;
	return strstr(inside->reply.ptr, "created_at") ? us : -1;
}

/* What keeping the value that is overwritten cannot do without: a line behind others, its fsync. */
static int append_bare(int dir_fd)
{
	static const char line[200] = "x";
	int fd = openat(dir_fd, "bench.jsonl", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	int rc = -1;

	if (fd < 0)
		return -1;
	if (write(fd, line, sizeof line) == (ssize_t)sizeof line && fsync(fd) == 0)
		rc = 0;
	close(fd);
	return rc;
}

/* What a durable replacement cannot do without: a new file, its fsync, the exchange, the folder's.
 */
static int replace_bare(int dir_fd, const char *text, size_t len)
{
	int fd = openat(dir_fd, ".bench.tmp", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int rc = -1;

	if (fd < 0)
		return -1;
	if (write(fd, text, len) == (ssize_t)len && fsync(fd) == 0 &&
	    renameat2(dir_fd, ".bench.tmp", dir_fd, "bench.json", RENAME_EXCHANGE) == 0 &&
	    fsync(dir_fd) == 0)
		rc = 0;
	close(fd);
	return rc;
}

/* Microseconds of the bare calls; what they displaced is removed when the clock stands. */
static double time_bare(const struct inside *inside, const struct str *text)
{
	int64_t begin = bench_now_ns();
	int rc = append_bare(inside->dir.fd) == 0
			 ? replace_bare(inside->dir.fd, text->ptr, text->len)
			 : -1;
	double us = (double)(bench_now_ns() - begin) / 1e3;

	unlinkat(inside->dir.fd, ".bench.tmp", 0);
	return rc == 0 ? us : -1;
}

/* What one left to be written later must not be paid for by the other. */
static void settle(const struct inside *inside)
{
	syncfs(inside->dir.fd);
}

/* Sets and bare calls in turns. 0, or -1 when one of them failed. */
static int time_sets(struct inside *inside, const struct str *text, double *ours, double *bare)
{
	for (size_t i = 0; i < SETS; i++) {
		settle(inside);
		ours[i] = time_set(inside, i);
		settle(inside);
		bare[i] = time_bare(inside, text);
		if (ours[i] < 0 || bare[i] < 0)
			return -1;
	}
	return 0;
}

static bool in_memory(const struct inside *inside)
{
	struct statfs fs;

	return fstatfs(inside->dir.fd, &fs) == 0 && fs.f_type == TMPFS_KIND;
}

static void measure_set(struct bench *bench, struct inside *inside)
{
	static const char measure[] = "memory_set / the bare calls";
	static const char bar[] = "<= 1.5";
	STR_AUTO text = STR_INIT;
	double ours[SETS];
	double bare[SETS];
	struct bench_row *row;
	struct stat st;
	double ratio;

	time_set(inside, 0); /* now the file has the size that it keeps */
	if (fstatat(inside->dir.fd, "preferences.json", &st, 0) == 0) {
		for (off_t i = 0; i < st.st_size; i++)
			str_addc(&text, 'x');
	}
	tmpdir_write_slice(&inside->dir, "bench.json", str_slice(&text));
	time_bare(inside, &text);
	if (text.len == 0 || time_sets(inside, &text, ours, bare) != 0) {
		bench_miss(bench, measure, bar, BENCH_FAILED, "a set or the bare calls failed");
		return;
	}
	ratio = bench_median_ratio(ours, bare, SETS);
	row = bench_add(bench, measure, bar);
	snprintf(row->figure, sizeof row->figure, "%.2f", ratio);
	snprintf(row->detail, sizeof row->detail, "set %.0f us, bare %.0f us, %zu bytes%s",
		 bench_median(ours, SETS), bench_median(bare, SETS), text.len,
		 in_memory(inside) ? "; in memory, where fsync is free" : "");
	row->verdict = ratio <= SET_BAR_RATIO ? BENCH_OK : BENCH_OVER;
}

void bench_inside(struct bench *bench)
{
	struct inside inside;

	open_inside(&inside);
	measure_schemas(bench, &inside);
	measure_set(bench, &inside);
	close_inside(&inside);
}
