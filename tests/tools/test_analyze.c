#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/toolcall.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, toolcall_set_up, toolcall_tear_down)

static void what_is_to_be_kept(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(
		t, "analyze", "{'message':'Remember that I prefer Vim'}",
		"{'should_save':true,'confidence':1,'decision':'auto',"
		"'suggested_key':'preference_vim','suggested_category':'preferences',"
		"'suggested_tags':['vim'],'suggested_entities':['Vim'],"
		"'suggested_strength':1.07,"
		"'signals':{'save_phrase':5,'entities':0.8,'decision':4},"
		"'reasoning':'It asks to be remembered (\\'remember that\\'); it names Vim; it "
		"tells a choice (\\'prefer\\'): save it.'}");
}

static void what_is_asked_for(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(
		t, "analyze",
		"{'message':'What did I say about the Night Train?','intent':'recall'}",
		"{'should_search':true,'confidence':0.987,'decision':'auto',"
		"'suggested_query':'Night Train','suggested_tags':['night_train'],"
		"'suggested_entities':['Night Train'],"
		"'signals':{'recall_phrase':4,'question':1.5,'entities':0.8},"
		"'reasoning':'It asks for what was told before (\\'what did i say\\'); it begins "
		"like a question (\\'what\\'); it names Night Train: look it up.'}");
}

static void nothing_to_do(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "analyze", "{'message':'thanks!','intent':'save'}",
			 "{'should_save':false,'confidence':0.119,'decision':'skip',"
			 "'suggested_tags':[],'suggested_entities':[],"
			 "'suggested_strength':1.003,'signals':{},"
			 "'reasoning':'It holds no sign of a memory: nothing to save.'}");
	toolcall_reply_has(t, "analyze", "{'message':'thanks!','intent':'recall'}",
			   "nothing to look up.");
}

static void a_question_is_never_saved_unasked(void **state)
{
	struct teststore *t = *state;

	toolcall_reply_has(t, "analyze", "{'message':'Can you remember that I prefer Vim?'}",
			   "'should_save':false,'confidence':1");
	toolcall_reply_has(t, "analyze", "{'message':'Can you remember that I prefer Vim?'}",
			   "'decision':'ask'");
	toolcall_reply_has(t, "analyze", "{'message':'Can you remember that I prefer Vim?'}",
			   "as it is a question, ask the user before saving it.");
}

static void ask_first(void **state)
{
	struct teststore *t = *state;

	toolcall_reply_has(t, "analyze", "{'message':'a must'}",
			   "(\\'must\\'): ask the user before saving it.");
	toolcall_reply_has(t, "analyze", "{'message':'my keyboard','intent':'recall'}",
			   "(\\'my \\'): ask the user before looking it up.");
}

static void tags_are_few_and_clean(void **state)
{
	struct teststore *t = *state;

	toolcall_reply_has(t, "analyze",
			   "{'message':'C++, C#, Node.js, GPT-4, Rust, Perl 5.36, Lua and Zig'}",
			   "'suggested_tags':['c','node-js','gpt-4','rust','perl_5-36']");
}

static void nothing_is_read_or_made(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "analyze", "{'message':'remember this'}", NULL);
	assert_int_equal(tmpdir_count(&t->dir), 0);
	toolcall_write_file(t, "state.json", "{broken");
	toolcall_replies(t, "analyze", "{'message':'remember this'}", NULL);
}

static void refused(void **state)
{
	struct teststore *t = *state;

	toolcall_refused(t, "analyze", "{}", ERR_MISSING_ARGUMENT, NULL);
	toolcall_refused(t, "analyze", "{'message':' \\n'}", ERR_BLANK_ARGUMENT, NULL);
	toolcall_refused(t, "analyze", "{'message':5}", ERR_WRONG_TYPE, NULL);
	toolcall_refused_with(t, "analyze", "{'message':'x','intent':'delete'}", ERR_BAD_VALUE,
			      "save, recall");
	toolcall_refused(t, "analyze", "{'message':'x','limit':1}", ERR_UNKNOWN_ARGUMENT, NULL);
}

static void too_long_a_message(void **state)
{
	struct teststore *t = *state;
	STR_AUTO arguments = STR_INIT;

	str_adds(&arguments, "{'message':'");
	for (int i = 0; i < 65537; i++)
		str_addc(&arguments, 'x');
	str_adds(&arguments, "'}");
	toolcall_refused(t, "analyze", arguments.ptr, ERR_TOO_LARGE, NULL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(what_is_to_be_kept),
		TEST(what_is_asked_for),
		TEST(nothing_to_do),
		TEST(a_question_is_never_saved_unasked),
		TEST(ask_first),
		TEST(tags_are_few_and_clean),
		TEST(nothing_is_read_or_made),
		TEST(refused),
		TEST(too_long_a_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
