#include "ops/maintain/plan_file.h"
#include "support/teststore.h"
#include "support/toolcall.h"

#include <stdlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static struct str written(const struct plan *plan)
{
	struct str out = STR_INIT;
	struct json_writer w = json_writer_to(&out, &json_pretty);

	plan_write(plan, &w);
	return out;
}

static void make(struct teststore *t, struct plan *plan)
{
	const struct item *b;
	struct plan_step *step;

	tmpdir_write(&t->dir, "state.json",
		     "{\"a \\u00e4\": {\"value\": 1.0}, \"b\": 2, \"c\": 3}");
	teststore_refresh(t);
	b = store_find_ref(t->store, slice_of("state:b"));
	plan_merge(plan, store_find_ref(t->store, slice_of("state:a \xc3\xa4")),
		   slice_of("{\"value\":1.0,\"mine\":9007199254740993}"), &b, 1);
	step = plan_archive(plan, store_find_ref(t->store, slice_of("state:c")), REASON_STALE);
	plan_because(plan, step, "nobody asked");
	plan_link(plan, b, store_find_ref(t->store, slice_of("state:a \xc3\xa4")), RELATION_CAUSES,
		  0.25, slice_of("{\"why\":[1.0]}"));
	plan_promote(plan, b, slice_of("{\"value\":2}"), slice_of("b"), slice_of("# B\n\n2\n"));
	step = plan_put(plan, NULL, CATEGORY_PATTERNS, slice_of("p"), slice_of("{\"value\":[]}"));
	plan_rely(plan, step, b);
}

static void what_is_written_is_read_again(void **state)
{
	struct teststore *t = *state;
	struct plan plan = PLAN_INIT;
	struct plan again = PLAN_INIT;
	STR_AUTO first = STR_INIT;
	STR_AUTO second = STR_INIT;
	struct err err;

	make(t, &plan);
	first = written(&plan);
	if (plan_read(&again, "plan.json", str_slice(&first), &err) != 0)
		fail_msg("%s", err.text);
	second = written(&again);
	assert_string_equal(first.ptr, second.ptr);
	assert_int_equal(again.count, 5);
	assert_int_equal(again.steps[0].reason, REASON_MERGED);
	assert_int_equal(again.steps[1].reason, REASON_STALE);
	assert_int_equal(again.steps[4].bases[0].digest, 0);
	assert_int_equal(again.steps[4].bases[1].digest, plan.steps[4].bases[1].digest);
	plan_release(&plan);
	plan_release(&again);
}

static void a_plan_that_was_read_is_applied(void **state)
{
	static const struct change_meta meta = {.tool = "maintain"};
	struct teststore *t = *state;
	struct plan plan = PLAN_INIT;
	struct plan again = PLAN_INIT;
	STR_AUTO text = STR_INIT;
	struct change *change;
	struct err err;

	make(t, &plan);
	text = written(&plan);
	assert_int_equal(plan_read(&again, "plan.json", str_slice(&text), &err), 0);
	assert_int_equal(change_begin(&change, t->store, &meta, fake_sys_now(), &err), 0);
	assert_int_equal(plan_apply(&again, change, NULL, NULL, &err), 0);
	change_end(change);
	assert_int_equal(plan_standing(&again), 3);
	toolcall_file_is(t, "state.json",
			 "{'a \\u00e4': {'value': 1.0, 'mine': 9007199254740993}}");
	plan_release(&plan);
	plan_release(&again);
}

static void steps_that_are_skipped_are_not_written(void **state)
{
	struct teststore *t = *state;
	struct plan plan = PLAN_INIT;
	STR_AUTO text = STR_INIT;

	make(t, &plan);
	plan.steps[0].skip_code = ERR_TOO_LARGE;
	text = written(&plan);
	assert_null(strstr(text.ptr, "\"merge\""));
	plan_release(&plan);
}

#define DIGEST "'00000000000000a1'"
#define DECIDED(refs) "'decided_on':{" refs "}"
#define A "'state:a':" DIGEST
#define B "'state:b':" DIGEST
#define PLAN(step) "{'kota_plan':1,'steps':[\n" step "]}"

/* What is wrong, and where; apostrophes stand for quotes. */
static const struct {
	const char *text;
	const char *sentence;
} refused[] = {
	{"{'kota_plan':1,", "plan.json:1:"},
	{"[]", "plan.json:1:1: a plan is an object of"},
	{"{'kota_plan':1}", "plan.json:1:1: a plan is an object of"},
	{"{'kota_plan':1,'steps':{}}", "plan.json:1:1: a plan is an object of"},
	{"{'kota_plan':1,'steps':[],'more':1}", "plan.json:1:1: a plan is an object of"},
	{"{'kota_plan':2,'steps':[]}", "plan.json:1:2: this version reads plans of number 1"},
	{PLAN("7"), "plan.json:2:1: 'do' must be archive, put, merge, link or promote"},
	{PLAN("{'do':'delete'}"), "plan.json:2:1: 'do' must be"},
	{PLAN("{'do':1}"), "plan.json:2:1: 'do' must be"},
	{PLAN("{'do':'archive','entry':{}}"), "plan.json:2:17: 'entry' is no part of this step"},
	{PLAN("{'do':'put','with':[]}"), "plan.json:2:13: 'with' is no part of this step"},
	{PLAN("{'do':'put','mine':[]}"), "plan.json:2:13: 'mine' is no part of this step"},
	{PLAN("{'do':'archive'}"), "plan.json:2:1: 'ref' must be the ref of an entry"},
	{PLAN("{'do':'archive','ref':7}"), "plan.json:2:17: 'ref' must be the ref of an entry"},
	{PLAN("{'do':'archive','ref':'state:a','reason':'faded'}"),
	 "plan.json:2:1: 'decided_on' must have the digest"},
	{PLAN("{'do':'archive','ref':'state:a'," DECIDED(A) "}"),
	 "plan.json:2:1: 'reason' must be faded"},
	{PLAN("{'do':'archive','ref':'state:a','reason':'deleted'," DECIDED(A) "}"),
	 "plan.json:2:33: 'reason' must be faded"},
	{PLAN("{'do':'archive','ref':'a','reason':'faded'," DECIDED("'a':" DIGEST) "}"),
	 "plan.json:2:17: a ref begins with a category"},
	{PLAN("{'do':'archive','ref':'state:a','reason':'faded'," DECIDED(B) "}"),
	 "plan.json:2:50: 'decided_on' must have the digest"},
	{PLAN("{'do':'archive','ref':'state:a','reason':'faded'," DECIDED("'state:a':null") "}"),
	 "plan.json:2:50: an entry that is not there can only be put"},
	{PLAN("{'do':'archive','ref':'state:a','reason':'faded'," DECIDED("'state:a':'A1'") "}"),
	 "plan.json:2:64: a digest must be"},
	{PLAN("{'do':'archive','ref':'state:a','reason':'faded'," DECIDED("'state:a':'0'") "}"),
	 "plan.json:2:64: a digest must be"},
	{PLAN("{'do':'archive','ref':'state:a','reason':'faded'," DECIDED("'state:a':1") "}"),
	 "plan.json:2:64: a digest must be"},
	{PLAN("{'do':'put','ref':'state:a','entry':7," DECIDED(A) "}"),
	 "plan.json:2:29: 'entry' must be an entry"},
	{PLAN("{'do':'put','ref':'state:a','entry':{'vaule':7}," DECIDED(A) "}"),
	 "plan.json:2:29: 'entry' must be an entry"},
	{PLAN("{'do':'put','ref':'state:a','because':7,'entry':{'value':7}," DECIDED(A) "}"),
	 "plan.json:2:29: 'because' must be a text"},
	{PLAN("{'do':'merge','ref':'state:a','with':['state:b'],'entry':{'value':7}," DECIDED(
		 A) "}"),
	 "plan.json:2:70: 'decided_on' must have the digest"},
	{PLAN("{'do':'merge','ref':'state:a','with':[],'entry':{'value':7}," DECIDED(A) "}"),
	 "plan.json:2:61: 'decided_on' and 'with' must name the same entries"},
	{PLAN("{'do':'merge','ref':'state:a','with':[],'entry':{'value':7}," DECIDED(A "," B) "}"),
	 "plan.json:2:61: 'decided_on' and 'with' must name the same entries"},
	{PLAN("{'do':'merge','ref':'state:a','with':[7],'entry':{'value':7}," DECIDED(A) "}"),
	 "plan.json:2:39: 'with' must be a list of the refs"},
	{PLAN("{'do':'merge','ref':'state:a','with':['state:a'],'entry':{'value':7}," DECIDED(
		 A "," B) "}"),
	 "plan.json:2:39: this ref is named twice"},
	{PLAN("{'do':'link','ref':'state:a','to':'state:c','type':'related','strength':1," DECIDED(
		 A "," B) "}"),
	 "plan.json:2:30: 'to' must be the ref of another entry"},
	{PLAN("{'do':'link','ref':'state:a','to':'state:a','type':'related','strength':1," DECIDED(
		 A) "}"),
	 "plan.json:2:30: 'to' must be the ref of another entry"},
	{PLAN("{'do':'link','ref':'state:a','to':'state:b','type':'likes','strength':1," DECIDED(
		 A "," B) "}"),
	 "plan.json:2:45: 'type' must be related"},
	{PLAN("{'do':'link','ref':'state:a','to':'state:b','type':'related','strength':2," DECIDED(
		 A "," B) "}"),
	 "plan.json:2:62: 'strength' must be a number from 0 to 1"},
	{PLAN("{'do':'promote','ref':'state:a','note':'a','entry':{'value':1}," DECIDED(A) "}"),
	 "plan.json:2:1: 'text' must be the text of the note"},
};

static void quote(char *text)
{
	for (; *text; text++)
		*text = *text == '\'' ? '"' : *text;
}

static void anything_else_is_refused_with_its_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		struct plan plan = PLAN_INIT;
		char *text = strdup(refused[i].text);
		char *sentence = strdup(refused[i].sentence);
		struct err err;

		quote(text);
		quote(sentence);
		assert_int_equal(plan_read(&plan, "plan.json", slice_of(text), &err), -1);
		assert_int_equal(err.code, ERR_BAD_DATA);
		if (strncmp(err.text, sentence, strlen(sentence)) != 0)
			fail_msg("%s\nexpected: %s\nfor %s", err.text, sentence, text);
		plan_release(&plan);
		free(text);
		free(sentence);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_written_is_read_again, toolcall_set_up,
						toolcall_tear_down),
		cmocka_unit_test_setup_teardown(a_plan_that_was_read_is_applied, toolcall_set_up,
						toolcall_tear_down),
		cmocka_unit_test_setup_teardown(steps_that_are_skipped_are_not_written,
						toolcall_set_up, toolcall_tear_down),
		cmocka_unit_test(anything_else_is_refused_with_its_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
