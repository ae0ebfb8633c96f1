#include "cli/render/render.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const char *no_color(const char *name)
{
	return strcmp(name, "NO_COLOR") == 0 ? "1" : "xterm";
}

/* In replies apostrophes stand for quotes. */
static void check(bool terminal, const char *reply, const char *out, const char *notes)
{
	const struct cli cli = {.env = no_color, .columns = 60, .out_is_terminal = terminal};
	STR_AUTO text = STR_INIT;
	STR_AUTO got = STR_INIT;
	STR_AUTO got_notes = STR_INIT;
	struct json_fault fault;
	struct json doc;

	for (; *reply; reply++)
		str_addc(&text, *reply == '\'' ? '"' : *reply);
	if (json_parse(&doc, str_slice(&text), &json_line_bounds, &fault) != 0)
		fail_msg("%s: %s", text.ptr, fault.what);
	assert_int_equal(render_reply(&cli, "health", false, &doc, 0, &got, &got_notes), 0);
	json_release(&doc);
	assert_string_equal(got.ptr, out);
	assert_string_equal(got_notes.ptr, notes);
}

static void the_summary_is_lines(void **state)
{
	const char *reply = "{'check':'summary','score':87,'total_checked':3,'counts':{"
			    "'preferences':1,'state':2},'bytes':{'total':700},'limits':{"
			    "'total_bytes':51200},'archived':4,'stale_count':1,"
			    "'duplicates_count':2,'faded_count':0}";
	const char *shown = "score       87 of 100\n"
			    "entries     3 (preferences 1, state 2)\n"
			    "bytes       700 of 51200\n"
			    "archived    4\n"
			    "stale       1\n"
			    "duplicates  2\n"
			    "faded       0\n";

	(void)state;
	check(true, reply, shown, "");
	check(false, reply, shown, "");
}

/* The command is there to be copied. */
static void a_contradiction_comes_with_what_settles_it(void **state)
{
	const char *reply = "{'check':'contradictions','contradictions':[{'newer':'state:a b',"
			    "'older':'state:c','newer_text':'tea','older_text':'coffee','resolve':{"
			    "'arguments':{'key':'state:a b','value':'tea'}}}]}";

	(void)state;
	check(false, reply, "state:a b\tstate:c\n",
	      "kota set 'state:a b' '\"tea\"' --supersedes state:c\n");
}

static void lists_are_tables(void **state)
{
	const char *stale = "{'check':'stale','stale_memories':[{'id':'state:a\\u001b',"
			    "'text':'paint','days_since_access':40,'access_count':2}]}";
	const char *fading = "{'check':'decay','at_risk':[{'memory_id':'state:a','text':'x',"
			     "'score':0.1,'urgency':'high','action':'reinforce'}]}";

	(void)state;
	check(true, stale, "REF          DAYS  HITS  TEXT\nstate:a\\x1b  40    2     paint\n", "");
	check(false, stale, "state:a\\x1b\n", "");
	check(true, fading,
	      "REF      SCORE  URGENCY  ADVICE     TEXT\nstate:a  0.1    high     reinforce  x\n",
	      "");
	check(true, "{'check':'decay','at_risk':[]}", "", "nothing fades\n");
	check(false, "{'check':'low_access','low_access_memories':[]}", "",
	      "nothing is used too little\n");
	check(true, "{'check':'promotable','candidates':[],'warnings':['w']}", "",
	      "nothing to promote\nwarning: w\n");
}

static void pairs_are_two_refs(void **state)
{
	const char *reply = "{'check':'duplicates','duplicate_pairs':[{'id1':'state:a','id2':"
			    "'state:b','similarity':0.9,'suggested_action':'merge'},{'id1':"
			    "'state:a','id2':'state:c','similarity':0.8,'suggested_action':"
			    "'contradicts','reason':'two'}]}";

	(void)state;
	check(true, reply,
	      "REF      REF      ALIKE  ADVICE       WHY\n"
	      "state:a  state:b  0.9    merge        \n"
	      "state:a  state:c  0.8    contradicts  two\n",
	      "");
	check(false, reply, "state:a\tstate:b\nstate:a\tstate:c\n", "");
}

static void the_newer_one_comes_first(void **state)
{
	const char *reply =
		"{'check':'contradictions','contradictions':[{'newer':'state:b','older':"
		"'state:a','newer_text':'use pnpm','older_text':'use npm'}]}";

	(void)state;
	check(true, reply,
	      "NEWER    OLDER    NEWER TEXT  OLDER TEXT\n"
	      "state:b  state:a  use pnpm    use npm\n",
	      "");
	check(false, reply, "state:b\tstate:a\n", "");
	check(true, "{'check':'contradictions','contradictions':[]}", "", "no contradictions\n");
}

static void groups_are_paragraphs(void **state)
{
	const char *reply = "{'check':'clusters','clusters':[{'cohesion':0.9,'memory_ids':["
			    "'state:a','state:\\u0007'],'suggested_action':'review'}]}";

	(void)state;
	check(true, reply, "alike 0.9 \xc2\xb7 review\n  state:a\n  state:\\x07\n", "");
	check(false, reply, "state:a\tstate:\\x07\n", "");
	check(true, "{'check':'clusters','clusters':[]}", "", "no groups\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_summary_is_lines),
		cmocka_unit_test(lists_are_tables),
		cmocka_unit_test(a_contradiction_comes_with_what_settles_it),
		cmocka_unit_test(pairs_are_two_refs),
		cmocka_unit_test(the_newer_one_comes_first),
		cmocka_unit_test(groups_are_paragraphs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
