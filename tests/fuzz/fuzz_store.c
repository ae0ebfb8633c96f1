#include "fuzz/fuzz_store.h"

#include "fuzz/fuzz_folder.h"
#include "store/files/resolve.h"
#include "store/open/store.h"
#include "support/memory_sys.h"
#include "tools/registry.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define BOOT_FILE "/proc/sys/kernel/random/boot_id"
/* The person's own place, in which nothing is held back that a program may do. */
#define DATA_HOME "/data"
#define IN_MEMORY DATA_HOME "/kota_memory"
#define IN_FOLDER "kota_memory"

static struct {
	bool records; /* the store is a folder */
	char home[PATH_MAX + 8];
	char path[PATH_MAX + 16];
	struct arena read; /* what was read of files in the folder */
} at;

const char *fuzz_store_environment(const char *name)
{
	if (strcmp(name, "KOTA_MEMORY_GIT") == 0)
		return at.records ? "own" : "off";
	if (strcmp(name, "XDG_DATA_HOME") == 0)
		return at.records ? fuzz_folder()->path : DATA_HOME;
	return at.records && strcmp(name, "HOME") == 0 ? at.home : NULL;
}

const struct sys *fuzz_store_sys(void)
{
	return at.records ? fuzz_folder_sys() : memory_sys();
}

const char *fuzz_store_path(void)
{
	return at.path;
}

static void path_of(const char *name, char path[64])
{
	snprintf(path, 64, "%s/%s", at.records ? IN_FOLDER : IN_MEMORY, name);
}

void fuzz_store_write(const char *name, struct slice bytes)
{
	char path[64];

	path_of(name, path);
	if (at.records)
		fuzz_folder_write(path, bytes);
	else
		memory_sys_write(path, bytes);
}

static struct slice read_in_folder(const char *path)
{
	int fd = openat(fuzz_folder()->fd, path, O_RDONLY | O_CLOEXEC);
	struct slice kept;
	struct stat st;
	char *bytes;

	if (fd < 0)
		return slice_of(NULL);
	FUZZ_REQUIRE(fstat(fd, &st) == 0, "a file can be looked at");
	bytes = arena_alloc(&at.read, (size_t)st.st_size + 1);
	kept = slice_make(bytes, (size_t)st.st_size);
	FUZZ_REQUIRE(read(fd, bytes, kept.len) == (ssize_t)kept.len, "a file can be read");
	close(fd);
	return kept;
}

struct slice fuzz_store_read(const char *name)
{
	char path[64];

	path_of(name, path);
	return at.records ? read_in_folder(path) : memory_sys_read(path);
}

static void begin_in_folder(void)
{
	fuzz_folder_begin(FUZZ_NOW);
	snprintf(at.home, sizeof at.home, "%s/home", fuzz_folder()->path);
	snprintf(at.path, sizeof at.path, "%s/" IN_FOLDER, fuzz_folder()->path);
}

static void begin_in_memory(void)
{
	/* The files are older than the clock, so that their stat can be believed. */
	memory_sys_reset(FUZZ_NOW - 60000);
	memory_sys_write(BOOT_FILE, slice_of("this-boot\n"));
	snprintf(at.path, sizeof at.path, IN_MEMORY);
}

void fuzz_store_begin(void)
{
	if (!getenv("TZ")) {
		setenv("TZ", "UTC0", 1);
		tzset();
	}
	at.records = getenv("FUZZ_HISTORY") != NULL;
	if (at.records)
		begin_in_folder();
	else
		begin_in_memory();
	fuzz_store_write(".kota", slice_of("kota-memory data directory, format 1\n"));
}

static void end_in_folder(void)
{
	if (tmpdir_has(fuzz_folder(), IN_FOLDER "/.git"))
		FUZZ_REQUIRE(fuzz_store_run("log", slice_of("{}"), NULL),
			     "a history that was made can be read");
	FUZZ_REQUIRE(fuzz_folder_open_count() == 0, "what was opened is closed");
	arena_release(&at.read);
	fuzz_folder_end();
}

void fuzz_store_end(void)
{
	if (at.records) {
		end_in_folder();
		return;
	}
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
	worked = store_open(&store, fuzz_store_sys(), fuzz_store_environment, at.path, &err) == 0;
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
