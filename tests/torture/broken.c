/*
 * A broken file in each place of a store: its bytes stay as they are whatever is asked, the message
 * says where it is broken, and everything that does not need that file goes on working.
 */
#include "torture/ask.h"
#include "torture/row.h"
#include "torture/sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What cannot be one that is signed holds nothing up: the first change gives it another name. */
#define JOURNAL ".journal"
#define ASIDE ".journal.aside-1"

/* A text that is broken, and where; blank ones stand for an empty file, which is not. */
static const struct {
	const char *what;
	const char *text;
	size_t len;
	const char *where;
	bool fine;
} faults[] = {
#define TEXT(text) (text), sizeof(text) - 1
	{"a stray comma", TEXT("{\n  \"a\": 1,\n}\n"), ":2:9: ", false},
	{"a text that ends too soon", TEXT("{\n  \"a\": {\"value\": 1"), ":2:19: ", false},
	{"a comment", TEXT("{\n  // mine\n  \"a\": 1\n}\n"), ":2:3: ", false},
	{"an odd byte", TEXT("{\"a\": \"x\xFFy\"}\n"), ":1:9: ", false},
	{"a zero byte", TEXT("{\"a\": \"x\0y\"}\n"), ":1:9: ", false},
	{"a key twice", TEXT("{\"a\": 1,\n\"a\": 2}\n"), ":2:1: ", false},
	{"too many brackets",
	 TEXT("{\"a\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]"
	      "]]]]]]]]]]]]]]]]]]]]]]]]}\n"),
	 ":1:", false},
	{"a list", TEXT("[1]\n"), ":1:1: ", false},
	{"a conflict", TEXT("<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> x\n"), ":1:1: ", false},
	{"nothing", TEXT(""), "", true},
	{"blanks", TEXT(" \n\n"), "", true},
};

#define FAULT_COUNT (sizeof faults / sizeof *faults)

enum call {
	CALL_GET,
	CALL_LIST,
	CALL_ARCHIVED,
	CALL_SET,
	CALL_REPLACE,
	CALL_UPDATE,
	CALL_DELETE,
	CALL_NOTES,
	CALL_CLEAR,
	CALL_OWN,
	CALL_COUNT
};

/* @ is an entry of a category that is not the broken one; # the broken one. */
static const struct {
	const char *tool;
	const char *arguments;
} calls[CALL_COUNT] = {
	{"memory_get", "{\"query\":\"@\"}"},
	{"memory_list", "{}"},
	{"memory_list_archived", "{}"},
	{"memory_set", "{\"key\":\"@fresh\",\"value\":1}"},
	{"memory_set", "{\"key\":\"@\",\"value\":\"first\"}"},
	{"memory_update", "{\"key\":\"@\",\"addition\":\"second\"}"},
	{"memory_delete", "{\"key\":\"@\"}"},
	{"memory_save_conversation_notes", "{\"summary\":\"said\"}"},
	{"memory_clear_state", "{}"},
	{"memory_set", "{\"key\":\"#:own\",\"value\":3}"},
};

#define BIT(call) (1U << (call))
#define CHANGES                                                                                    \
	(BIT(CALL_SET) | BIT(CALL_REPLACE) | BIT(CALL_UPDATE) | BIT(CALL_DELETE) |                 \
	 BIT(CALL_NOTES) | BIT(CALL_CLEAR) | BIT(CALL_OWN))

static const struct target {
	const char *name;
	unsigned refused;
	bool json;  /* has lines and columns */
	bool grows; /* lines are added behind what is there */
	bool told;  /* a list says so */
} targets[] = {
	{"preferences.json", BIT(CALL_OWN), true, false, true},
	{"connections.json", BIT(CALL_OWN), true, false, true},
	{"patterns.json", BIT(CALL_OWN), true, false, true},
	{"shortcuts.json", BIT(CALL_OWN), true, false, true},
	{"state.json", BIT(CALL_OWN) | BIT(CALL_NOTES) | BIT(CALL_CLEAR), true, false, true},
	{"archive.json", BIT(CALL_DELETE) | BIT(CALL_CLEAR), true, false, true},
	{"relations.json", 0, true, false, false},
	{"config.json", CHANGES, true, false, true},
	{JOURNAL, 0, true, false, false},
	{"archive.cold/MONTH", 0, false, true, false},
	{"usage.jsonl", 0, false, true, false},
};

#define TARGET_COUNT (sizeof targets / sizeof *targets)

struct scene {
	struct row *row;
	struct sample sample;
	struct str path;
	const struct target *target;
	size_t fault;
	bool written; /* entries came into the empty file, and it was emptied once more */
	unsigned cases;
	unsigned calls;
};

static bool is_category(const struct target *target)
{
	return target->refused & BIT(CALL_OWN) && target->name[0] != '.' &&
	       target->refused != CHANGES;
}

static void break_file(const struct scene *scene)
{
	tmpdir_write_slice(&scene->sample.dir, scene->path.ptr,
			   slice_make(faults[scene->fault].text, faults[scene->fault].len));
}

/* An empty file is fine until there were entries in it. */
static bool is_fine(const struct scene *scene)
{
	return faults[scene->fault].fine && !scene->written;
}

static const char *where(const struct scene *scene)
{
	return scene->written ? " is empty; it had 1 " : faults[scene->fault].where;
}

static bool is_refused(const struct scene *scene, enum call call)
{
	if (is_fine(scene))
		return false;
	return scene->target->refused & BIT(call);
}

/* Every byte is where it was; behind them lines may have been added, or a torn last line cut. */
static void check_bytes(struct scene *scene, const char *after)
{
	const char *broken = faults[scene->fault].text;
	size_t len = faults[scene->fault].len;
	STR_AUTO path = STR_INIT;
	char buffer[4096];
	size_t got = 0;
	FILE *file;

	str_printf(&path, "%s/%s", scene->sample.dir.path, scene->path.ptr);
	file = fopen(path.ptr, "re");
	if (!file && strcmp(scene->target->name, JOURNAL) == 0) {
		str_clear(&path);
		str_printf(&path, "%s/" ASIDE, scene->sample.store);
		file = fopen(path.ptr, "re");
	}
	if (file) {
		got = fread(buffer, 1, sizeof buffer, file);
		fclose(file);
	}
	if (scene->target->grows)
		while (len > 0 && broken[len - 1] != '\n')
			len--;
	if (got < len || memcmp(buffer, broken, len) != 0 || (got != len && !scene->target->grows))
		row_violation(scene->row, "%s in %s: other bytes after %s",
			      faults[scene->fault].what, scene->target->name, after);
}

/* Does the text name the file and the place where it is broken? */
static bool says_where(const struct scene *scene, struct slice text)
{
	STR_AUTO said = STR_INIT;

	if (!scene->target->json)
		return true;
	if (strcmp(scene->target->name, JOURNAL) == 0)
		str_printf(&said, " is damaged (%s", faults[scene->fault].where + 1);
	else
		str_printf(&said, "%s%s", scene->target->name, where(scene));
	return answer_says(text, said.ptr);
}

static void check_reply(struct scene *scene, enum call call, struct slice reply)
{
	bool refused = is_refused(scene, call);
	bool told = call == CALL_LIST && scene->target->told && !faults[scene->fault].fine;

	if (reply_is_ok(reply) == refused)
		row_violation(scene->row, "%s in %s: %s %s: %.*s", faults[scene->fault].what,
			      scene->target->name, calls[call].tool,
			      refused ? "is not refused" : "is refused", (int)reply.len, reply.ptr);
	else if ((refused || told) && !says_where(scene, reply))
		row_violation(scene->row, "%s in %s: %s does not say %s: %.*s",
			      faults[scene->fault].what, scene->target->name, calls[call].tool,
			      where(scene), (int)reply.len, reply.ptr);
}

static void arguments_of(const struct scene *scene, enum call call, struct str *out)
{
	const char *name = scene->target->name;
	const char *key = strncmp(name, "connections", 11) == 0 ? "patterns:tea"
								: "connections:ana";

	str_clear(out);
	for (const char *at = calls[call].arguments; *at; at++) {
		if (*at == '@')
			str_adds(out, key);
		else if (*at == '#')
			str_add(out, is_category(scene->target)
					     ? slice_make(name, strcspn(name, "."))
					     : slice_of("shortcuts"));
		else
			str_addc(out, *at);
	}
}

static bool call_tool(struct scene *scene, struct server *server, enum call call)
{
	STR_AUTO arguments = STR_INIT;
	STR_AUTO reply = STR_INIT;
	bool fine = is_fine(scene);
	bool hung;

	arguments_of(scene, call, &arguments);
	scene->calls++;
	if (!ask_server(server, calls[call].tool, arguments.ptr, &reply, &hung)) {
		row_violation(scene->row, "%s in %s: no answer to %s", faults[scene->fault].what,
			      scene->target->name, calls[call].tool);
		return false;
	}
	check_reply(scene, call, str_slice(&reply));
	/* An empty file is one that may be written. */
	if (!fine || !(scene->target->refused & BIT(call)))
		check_bytes(scene, calls[call].tool);
	else
		break_file(scene);
	/* Settings have no entries; nor is state.json when it is cleared written to. */
	if (fine && scene->target->refused & BIT(call) && scene->target->refused != CHANGES)
		scene->written = true;
	return true;
}

static void ask_shell(struct scene *scene, const char *word)
{
	const char *const words[] = {word, NULL};
	struct answer answer = ANSWER_INIT;
	bool doctor = strcmp(word, "doctor") == 0;

	scene->calls++;
	ask(&answer, &(struct question){
			     .dir = scene->sample.store,
			     .plant = scene->row->plant,
			     .words = words,
		     });
	if (answer.hung)
		row_violation(scene->row, "%s in %s: %s hangs", faults[scene->fault].what,
			      scene->target->name, word);
	if (doctor && !faults[scene->fault].fine && !says_where(scene, str_slice(&answer.text)))
		row_violation(scene->row, "%s in %s: doctor does not say %s",
			      faults[scene->fault].what, scene->target->name,
			      faults[scene->fault].where);
	answer_release(&answer);
	check_bytes(scene, word);
}

static void run_case(struct scene *scene)
{
	struct server server;
	bool alive = true;

	sample_lay_out(&scene->sample);
	sample_path(&scene->sample, scene->target->name, &scene->path);
	server_start(&server, scene->sample.store, scene->row->plant);
	scene->cases++;
	scene->written = false;
	break_file(scene);
	ask_shell(scene, "doctor");
	for (int call = 0; alive && call < CALL_COUNT; call++)
		alive = call_tool(scene, &server, (enum call)call);
	if (!faults[scene->fault].fine) {
		ask_shell(scene, "list");
		ask_shell(scene, "doctor");
	}
	server_kill(&server);
}

/* config.json may be as deep as that, and a journal is no object of the person's. */
static bool applies(const struct target *target, size_t fault)
{
	const char *what = faults[fault].what;

	if (strcmp(target->name, JOURNAL) == 0)
		return !faults[fault].fine && strcmp(what, "a list") != 0 &&
		       strcmp(what, "too many brackets") != 0;
	return true;
}

int main(int argc, char **argv)
{
	struct scene on_stack = {0};
	struct scene *scene = &on_stack;
	struct row row;

	row_init(&row, argc, argv);
	scene->row = &row;
	sample_make(&scene->sample);
	for (size_t i = 0; i < TARGET_COUNT; i++) {
		unsigned only = row_below(&row, FAULT_COUNT);

		scene->target = &targets[i];
		if (!row.full && !row.plant && row_below(&row, 2) == 0)
			continue; /* each broken file costs some tries at reading it */
		for (size_t fault = 0; fault < FAULT_COUNT && !row_is_over(&row); fault++) {
			scene->fault = fault;
			if ((row.full || row.plant || fault == only) &&
			    applies(scene->target, fault))
				run_case(scene);
		}
	}
	sample_release(&scene->sample);
	str_release(&scene->path);
	return row_end(&row, "%u broken files, %u calls: %u changed, unsaid or in the way",
		       scene->cases, scene->calls, row.violations);
}
