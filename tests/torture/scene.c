#include "torture/scene.h"

#include "base/time.h"
#include "store/open/store.h"
#include "support/fake_sys.h"
#include "support/surroundings.h"
#include "tools/registry.h"
#include "torture/scene_sys.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DAY MS_PER_DAY

/* The child that is killed to make a condition ends with this. */
#define KILLED 99

/* Small enough that one more entry sends records to the cold archive. */
#define TIGHT "{'limits':{'total_bytes':2900}}"

/* First what moves between files, so that a control need not wait for it. */
static const struct deed all_deeds[] = {
	{"mv", "mv", "{'key':'state:mood','new':'patterns:mood'}", NULL, false},
	{"set new", "set", "{'key':'state:fresh','value':{'n':9007199254740993}}", NULL, false},
	{"set replace", "set", "{'key':'preferences:editor','value':'emacs'}", NULL, false},
	{"set evict", "set", "{'key':'state:fresh','value':1.0}",
	 "{'limits':{'entries_per_category':3}}", false},
	{"set cold", "set", "{'key':'patterns:fresh','value':['a','b','c']}", TIGHT, false},
	{"update", "update", "{'key':'preferences:editor','addition':'and ed'}", NULL, false},
	{"update type", "update", "{'key':'preferences:theme','addition':5}", NULL, false},
	{"delete", "delete", "{'key':'state:mood'}", NULL, false},
	{"clear_state", "clear-state", "{}", NULL, false},
	{"notes", "notes", "{'summary':'new','highlights':['h']}", NULL, false},
	{"relate", "relate", "{'from':'editor','to':'theme','type':'supports'}", NULL, false},
	{"promote", "promote", "{'ref':'editor','force':true,'dry_run':false}", NULL, false},
	{"get", "get", "{'query':'editor'}", NULL, false},
	{"get due", "get", "{'query':'editor'}", NULL, true},
	{"list", "list", "{}", NULL, false},
	{"list_archived", "archived", "{}", NULL, false},
};

const struct deed *deeds(size_t *count)
{
	*count = sizeof all_deeds / sizeof *all_deeds;
	return all_deeds;
}

const char *start_name(enum start start)
{
	static const char *const names[START_COUNT] = {
		"clean",     "serving", "journal",   "temporary",
		"exchanged", "empty",   "read-only", "broken",
	};

	return names[start];
}

/* Ahead of the real clock, so that a stat of what was just written is believed. */
static int64_t chosen_now;

int64_t scene_now(void)
{
	return chosen_now;
}

void scenes_init(const struct row *row)
{
	setenv("TZ", "UTC0", 1);
	tzset();
	/* Nothing is cut off from power here: what fsync does is of no interest. */
	if (!getenv("TMPDIR") && access("/dev/shm", W_OK) == 0)
		setenv("TMPDIR", "/dev/shm", 1);
	chosen_now = (sys_real()->now_ms() / DAY + 2) * DAY;
	scene_sys_init(row->plant);
}

void scene_calm(int64_t now_ms)
{
	fake_sys_reset(now_ms);
	fake_sys_quiet(true);
	scene_sys_room(SCENE_ROOM);
	scene_sys_read_only(false);
}

/* ---- the store */

static const char *time_ago(int64_t days, char out[TIMESTAMP_SIZE])
{
	timestamp_format(chosen_now - days * DAY, out);
	return out;
}

static void write_quoted(const struct scene *scene, const char *name, const char *text)
{
	STR_AUTO out = STR_INIT;

	for (; *text; text++)
		str_addc(&out, *text == '\'' ? '"' : *text);
	tmpdir_write(&scene->dir, name, out.ptr);
}

/* Appends a member to the text of a category file. */
static void add_entry(struct str *file, const char *key, const char *value, int64_t days)
{
	char when[TIMESTAMP_SIZE];

	time_ago(days, when);
	str_printf(file, "%s  '%s': {'value': %s, 'created_at': '%s', 'last_updated': '%s'}",
		   file->len ? ",\n" : "{\n", key, value, when, when);
}

static void write_entries(const struct scene *scene)
{
	STR_AUTO preferences = STR_INIT;
	STR_AUTO patterns = STR_INIT;
	STR_AUTO state = STR_INIT;

	add_entry(&preferences, "editor", "'vim'", 3);
	add_entry(&preferences, "theme", "{'dark':true}", 4);
	str_adds(&preferences, "\n}\n");
	write_quoted(scene, "preferences.json", preferences.ptr);
	add_entry(&patterns, "after", "'before'", 2);
	if (scene->deed->due)
		add_entry(&patterns, "habit", "'old'", 100);
	str_adds(&patterns, "\n}\n");
	write_quoted(scene, "patterns.json", patterns.ptr);
	add_entry(&state, "task", "'build'", 20);
	add_entry(&state, "mood", "'good'", 5);
	add_entry(&state, "conversation_notes", "{'summary':'old'}", 1);
	str_adds(&state, scene->start == START_BROKEN ? ",\n}\n" : "\n}\n");
	write_quoted(scene, "state.json", state.ptr);
}

static void add_record(struct str *out, const char *key, int64_t days, const char *before)
{
	char when[TIMESTAMP_SIZE];

	time_ago(days, when);
	str_printf(out,
		   "%s{%s'key':'%s@%s','originalKey':'%s','archivedAt':'%s','reason':'evicted',"
		   "'entry':{'value':'what was remembered of it'}}",
		   before, *before ? "" : "'category':'state',", key, when, key, when);
}

static void write_archives(const struct scene *scene)
{
	STR_AUTO archive = STR_INIT;
	STR_AUTO cold = STR_INIT;
	STR_AUTO name = STR_INIT;
	char when[TIMESTAMP_SIZE];

	str_adds(&archive, "{\n  'state': [");
	add_record(&archive, "one", 41, "\n    ");
	add_record(&archive, "two", 40, ",\n    ");
	add_record(&archive, "three", 2, ",\n    ");
	str_adds(&archive, "\n  ]\n}\n");
	write_quoted(scene, "archive.json", archive.ptr);
	add_record(&cold, "zero", 50, "");
	str_addc(&cold, '\n');
	str_printf(&name, "archive.cold/%.7s.jsonl", time_ago(50, when));
	mkdirat(scene->dir.fd, "archive.cold", 0700);
	write_quoted(scene, name.ptr, cold.ptr);
}

static void write_store(const struct scene *scene)
{
	STR_AUTO usage = STR_INIT;
	char when[TIMESTAMP_SIZE];

	write_entries(scene);
	write_archives(scene);
	write_quoted(scene, "relations.json",
		     "{\n  'rel-1': {'from': 'mood', 'to': 'preferences:editor'}\n}\n");
	str_printf(&usage, "{'since':'%s'}\n", time_ago(150, when));
	write_quoted(scene, "usage.jsonl", usage.ptr);
	write_quoted(scene, ".kota", "kota-memory data directory, format 1\n");
	write_quoted(scene, ".gitignore", "");
	if (scene->deed->config)
		write_quoted(scene, "config.json", scene->deed->config);
}

/* ---- calling */

static void take_error(struct answer *answer, const struct err *err)
{
	answer->kind = strstr(err->text, "the outcome is not certain") ? ANSWER_UNCERTAIN
								       : ANSWER_REFUSED;
	str_clear(&answer->text);
	str_adds(&answer->text, err->text);
}

static int run_tool(struct scene *scene, const struct tool *tool, const struct json *doc,
		    int64_t now_ms, struct str *reply, struct err *err)
{
	struct arena arena = ARENA_INIT;
	struct call call = {
		.tool = tool->name, .client = "torture", .now_ms = now_ms, .arena = &arena};
	int result = 0;

	if (!scene->store)
		result = store_open(&scene->store, scene_sys(), surroundings_plain, scene->dir.path,
				    err);
	call.store = scene->store;
	if (result == 0)
		result = tool_run(tool, &call, doc, JSON_ROOT, reply, err);
	arena_release(&arena);
	return result;
}

void scene_call(struct scene *scene, const char *command, const char *arguments, int64_t now_ms,
		struct answer *answer)
{
	const struct tool *tool = tool_find_command(tools_all(), slice_of(command));
	STR_AUTO text = STR_INIT;
	struct json_fault fault;
	struct json doc;
	struct err err;

	err_clear(&err);
	for (const char *at = arguments; *at; at++)
		str_addc(&text, *at == '\'' ? '"' : *at);
	str_clear(&answer->text);
	if (json_parse(&doc, str_slice(&text), &json_line_bounds, &fault) != 0)
		row_fatal(fault.what);
	answer->kind = ANSWER_ACKNOWLEDGED;
	if (run_tool(scene, tool, &doc, now_ms, &answer->text, &err) != 0)
		take_error(answer, &err);
	json_release(&doc);
}

void scene_run(struct scene *scene, struct answer *answer)
{
	scene_call(scene, scene->deed->command, scene->deed->arguments, scene_now(), answer);
}

int scene_run_in_child(void *arg)
{
	struct answer answer = {.text = STR_INIT};

	scene_run(arg, &answer);
	return (int)answer.kind;
}

void scene_close(struct scene *scene)
{
	store_close(scene->store);
	scene->store = NULL;
}

/* ---- conditions */

/* A change of its own by a process that does not live to end it. */
static int other_change(void *arg)
{
	struct scene *scene = arg;
	struct answer answer = {.text = STR_INIT};

	if (scene->start == START_JOURNAL)
		scene_call(scene, "delete", "{'key':'state:task'}", scene_now() - DAY, &answer);
	else
		scene_call(scene, "set", "{'key':'preferences:shell','value':'zsh'}",
			   scene_now() - DAY, &answer);
	return (int)answer.kind;
}

static void kill_another(struct scene *scene)
{
	/* Renames: of the journal, of the archive, ...; of one file, then of what came out. */
	unsigned nth = scene->start == START_TEMPORARY ? 1 : 2;

	fake_sys_die(FAKE_RENAMEAT2, nth, KILLED);
	if (fake_sys_in_child(other_change, scene) != KILLED)
		row_fatal("the other process is still alive");
}

/* So that each scene makes the key, in a folder that is there, and makes the same calls for it. */
static void forget_key(void)
{
	STR_AUTO path = STR_INIT;

	str_printf(&path, "%s/kota-memory", surroundings_state_home());
	mkdir(path.ptr, 0700);
	str_adds(&path, "/key");
	unlink(path.ptr);
}

/*
 * The clock of the scenes is ahead of that of the files, so each stat is believed. So that this is
 * no mistake, what follows must have another time than what is there: some file systems advance
 * their times in steps of milliseconds.
 */
static void pass_step(int fd)
{
	struct stat st;
	struct timespec now;

	if (fstat(fd, &st) != 0)
		row_fatal("stat");
	do
		clock_gettime(CLOCK_REALTIME_COARSE, &now);
	while (now.tv_sec < st.st_ctim.tv_sec ||
	       (now.tv_sec == st.st_ctim.tv_sec && now.tv_nsec <= st.st_ctim.tv_nsec));
}

void scene_make(struct scene *scene, const struct deed *deed, enum start start)
{
	struct answer ignored = {.text = STR_INIT};

	*scene = (struct scene){.deed = deed, .start = start};
	scene_calm(scene_now());
	forget_key();
	tmpdir_make(&scene->dir);
	if (start != START_EMPTY)
		write_store(scene);
	if (start == START_JOURNAL || start == START_TEMPORARY || start == START_EXCHANGED)
		kill_another(scene);
	if (start == START_SERVING)
		scene_call(scene, "get", "{'query':'editor'}", scene_now() - 2 * DAY, &ignored);
	str_release(&ignored.text);
	pass_step(scene->dir.fd);
	scene_calm(scene_now());
	scene_sys_read_only(start == START_READ_ONLY);
}

void scene_remove(struct scene *scene)
{
	scene_calm(scene_now());
	scene_close(scene);
	tmpdir_remove(&scene->dir);
}
