#include "fuzz/fuzz_store.h"

#include "store/path.h"
#include "tools/tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BOOT_FILE "/proc/sys/kernel/random/boot_id"

/* History is off: libgit2 does not go through the table and would write to the real disk. */
const char *fuzz_store_environment(const char *name)
{
	return strcmp(name, "KOTA_MEMORY_GIT") == 0 ? "off" : NULL;
}

static void path_of(const char *name, char path[64])
{
	snprintf(path, 64, FUZZ_STORE "/%s", name);
}

void fuzz_store_write(const char *name, struct slice bytes)
{
	char path[64];

	path_of(name, path);
	memory_sys_write(path, bytes);
}

struct slice fuzz_store_read(const char *name)
{
	char path[64];

	path_of(name, path);
	return memory_sys_read(path);
}

void fuzz_store_begin(void)
{
	if (!getenv("TZ")) {
		setenv("TZ", "UTC0", 1);
		tzset();
	}
	/* The files are older than the clock, so that their stat can be believed. */
	memory_sys_reset(FUZZ_NOW - 60000);
	memory_sys_write(BOOT_FILE, slice_of("this-boot\n"));
	fuzz_store_write(".kota", slice_of("kota-memory data directory, format 1\n"));
}

void fuzz_store_end(void)
{
	FUZZ_REQUIRE(memory_sys_open_count() == 0, "what was opened is closed");
	memory_sys_reset(FUZZ_NOW);
}

static void check_reply(struct slice reply)
{
	struct json_fault fault;
	struct json doc;

	FUZZ_REQUIRE(json_parse(&doc, reply, &json_file_bounds, &fault) == 0, "a reply is JSON");
	FUZZ_REQUIRE(json_type(&doc, JSON_ROOT) == JSON_OBJECT, "a reply is an object");
	json_release(&doc);
}

static bool run_tool(struct store *store, const char *command, const struct json *arguments,
		     struct str *out)
{
	const struct tool *tool = tool_find_command(tools_all(), slice_of(command));
	struct arena arena = {0};
	struct call call = {.store = store,
			    .now_ms = FUZZ_NOW,
			    .shell = true,
			    .tool = tool->name,
			    .arena = &arena};
	STR_AUTO reply = STR_INIT;
	struct err err;
	bool worked;

	err_clear(&err);
	worked = tool_run(tool, &call, arguments, JSON_ROOT, &reply, &err) == 0;
	if (worked)
		check_reply(str_slice(&reply));
	else
		fuzz_check_words(err.text);
	if (out)
		str_add(out, str_slice(&reply));
	arena_release(&arena);
	return worked;
}

bool fuzz_store_run(const char *command, struct slice arguments, struct str *reply)
{
	struct json_fault fault;
	struct store *store;
	struct json doc;
	struct err err;
	bool worked;

	if (json_parse(&doc, arguments, &json_line_bounds, &fault) != 0)
		return false;
	worked = store_open(&store, memory_sys(), fuzz_store_environment, FUZZ_STORE, &err) == 0;
	FUZZ_REQUIRE(worked, "the store can be opened");
	worked = run_tool(store, command, &doc, reply);
	store_close(store);
	json_release(&doc);
	return worked;
}

static void check_file(const char *name)
{
	struct slice text = fuzz_store_read(name);
	struct json_fault fault;
	struct json doc;

	if (!text.ptr || text_is_blank(text))
		return;
	FUZZ_REQUIRE(json_parse(&doc, text, &json_file_bounds, &fault) == 0,
		     "a file of the store parses");
	json_release(&doc);
}

void fuzz_store_check(const char *but)
{
	for (int f = 0; f < STORE_FILE_COUNT; f++) {
		const char *name = store_file_name((enum store_file)f);

		if (!but || strcmp(name, but) != 0)
			check_file(name);
	}
	check_file("metadata.json");
}
