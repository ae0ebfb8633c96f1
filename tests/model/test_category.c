#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/category.h"

static void test_names(void **state)
{
	static const char *const expected[] = {"preferences", "connections", "patterns",
					       "shortcuts", "state"};
	const char *const *names = category_names;

	(void)state;
	assert_int_equal(CATEGORY_COUNT, 5);
	for (int i = 0; i < CATEGORY_COUNT; i++) {
		assert_string_equal(names[i], expected[i]);
		assert_string_equal(category_name((enum category)i), expected[i]);
		assert_int_equal(category_find(slice_of(expected[i])), i);
	}
	assert_null(names[CATEGORY_COUNT]);
}

static void test_find_ignores_case_alone(void **state)
{
	static const char *const wrong[] = {"",       "stat",       "state ",
					    "states", "\u017ftate", "s\0tate"};

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_int_equal(category_find(slice_of(wrong[i])), CATEGORY_ANY);
	assert_int_equal(category_find(slice_of(NULL)), CATEGORY_ANY);
	assert_int_equal(category_find(slice_make("stateful", 5)), CATEGORY_STATE);
	assert_int_equal(category_find(slice_of("State")), CATEGORY_STATE);
	assert_int_equal(category_find(slice_of("PREFERENCES")), CATEGORY_PREFERENCES);
}

static void test_infer(void **state)
{
	static const struct {
		const char *identity;
		enum category expected;
	} cases[] = {
		{"preference", CATEGORY_PREFERENCES},
		{"prefs", CATEGORY_PREFERENCES},
		{"pref", CATEGORY_PREFERENCES},
		{"preferred editor", CATEGORY_PREFERENCES},
		{"relationship map", CATEGORY_CONNECTIONS},
		{"connect", CATEGORY_CONNECTIONS},
		{"my partner", CATEGORY_CONNECTIONS},
		{"dream team", CATEGORY_CONNECTIONS},
		{"pattern", CATEGORY_PATTERNS},
		{"limit", CATEGORY_PATTERNS},
		{"daily routine", CATEGORY_PATTERNS},
		{"office hours", CATEGORY_PATTERNS},
		{"shortcut", CATEGORY_SHORTCUTS},
		{"git alias", CATEGORY_SHORTCUTS},
		{"catchphrase", CATEGORY_SHORTCUTS},
		{"current work context", CATEGORY_STATE},
		{"conversation notes", CATEGORY_STATE},
		{"project goals", CATEGORY_STATE},
		{"focus topics", CATEGORY_STATE},
		{"pre f", CATEGORY_STATE},
		{"team preferences", CATEGORY_PREFERENCES},
		{"client pattern", CATEGORY_CONNECTIONS},
		{"habit shortcut", CATEGORY_PATTERNS},
		{"\u65e5\u672c", CATEGORY_STATE},
		{"", CATEGORY_STATE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(category_infer(slice_of(cases[i].identity)), cases[i].expected);
}

static void test_infer_stays_inside_the_slice(void **state)
{
	(void)state;
	assert_int_equal(category_infer(slice_make("limit", 4)), CATEGORY_STATE);
}

static void test_ref_parse(void **state)
{
	static const struct {
		const char *text;
		int category;
		const char *key;
	} cases[] = {
		{"editor", CATEGORY_ANY, "editor"},
		{"preferences:editor", CATEGORY_PREFERENCES, "editor"},
		{"state:a:b", CATEGORY_STATE, "a:b"},
		{"  state:  a b  ", CATEGORY_STATE, "a b"},
		{"state:", CATEGORY_STATE, ""},
		{"state: ", CATEGORY_STATE, ""},
		{":editor", CATEGORY_ANY, ":editor"},
		{"State:Editor", CATEGORY_STATE, "Editor"},
		{"https://example.org", CATEGORY_ANY, "https://example.org"},
		{"", CATEGORY_ANY, ""},
		{" \t ", CATEGORY_ANY, ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ref ref = ref_parse(slice_of(cases[i].text));

		assert_int_equal(ref.category, cases[i].category);
		assert_true(slice_is(ref.key, cases[i].key));
	}
}

static void test_ref_add(void **state)
{
	STR_AUTO out = STR_INIT;

	(void)state;
	str_adds(&out, "> ");
	ref_add(&out, CATEGORY_SHORTCUTS, slice_of("a:b"));
	assert_string_equal(out.ptr, "> shortcuts:a:b");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_find_ignores_case_alone),
		cmocka_unit_test(test_infer),
		cmocka_unit_test(test_infer_stays_inside_the_slice),
		cmocka_unit_test(test_ref_parse),
		cmocka_unit_test(test_ref_add),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
