#include "cli/render/render.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* 2026-11-21T09:30:00Z */
#define NOW INT64_C(1795253400000)

#define DOT " \xc2\xb7 "
#define ARROW " \xe2\x86\x92 "

static const char *no_color(const char *name)
{
	return strcmp(name, "NO_COLOR") == 0 ? "1" : "xterm";
}

/* In replies apostrophes stand for quotes. */
static void check(bool terminal, const char *command, const char *reply, const char *out,
		  const char *notes)
{
	const struct cli cli = {.env = no_color, .columns = 60, .out_is_terminal = terminal};
	STR_AUTO text = STR_INIT;
	STR_AUTO got = STR_INIT;
	STR_AUTO got_notes = STR_INIT;
	struct json_fault fault;
	struct json doc;

	for (; *reply; reply++)
		str_addc(&text, *reply == '\'' ? '"' : *reply);
	str_adds(&got, "");
	str_adds(&got_notes, "");
	if (json_parse(&doc, str_slice(&text), &json_line_bounds, &fault) != 0)
		fail_msg("%s: %s", text.ptr, fault.what);
	assert_int_equal(render_reply(&cli, command, false, &doc, NOW, &got, &got_notes), 0);
	json_release(&doc);
	assert_string_equal(got.ptr, out);
	assert_string_equal(got_notes.ptr, notes);
}

#define ADA                                                                                        \
	"'change':'0123456789ab','at':'2026-11-18T09:30:00.000+00:00','by':'Ada','by_hand':true,"  \
	"'subject':'edit state:a'"
#define AGENT                                                                                      \
	"'change':'fedcba987654','at':'2026-11-21T09:29:00.000+00:00',"                            \
	"'by':'an agent with a very long name','tool':'memory_set','subject':'set state:a\\u001b'"

static void changes_are_rows(void **state)
{
	const char *reply = "{'unrecorded':['state:b','state:\\u0007','c','d','e','f','g'],"
			    "'changes':[{" AGENT "},{" ADA "}],'more':true}";

	(void)state;
	check(true, "log", reply,
	      "not recorded yet: state:b, state:\\x07, c, d, e and 2 more\n"
	      "CHANGE    WHEN          WHO                     WHAT\n"
	      "fedcba98  1 minute ago  an agent with a very \xe2\x80\xa6  set state:a\xe2\x80\xa6\n"
	      "01234567  3 days ago    Ada (by hand)           edit state:a\n",
	      "there are older changes; --limit shows more\n");
	check(false, "log", "{'changes':[{" AGENT "}],'more':false}",
	      "CHANGE    WHEN                           WHO                       WHAT\n"
	      "fedcba98  2026-11-21T09:29:00.000+00:00  an agent with a very lon  set "
	      "state:a\\x1b\n",
	      "");
	check(true, "log", "{'changes':[],'more':false}", "", "no change is recorded yet\n");
}

#define ITEM(text) "{" ADA ",'items':[{'ref':'state:a'," text "}]}"

static void changes_of_one_entry_say_what_became_of_it(void **state)
{
	(void)state;
	check(true, "log",
	      "{'changes':[" ITEM("'did':'changed','before':1,'after':'\\u001b'") "," ITEM(
		      "'did':'moved','from':'state:b'") "," ITEM("'did':'archived','reason':"
								 "'expiry','before':1") //
	      "," ITEM("'did':'changed','from':'state:c','before':1,'after':2") "," ITEM(
		      "'did':'added','after':[1,2]") ",{" ADA ",'did':'deleted'}],'ref':'state:a'}",
	      "CHANGE    WHEN        WHO            WHAT\n"
	      "01234567  3 days ago  Ada (by hand)  1" ARROW "\"\\u001b\"\n"
	      "01234567  3 days ago  Ada (by hand)  moved from state:b\n"
	      "01234567  3 days ago  Ada (by hand)  archived (expiry)\n"
	      "01234567  3 days ago  Ada (by hand)  changed from state:c: \xe2\x80\xa6\n"
	      "01234567  3 days ago  Ada (by hand)  added [1,2]\n"
	      "01234567  3 days ago  Ada (by hand)  deleted\n",
	      "");
}

static void what_was_stands_above_what_is(void **state)
{
	(void)state;
	check(true, "show",
	      "{" ADA ",'items':[{'ref':'state:a','did':'changed','before':'one\\ntwo','after':'one"
	      "\\n\\u001b','fields':{'tags':{'before':['x'],'after':['y']}}},{'ref':'state:b@T',"
	      "'did':'record_added','after':{}}],'files':['config.json','notes/n.md']}",
	      "01234567" DOT "3 days ago" DOT "Ada (by hand)" DOT "edit state:a\n"
	      "\nstate:a: changed\n    one\n  - two\n  + \\x1b\n  - tags: [\"x\"]\n  + tags: "
	      "[\"y\"]\n"
	      "\nstate:b@T: record added\n  + {}\n"
	      "\nconfig.json: changed\nnotes/n.md: changed\n",
	      "");
	check(true, "diff", "{'from':{" ADA "},'items':[]}",
	      "from 01234567" DOT "3 days ago" DOT "Ada (by hand)" DOT "edit state:a\nto   now\n",
	      "no entry differs\n");
	check(true, "log", "{'changes':[" ITEM("'did':'added','after':1") "],'more':false}",
	      "01234567" DOT "3 days ago" DOT "Ada (by hand)" DOT "edit state:a\n\nstate:a: added\n"
	      "  + 1\n",
	      "");
}

static void a_long_value_is_compared_line_by_line(void **state)
{
	const char *reply = "{'items':[{'ref':'state:a','did':'changed','before':{'a':'"
			    "0123456789012345678901234567890123456789','b':1,'c':"
			    "'01234567890123456789'},'after':{'a':"
			    "'0123456789012345678901234567890123456789','b':2,'c':"
			    "'01234567890123456789'}}]}";

	(void)state;
	check(true, "diff", reply,
	      "\nstate:a: changed\n    {\n      \"a\": "
	      "\"0123456789012345678901234567890123456789\","
	      "\n  -   \"b\": 1,\n  +   \"b\": 2,\n      \"c\": \"01234567890123456789\"\n    }\n",
	      "");
}

static void who_is_to_blame_stands_in_rows(void **state)
{
	(void)state;
	check(true, "blame",
	      "{'entries':[{'ref':'state:a'," ADA "},{'ref':'state:b','unrecorded':true},"
	      "{'ref':'state:c','unknown':true}]}",
	      "CHANGE    WHEN                WHO            ENTRY\n"
	      "01234567  3 days ago          Ada (by hand)  state:a\n"
	      "-         not recorded yet    -              state:b\n"
	      "-         not in the history  -              state:c\n",
	      "");
	check(true, "blame", "{'entries':[{'ref':'state:a','field':'x'," ADA "}]}",
	      "CHANGE    WHEN        WHO            FIELD\n"
	      "01234567  3 days ago  Ada (by hand)  x\n",
	      "");
	check(true, "blame", "{'entries':[]}", "", "nothing is stored here yet\n");
}

/* Replies that lack what is expected are no reason to fall over. */
static void what_is_missing_is_left_out(void **state)
{
	(void)state;
	check(true, "log", "{'more':1}", "", "no change is recorded yet\n");
	check(true, "log", "{'changes':[{}]}", "CHANGE  WHEN  WHO  WHAT\n                   \n",
	      "");
	check(true, "show", "{}", "", "");
	check(true, "show", "{'items':[{}]}", "\n: \n", "");
	check(true, "blame", "{}", "", "nothing is stored here yet\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_are_rows),
		cmocka_unit_test(changes_of_one_entry_say_what_became_of_it),
		cmocka_unit_test(what_was_stands_above_what_is),
		cmocka_unit_test(a_long_value_is_compared_line_by_line),
		cmocka_unit_test(who_is_to_blame_stands_in_rows),
		cmocka_unit_test(what_is_missing_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
