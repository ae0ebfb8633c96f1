#include "cli/render/render.h"
#include "tools/registry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define NOW INT64_C(1795253400000)

static const char *no_color(const char *name)
{
	return strcmp(name, "NO_COLOR") == 0 ? "1" : "xterm";
}

static const char *colour(const char *name)
{
	return strcmp(name, "TERM") == 0 ? "xterm" : NULL;
}

struct shown {
	struct str out;
	struct str notes;
	int status;
};

static void render(struct shown *shown, const struct cli *cli, const char *command, bool as_json,
		   const char *reply)
{
	struct json_fault fault;
	struct json doc;

	str_clear(&shown->out);
	str_clear(&shown->notes);
	assert_int_equal(json_parse(&doc, slice_of(reply), &json_line_bounds, &fault), 0);
	shown->status = render_reply(cli, command, as_json, &doc, NOW, &shown->out, &shown->notes);
	json_release(&doc);
}

/* A command, its reply, and what a pipe and a terminal show. */
static const struct {
	const char *command;
	const char *reply;
	const char *pipe;
	const char *pipe_notes;
	const char *terminal;
	const char *terminal_notes;
	int status;
} cases[] = {
	{"get",
	 "{\"key\":\"editor\",\"category\":\"state\",\"value\":\"vim\\n\\u001b[2J\",\"confidence\":"
	 "1,"
	 "\"match\":\"exact\",\"last_updated\":\"2026-11-19T09:30:00.000+00:00\","
	 "\"archived\":false}",
	 "vim\n\x1b[2J\n", "",
	 "vim\n\\x1b[2J\nstate:editor \xc2\xb7 exact 1 \xc2\xb7 updated 2 days ago\n", "", 0},
	{"get",
	 "{\"key\":\"k\",\"category\":\"state\",\"value\":{\"a\":1.0},\"confidence\":0.912,"
	 "\"match\":\"fuzzy\",\"archived\":true,"
	 "\"archivedAt\":\"2026-11-20T09:30:00.000+00:00\",\"reason\":\"expiry\","
	 "\"also\":[{\"ref\":\"state:k2\"},{\"ref\":\"state:k3\",\"differs\":\"a ≠ b\"}]}",
	 "{\n  \"a\": 1.0\n}\n", "state:k is archived 1 day ago (expiry)\n",
	 "{\n  \"a\": 1.0\n}\nstate:k \xc2\xb7 fuzzy 0.912 \xc2\xb7 archived 1 day "
	 "ago "
	 "(expiry) \xc2\xb7 as near: state:k2 state:k3 (a ≠ b)\n",
	 "", 0},
	{"get", "{\"key\":\"k\",\"category\":\"state\",\"value\":null,\"match\":\"exact\"}",
	 "null\n", "", "null\nstate:k \xc2\xb7 exact\n", "", 0},
	{"get", "{\"result\":null}", "", "nothing found\n", "", "nothing found\n", 1},
	{"list", "{\"refs\":[\"state:a\"],\"from\":\"repository\"}", "state:a\n",
	 "this came with a repository and is not trusted: see kota trust\n",
	 "CATEGORY  KEY\nstate     a\n",
	 "this came with a repository and is not trusted: see kota trust\n", 0},
	{"get",
	 "{\"result\":null,\"also\":[{\"ref\":\"state:\\u0007x\"}],\"warnings\":[\"w\\u001b\"]}",
	 "", "nothing found; nearest: state:\\x07x\nwarning: w\\x1b\n", "",
	 "nothing found; nearest: state:\\x07x\nwarning: w\\x1b\n", 1},
	{"search", "{\"count\":0,\"results\":[]}", "", "nothing found\n", "", "nothing found\n", 1},
	{"search", "{\"count\":0,\"results\":[],\"not_found\":[\"state:x\"]}", "",
	 "nothing found\nnot found: state:x\n", "", "nothing found\nnot found: state:x\n", 1},
	{"other", "{\"results\":[]}", "{\n  \"results\": []\n}\n", "", "{\n  \"results\": []\n}\n",
	 "", 0},
	{"list", "{\"refs\":[\"state:a\\u001bb\",\"preferences:editor\"]}",
	 "state:a\\x1bb\npreferences:editor\n", "",
	 "CATEGORY     KEY\nstate        a\\x1bb\npreferences  editor\n", "", 0},
	{"list", "{\"refs\":[]}", "", "", "", "nothing is stored here yet\n", 0},
	{"archived", "{\"refs\":[\"state:a@b@2026#2\"]}", "state:a@b@2026#2\n", "",
	 "CATEGORY  KEY  ARCHIVED\nstate     a@b  2026#2\n", "", 0},
	{"archived", "{\"refs\":[]}", "", "", "", "nothing is archived\n", 0},
	{"set", "{\"key\":\"a\\nb\",\"category\":\"state\",\"evicted\":[\"state:c\",\"state:d\"]}",
	 "set state:a\\x0ab\n", "archived to make room: state:c, state:d\n", "set state:a\\x0ab\n",
	 "archived to make room: state:c, state:d\n", 0},
	{"update",
	 "{\"key\":\"a\",\"category\":\"state\",\"changed\":true,\"archived\":\"state:a@T\"}",
	 "updated state:a\n", "the old value is archived as state:a@T\n", "updated state:a\n",
	 "the old value is archived as state:a@T\n", 0},
	{"update", "{\"key\":\"a\",\"category\":\"state\",\"changed\":false}",
	 "state:a says so already\n", "", "state:a says so already\n", "", 0},
	{"gc", "{\"dry_run\":true,\"memory_ids\":[\"state:a\",\"state:b\"],\"message\":\"Would\"}",
	 "would archive state:a\nwould archive state:b\n", "Would\n",
	 "would archive state:a\nwould archive state:b\n", "Would\n", 0},
	{"gc", "{\"dry_run\":false,\"memory_ids\":[\"state:a\"],\"message\":\"Done\"}",
	 "archived state:a\n", "Done\n", "archived state:a\n", "Done\n", 0},
	{"promote",
	 "{\"dry_run\":false,\"candidates\":[{\"id\":\"state:a\",\"reason\":\"Forced\","
	 "\"promoted_to\":\"notes/a.md\"},{\"id\":\"state:b\",\"reason\":\"5 uses\","
	 "\"protected\":\"pinned\"}],\"message\":\"Done\"}",
	 "promoted state:a to notes/a.md\nleft state:b: pinned\n", "Done\n",
	 "promoted state:a to notes/a.md\nleft state:b: pinned\n", "Done\n", 0},
	{"promote",
	 "{\"dry_run\":true,\"candidates\":[{\"id\":\"state:a\",\"promoted_to\":\"n/a.md\"}],"
	 "\"message\":\"Would\"}",
	 "would promote state:a to n/a.md\n", "Would\n", "would promote state:a to n/a.md\n",
	 "Would\n", 0},
	{"restore",
	 "{\"key\":\"a\",\"category\":\"state\",\"restored\":true,\"archived\":\"state:a@x\"}",
	 "restored state:a\n", "the old value is archived as state:a@x\n", "restored state:a\n",
	 "the old value is archived as state:a@x\n", 0},
	{"delete", "{\"key\":\"a\",\"category\":\"state\",\"deleted\":true}", "deleted state:a\n",
	 "", "deleted state:a\n", "", 0},
	{"mv", "{\"key\":\"b\",\"category\":\"state\",\"from\":\"state:a\"}",
	 "moved state:a to state:b\n", "", "moved state:a to state:b\n", "", 0},
	{"clear-state", "{\"cleared\":true,\"archived\":[\"a\",\"b\"]}",
	 "cleared state: 2 entries archived\n", "", "cleared state: 2 entries archived\n", "", 0},
	{"clear-state", "{\"cleared\":false,\"archived\":[]}", "state is empty already\n", "",
	 "state is empty already\n", "", 0},
	{"other", "{\"a\":\"\xc2\x9b\"}", "{\n  \"a\": \"\xc2\x9b\"\n}\n", "",
	 "{\n  \"a\": \"\\u009b\"\n}\n", "", 0},
	/* Replies that lack what is expected are no reason to fall over. */
	{"get", "{}", "{}\n", "", "{}\n: \xc2\xb7 exact\n", "", 0},
	{"list", "{\"refs\":[1]}", "\n", "", "CATEGORY  KEY\n          \n", "", 0},
};

static void test_cases(void **state)
{
	struct shown shown = {STR_INIT, STR_INIT, 0};
	struct cli cli = {.env = no_color, .columns = 80};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		cli.out_is_terminal = false;
		render(&shown, &cli, cases[i].command, false, cases[i].reply);
		assert_string_equal(shown.out.ptr, cases[i].pipe);
		assert_string_equal(shown.notes.ptr, cases[i].pipe_notes);
		assert_int_equal(shown.status, cases[i].status);
		cli.out_is_terminal = true;
		render(&shown, &cli, cases[i].command, false, cases[i].reply);
		assert_string_equal(shown.out.ptr, cases[i].terminal);
		assert_string_equal(shown.notes.ptr, cases[i].terminal_notes);
		assert_int_equal(shown.status, cases[i].status);
	}
	str_release(&shown.out);
	str_release(&shown.notes);
}

static void test_json(void **state)
{
	struct shown shown = {STR_INIT, STR_INIT, 0};
	struct cli cli = {.env = no_color, .columns = 80};

	(void)state;
	render(&shown, &cli, "get", true, "{\"result\":null,\"warnings\":[\"w\"]}");
	assert_string_equal(shown.out.ptr, "{\n  \"result\": null,\n  \"warnings\": [\n    \"w\"\n"
					   "  ]\n}\n");
	assert_string_equal(shown.notes.ptr, "");
	assert_int_equal(shown.status, 1);
	render(&shown, &cli, "search", true, "{\"results\":[]}");
	assert_int_equal(shown.status, 1);
	render(&shown, &cli, "list", true, "{\"refs\":[]}");
	assert_string_equal(shown.out.ptr, "{\n  \"refs\": []\n}\n");
	assert_int_equal(shown.status, 0);
	cli.out_is_terminal = true;
	render(&shown, &cli, "list", true, "{\"refs\":[\"\x7f\xe2\x80\xae\"]}");
	assert_string_equal(shown.out.ptr, "{\n  \"refs\": [\n    \"\\u007f\\u202e\"\n  ]\n}\n");
	str_release(&shown.out);
	str_release(&shown.notes);
}

static void test_colour(void **state)
{
	struct shown shown = {STR_INIT, STR_INIT, 0};
	struct cli cli = {.env = colour, .columns = 80, .out_is_terminal = true};
	const char *reply =
		"{\"key\":\"k\",\"category\":\"state\",\"value\":1,\"match\":\"exact\"}";

	(void)state;
	render(&shown, &cli, "get", false, reply);
	assert_string_equal(shown.out.ptr, "1\n\x1b[2mstate:k \xc2\xb7 exact\x1b[0m\n");
	cli.out_is_terminal = false;
	render(&shown, &cli, "get", false, reply);
	assert_string_equal(shown.out.ptr, "1\n");
	str_release(&shown.out);
	str_release(&shown.notes);
}

/* Each operation has a row: what has none is shown as JSON. */
static void test_every_operation(void **state)
{
	struct shown shown = {STR_INIT, STR_INIT, 0};
	struct cli cli = {.env = no_color, .columns = 80, .out_is_terminal = true};

	(void)state;
	for (const struct tool *const *tool = tools_all(); *tool; tool++) {
		render(&shown, &cli, (*tool)->command, false, "{\"x\":1}");
		if (strcmp(shown.out.ptr, "{\n  \"x\": 1\n}\n") == 0)
			fail_msg("%s has no row in src/cli/render/render.c", (*tool)->command);
	}
	str_release(&shown.out);
	str_release(&shown.notes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_colour),
		cmocka_unit_test(test_every_operation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
