/*
 * The order of calls of each operation: no fsync is missing, and none is there in vain.
 *
 * A killed process keeps what the kernel has taken, so that a missing fsync is seen by a power cut
 * alone, and only where the cut happens to fall. Here each operation runs once under the table of
 * fake_sys.h and its trace is held against the rules of durable.h; then once more for each fsync,
 * as if that one had not been made, which the rules have to notice: a fsync whose absence they do
 * not notice is one that the program can do without, or a rule is missing.
 */
#include "base/file.h"
#include "store/open/store.h"
#include "support/fake_sys.h"
#include "support/surroundings.h"
#include "support/tmpdir.h"
#include "tools/registry.h"
#include "torture/durable.h"
#include "torture/row.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NOW INT64_C(1795249800000)
#define COLD_FILE "store/archive.cold/2026-11.jsonl"
#define NOTES "{\"summary\":\"s\"}"

/* Nine in a row reach the limits of this. */
#define CONFIG "{\"limits\":{\"entries_per_category\":4,\"total_bytes\":1500}}\n"

struct bench {
	struct row row;
	struct tmpdir dir;
	struct store *store;
	unsigned operations;
	unsigned fsyncs;
};

/* Without the history, whose library makes calls of its own. */
static void open_store(struct bench *bench, const char *name)
{
	STR_AUTO path = STR_INIT;
	struct err err;

	str_printf(&path, "%s/%s", bench->dir.path, name);
	if (store_open(&bench->store, fake_sys(), surroundings_plain, path.ptr, &err) != 0) {
		printf("cannot go on: %s\n", err.text);
		exit(2);
	}
	/* The person's own, where links may lead out. */
	store_disk(bench->store)->origin.kind = ORIGIN_OWN;
	store_disk(bench->store)->origin.personal = true;
}

/* A fresh directory, and in it the store's, unless it is to be made by the operation. */
static void begin(struct bench *bench, const char *name, bool made)
{
	fake_sys_reset(NOW);
	tmpdir_make(&bench->dir);
	fake_sys_root(bench->dir.path);
	if (made && mkdirat(bench->dir.fd, name, 0700) != 0)
		row_fatal(name);
	open_store(bench, name);
}

static void end(struct bench *bench)
{
	store_close(bench->store);
	tmpdir_remove(&bench->dir);
}

/* Runs an operation a minute after the last one; true when it is acknowledged. */
static bool run(struct bench *bench, const char *command, const char *arguments)
{
	const struct tool *tool = tool_find_command(tools_all(), slice_of(command));
	STR_AUTO reply = STR_INIT;
	struct arena arena = ARENA_INIT;
	struct call call = {.store = bench->store, .client = "test", .arena = &arena};
	struct json_fault fault;
	struct json doc = {0};
	struct err err;
	int result;

	fake_sys_set_now(fake_sys_now() + 60 * 1000);
	call.now_ms = fake_sys_now();
	call.tool = tool->name;
	if (json_parse(&doc, slice_of(arguments), &json_line_bounds, &fault) != 0)
		row_fatal(arguments);
	result = tool_run(tool, &call, &doc, JSON_ROOT, &reply, &err);
	json_release(&doc);
	arena_release(&arena);
	return result == 0;
}

static void prepare(struct bench *bench, const char *command, const char *arguments)
{
	if (!run(bench, command, arguments))
		row_violation(&bench->row, "%s %s is refused", command, arguments);
}

static void set_many(struct bench *bench, unsigned first, unsigned count)
{
	for (unsigned i = first; i < first + count; i++) {
		STR_AUTO arguments = STR_INIT;

		str_printf(&arguments, "{\"key\":\"k%u\",\"category\":\"state\",\"value\":%u}", i,
			   i);
		prepare(bench, "set", arguments.ptr);
	}
}

static struct durable_start look(const struct bench *bench)
{
	return (struct durable_start){
		.cold_file = tmpdir_has(&bench->dir, COLD_FILE),
		.journal = tmpdir_has(&bench->dir, "store/.journal"),
	};
}

/* Drops each fsync in turn. */
static void drop_each(struct bench *bench, const char *what, const struct durable_start *start)
{
	size_t count;
	const struct fake_event *trace = fake_sys_trace(&count);
	unsigned number = 0;

	for (size_t i = 0; i < count; i++) {
		size_t at;

		if (trace[i].call != FAKE_FSYNC)
			continue;
		number++;
		if (!durable_fault(trace, count, start, i, &at))
			row_violation(&bench->row, "%s: fsync %u, of %s, is not missed", what,
				      number, trace[i].path);
	}
	bench->fsyncs += number;
}

/* Holds the trace of what has just run against the rules. */
static void judge(struct bench *bench, const char *what, const struct durable_start *start)
{
	size_t count;
	const struct fake_event *trace = fake_sys_trace(&count);
	size_t without = bench->row.plant ? DURABLE_ALL : DURABLE_NONE;
	size_t at;
	const char *fault = durable_fault(trace, count, start, without, &at);

	bench->operations++;
	if (fault)
		row_violation(&bench->row, "%s: %s, at call %zu%s%s", what, fault, at,
			      at < count ? " about " : "", at < count ? trace[at].path : "");
	else
		drop_each(bench, what, start);
	if (getenv("TORTURE_TRACE")) {
		STR_AUTO text = STR_INIT;

		fake_sys_print(&text);
		printf("---- %s\n%s", what, text.ptr);
	}
}

static void check_from(struct bench *bench, const char *what, const char *command,
		       const char *arguments, const struct durable_start *start)
{
	fake_sys_clear_trace();
	if (!run(bench, command, arguments))
		row_violation(&bench->row, "%s is refused", what);
	judge(bench, what, start);
}

static void check(struct bench *bench, const char *what, const char *command, const char *arguments)
{
	struct durable_start start = look(bench);

	check_from(bench, what, command, arguments, &start);
}

/* ---- the operations */

static void new_store(struct bench *bench)
{
	begin(bench, "store", false);
	check(bench, "set in a new store", "set", "{\"key\":\"a\",\"value\":1}");
	end(bench);
	begin(bench, "a/b/store", false);
	check(bench, "set in a new store below new directories", "set",
	      "{\"key\":\"a\",\"value\":1}");
	end(bench);
}

static void one_file(struct bench *bench)
{
	begin(bench, "store", true);
	set_many(bench, 0, 2);
	check(bench, "set of a new key", "set", "{\"key\":\"n\",\"value\":1}");
	check(bench, "set of a new file", "set",
	      "{\"key\":\"n\",\"value\":1,\"category\":\"patterns\"}");
	check(bench, "set of a key that is there", "set", "{\"key\":\"n\",\"value\":2}");
	check(bench, "the same again", "set", "{\"key\":\"n\",\"value\":3}");
	check(bench, "update", "update", "{\"key\":\"n\",\"addition\":4}");
	check(bench, "notes", "notes", NOTES);
	end(bench);
}

static void several_files(struct bench *bench)
{
	begin(bench, "store", true);
	set_many(bench, 0, 4);
	check(bench, "first delete", "delete", "{\"key\":\"k0\"}");
	check(bench, "delete", "delete", "{\"key\":\"k1\"}");
	prepare(bench, "notes", NOTES);
	check(bench, "notes once more", "notes", NOTES);
	check(bench, "move", "mv", "{\"key\":\"k2\",\"new\":\"patterns:k2\"}");
	check(bench, "clear-state", "clear-state", "{}");
	end(bench);
}

static void limits(struct bench *bench)
{
	begin(bench, "store", true);
	tmpdir_write(&bench->dir, "store/config.json", CONFIG);
	set_many(bench, 0, 4);
	check(bench, "eviction", "set", "{\"key\":\"n\",\"value\":1,\"category\":\"state\"}");
	set_many(bench, 10, 3);
	check(bench, "eviction to the cold archive", "set",
	      "{\"key\":\"o\",\"value\":1,\"category\":\"state\"}");
	set_many(bench, 20, 3);
	check(bench, "the same again", "set", "{\"key\":\"p\",\"value\":1,\"category\":\"state\"}");
	end(bench);
}

/* A file that is kept elsewhere and is linked. */
static void link_state(struct bench *bench)
{
	if (mkdirat(bench->dir.fd, "elsewhere", 0700) != 0 ||
	    symlinkat("../elsewhere/s.json", bench->dir.fd, "store/state.json") != 0)
		row_fatal("symlinkat");
	tmpdir_write(&bench->dir, "elsewhere/s.json", "{\n  \"task\": 1\n}\n");
}

static void linked(struct bench *bench)
{
	begin(bench, "store", true);
	link_state(bench);
	prepare(bench, "set", "{\"key\":\"editor\",\"value\":1,\"category\":\"preferences\"}");
	check(bench, "set in a linked file", "set",
	      "{\"key\":\"n\",\"value\":1,\"category\":\"state\"}");
	check(bench, "delete from a linked file", "delete", "{\"key\":\"task\"}");
	end(bench);
}

/* ---- what a killed process left */

static int clear_in_child(void *context)
{
	struct bench *bench = context;

	return run(bench, "clear-state", "{}") ? 0 : 1;
}

/* Dies before the n-th such call of a memory_clear_state, and looks at what finishes it. */
static bool recover(struct bench *bench, enum fake_call call, unsigned nth, bool link)
{
	STR_AUTO what = STR_INIT;
	struct durable_start start;
	int status;

	begin(bench, "store", true);
	if (link)
		link_state(bench);
	set_many(bench, 0, 2);
	prepare(bench, "delete", "{\"key\":\"k0\"}");
	prepare(bench, "set", "{\"key\":\"e\",\"value\":1,\"category\":\"preferences\"}");
	fake_sys_die(call, nth, 99);
	status = fake_sys_in_child(clear_in_child, bench);
	store_close(bench->store);
	fake_sys_reset(NOW + INT64_C(3600) * 1000);
	fake_sys_root(bench->dir.path);
	open_store(bench, "store");
	start = look(bench);
	/* Once the journal is there, files may have been changed. */
	if (start.journal) {
		start.unsynced[0] = "store";
		start.unsynced[1] = link ? "elsewhere" : NULL;
	}
	str_printf(&what, "change after a kill at %s %u%s", call == FAKE_FSYNC ? "fsync" : "rename",
		   nth, link ? " of a linked file" : "");
	if (status == 99)
		check_from(bench, what.ptr, "set",
			   "{\"key\":\"e\",\"value\":2,\"category\":\"preferences\"}", &start);
	end(bench);
	return status == 99;
}

static void recoveries(struct bench *bench)
{
	static const enum fake_call calls[] = {FAKE_RENAMEAT2, FAKE_FSYNC};

	for (unsigned i = 0; i < 4; i++) {
		for (unsigned n = 1; recover(bench, calls[i / 2], n, i % 2); n++)
			;
	}
}

int main(int argc, char **argv)
{
	static void (*const groups[])(struct bench *) = {
		new_store, one_file, several_files, limits, linked, recoveries,
	};
	struct bench bench = {.operations = 0};
	unsigned missed;

	row_init(&bench.row, argc, argv);
	setenv("TZ", "UTC0", 1);
	tzset();
	for (size_t i = 0; i < sizeof groups / sizeof *groups && !row_is_over(&bench.row); i++)
		groups[i](&bench);
	missed = bench.row.violations;
	fake_sys_release();
	return row_end(&bench.row, "%u operations, %u fsyncs, each one missed when it is dropped%s",
		       bench.operations, bench.fsyncs, missed ? ": no" : "");
}
