#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/str.h"
#include "model/category.h"
#include "nlp/forms.h"

static struct forms_finding told(const char *message)
{
	struct forms_finding finding;

	forms_find(slice_of(message), ANALYZE_SAVE, &finding);
	return finding;
}

static bool is_asked(const char *message)
{
	struct forms_finding finding;

	forms_find(slice_of(message), ANALYZE_RECALL, &finding);
	return finding.form != NULL;
}

static void a_form_tells_the_category(void **state)
{
	(void)state;
	assert_int_equal(told("Please never sort the imports").category, CATEGORY_PREFERENCES);
	assert_int_equal(told("Ines is my supervisor").category, CATEGORY_CONNECTIONS);
	assert_int_equal(told("On Sundays the shop is shut").category, CATEGORY_PATTERNS);
	assert_int_equal(told("\xe2\x80\x9cthe cave\xe2\x80\x9d is the cellar").category,
			 CATEGORY_SHORTCUTS);
	assert_int_equal(told("The fair has been postponed").category, CATEGORY_STATE);
	assert_int_equal(told("Hello there").category, CATEGORY_ANY);
	assert_null(told("Hello there").form);
}

static void a_question_tells_nothing(void **state)
{
	(void)state;
	assert_null(told("Is Ines my supervisor?").form);
	assert_true(told("could you always do that").question);
	/* Begins like one and is none. */
	assert_non_null(told("When I say ship it, push").form);
}

static void what_is_looked_at_does_not_last(void **state)
{
	(void)state;
	assert_non_null(told("We use tabs").form);
	assert_null(told("We use tabs in this line").form);
	assert_true(told("We use tabs in this line").passing);
	/* An order that names its own time holds all the same. */
	assert_non_null(told("From now on do it in this order").form);
}

static void what_leans_on_what_was_told(void **state)
{
	(void)state;
	assert_true(is_asked("where did we stop"));
	assert_true(is_asked("Mach es wie immer"));
	assert_true(is_asked("what's the name of the vet again?"));
	assert_false(is_asked("what's the name of the vet again and again, in short"));
	assert_false(is_asked("How do I boil an egg?"));
}

/* A long message has no form that takes long to look for. */
static void any_text_is_read_in_a_moment(void **state)
{
	STR_AUTO text = STR_INIT;

	(void)state;
	for (int i = 0; i < 20000; i++)
		str_adds(&text, i % 3 ? "we \xff" : "my, \"on\" ");
	told(text.ptr);
	told("");
	told("'s");
	told("\xe2\x80\x99s \xc2\xab\xc2\xbb ,,, :");
}

static void nothing_new_is_done_without_asking(void **state)
{
	struct forms_finding form = told("Never print invoices");
	struct analysis analysis;

	(void)state;
	analyze_message(slice_of("Never print invoices"), ANALYZE_SAVE, 1, &analysis);
	assert_int_equal(analysis.decision, ANALYZE_DECIDES_ASK);
	forms_add(&form, false, ANALYZE_SAVE, &analysis);
	assert_true(analysis.confidence >= ANALYZE_AUTO);
	assert_int_equal(analysis.decision, ANALYZE_DECIDES_ASK);
	/* Which of two drafts is no preference for ever. */
	form = told("I prefer the second draft");
	analyze_message(slice_of("I prefer the second draft"), ANALYZE_SAVE, 0, &analysis);
	assert_int_equal(analysis.decision, ANALYZE_DECIDES_AUTO);
	forms_add(&form, false, ANALYZE_SAVE, &analysis);
	assert_int_equal(analysis.decision, ANALYZE_DECIDES_ASK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_form_tells_the_category),
		cmocka_unit_test(a_question_tells_nothing),
		cmocka_unit_test(what_is_looked_at_does_not_last),
		cmocka_unit_test(what_leans_on_what_was_told),
		cmocka_unit_test(any_text_is_read_in_a_moment),
		cmocka_unit_test(nothing_new_is_done_without_asking),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
