#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "nlp/intent.h"

static void check_key(const char *message, const char *expected)
{
	struct analysis analysis;
	STR_AUTO out = STR_INIT;

	str_adds(&out, "rest");
	analyze_message(slice_of(message), ANALYZE_SAVE, 0, &analysis);
	topic_key(slice_of(message), analysis.kind, &out);
	assert_string_equal(out.ptr, expected);
}

static void check_query(const char *message, const char *expected)
{
	STR_AUTO out = STR_INIT;

	str_adds(&out, "rest");
	topic_query(slice_of(message), &out);
	assert_string_equal(out.ptr, expected);
}

static void keys(void **state)
{
	(void)state;
	check_key("Remember: I prefer TypeScript over JavaScript",
		  "preference_typescript_javascript");
	check_key("my preference is vim", "preference_vim");
	check_key("Remember this: the API key rotates monthly", "api_rotates_monthly");
	check_key("I\u2019ve decided to use Node.js and C++", "decision_node_js_c++");
	check_key("I always run tests before pushing, run run", "habit_run_tests_pushing");
	check_key("The staging host is blue-7", "staging_host_blue_7");
	check_key("one two three apples pears plums figs nuts", "three_apples_pears_plums");
	check_key("I never deploy on Fridays", "habit_never_deploy_fridays");
	check_key("", "");
	check_key("I prefer this", "");
	check_key("remember that", "");
}

static void keys_of_any_script(void **state)
{
	(void)state;
	check_key("\u041f\u0440\u0438\u0432\u0435\u0442, \u041c\u0418\u0420!",
		  "\u043f\u0440\u0438\u0432\u0435\u0442_\u043c\u0438\u0440");
	check_key("\u6211\u559c\u6b22\u3001Vim", "\u6211\u559c\u6b22_vim");
	/* 32 characters of 40. */
	check_key("0123456789012345678901234567890123456789", "01234567890123456789012345678901");
	check_key("\xff\xfe x\xff", "x");
}

static void queries(void **state)
{
	(void)state;
	check_query("What did I say about TypeScript?", "TypeScript");
	check_query("What did I say about my API preferences?", "API preferences");
	check_query("Do you remember our queue, the 'night' queue?", "queue night");
	check_query("what did we talk about last time?", "");
	check_query("a1 b2 c3 d4 e5 f6 g7 h8 i9 j10 k11 l12 m13",
		    "a1 b2 c3 d4 e5 f6 g7 h8 i9 j10 k11 l12");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys),
		cmocka_unit_test(keys_of_any_script),
		cmocka_unit_test(queries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
