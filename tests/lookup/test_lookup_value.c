#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lookup/lookup.h"

#include <stdio.h>

static struct lookup_answer ask_values(const char *const pairs[][2], size_t count,
				       const char *query)
{
	struct lookup_item items[4] = {0};
	struct lookup_answer answer;
	struct lookup *index;

	for (size_t i = 0; i < count; i++) {
		items[i].key = items[i].ref = slice_of(pairs[i][0]);
		items[i].value = slice_of(pairs[i][1]);
	}
	index = lookup_new(items, count);
	lookup_find(index, slice_of(query), LOOKUP_ANY_SCOPE, &answer);
	lookup_free(index);
	return answer;
}

#define LONG_TEXT                                                                                  \
	"\"Bought second hand in the spring together with the ladder, kept under the stairs "      \
	"behind "                                                                                  \
	"the winter coats, lent to the neighbours every other month, last seen beside the %s in "  \
	"a "                                                                                       \
	"box without a label, to be returned before the end of the year with the receipt\""

static void what_stands_as_asked_goes_before_what_is_nearly_that(void **state)
{
	char text[512];
	const char *pairs[4][2] = {
		{"ladder", text},
		{"shelf", "\"the pancreation of it\""},
		{"varnishing", "1"},
		{"cupboard", "\"antistablishmentarian pancreations\""},
	};
	struct lookup_answer answer;

	(void)state;
	snprintf(text, sizeof text, LONG_TEXT, "pancreatin");
	answer = ask_values(pairs, 4, "pancreatin");
	assert_true(answer.found && answer.item == 0);
	assert_true(answer.confidence < 0.8);
	/* whole, before a part of a longer word */
	snprintf(text, sizeof text, LONG_TEXT, "creation");
	assert_int_equal(ask_values(pairs, 4, "creation").item, 0);
	/* in a key too */
	snprintf(text, sizeof text, LONG_TEXT, "garnishing");
	answer = ask_values(pairs, 4, "garnishing");
	assert_int_equal(answer.item, 0);
	/* who is more alike is named beside it */
	assert_true(answer.also_count == 1 && answer.also[0].item == 2);
	/* and answers what stands nowhere */
	assert_int_equal(ask_values(pairs, 4, "vrnishing").item, 2);
}

static void a_key_that_says_all_goes_before_words_of_a_value(void **state)
{
	const char *pairs[2][2] = {
		{"mobile client for android and others: release date", "1"},
		{"ladder", "\"the date of the next release\""},
	};

	(void)state;
	assert_int_equal(ask_values(pairs, 2, "release date").item, 0);
	assert_int_equal(ask_values(pairs, 2, "next date").item, 1);
}

static void a_key_for_all_words_goes_before_a_key_for_some(void **state)
{
	const char *pairs[2][2] = {{"kindergarten", "1"}, {"Kindergarten Deposit", "2"}};

	(void)state;
	assert_int_equal(ask_values(pairs, 2, "kindergarten depsoti").item, 1);
	assert_int_equal(ask_values(pairs, 2, "kindergarten teacher").item, 0);
}

static void what_is_surely_a_word_is_no_slip_of_one_in_a_value(void **state)
{
	const char *pairs[3][2] = {
		{"passport_renewal", "\"Sent the forms on 3 May, reference HJ, still waiting\""},
		{"ladder", "\"under the stairs\""},
		{"sql_keywords", "\"in lower case\""},
	};

	(void)state;
	assert_false(ask_values(pairs, 3, "how much is the rent?").found);
	assert_false(ask_values(pairs, 3, "stars").found);
	assert_false(ask_values(pairs, 3, "how old is the vase?").found);
	assert_int_equal(ask_values(pairs, 3, "where is the refernce?").item, 0);
	/* a letter left out may make a word */
	assert_int_equal(ask_values(pairs, 3, "who is tsill witing?").item, 0);
	/* in a language of which no list is known the first letter is right */
	assert_false(ask_values(pairs, 3, "¿dónde están las dorms?").found);
	assert_int_equal(ask_values(pairs, 3, "¿dónde están los refrence?").item, 0);
	assert_int_equal(ask_values(pairs, 3, "where is the refrence?").item, 0);
	assert_int_equal(ask_values(pairs, 3, "staris").item, 1);
}

static void who_does_it_is_asked_for_also_with_more_words(void **state)
{
	const char *pairs[1][2] = {{"piano_teacher", "\"Mrs Lind comes on Tuesdays\""}};

	(void)state;
	assert_true(ask_values(pairs, 1, "who teaches piano on Tuesdays?").found);
	assert_false(ask_values(pairs, 1, "who tunes the piano on Tuesdays?").found);
}

/* What the ranked search takes for the answer is one, if the key does not differ. */
static bool is_taken(const char *key, const char *value, const char *query)
{
	struct lookup_item item = {
		.key = slice_of(key), .ref = slice_of(key), .value = slice_of(value)};
	struct lookup *index = lookup_new(&item, 1);
	struct lookup_answer answer = {0};

	lookup_take(index, slice_of(query), 0, 0.7, &answer);
	lookup_free(index);
	return answer.found;
}

static void one_of_two_alternatives_is_enough(void **state)
{
	const char *value = "\"indent by tabs\"";

	(void)state;
	assert_true(is_taken("code_style", value, "do we use tabs or spaces?"));
	assert_true(is_taken("code_style", value, "are spaces or the tabs for us?"));
	assert_false(is_taken("code_style", value, "do we use spaces and braces?"));
	assert_false(is_taken("code_style", value, "do we use spaces or braces?"));
	assert_false(is_taken("umowa_o_dzieło", "\"do maja\"", "umowa o pracę"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_stands_as_asked_goes_before_what_is_nearly_that),
		cmocka_unit_test(a_key_that_says_all_goes_before_words_of_a_value),
		cmocka_unit_test(a_key_for_all_words_goes_before_a_key_for_some),
		cmocka_unit_test(what_is_surely_a_word_is_no_slip_of_one_in_a_value),
		cmocka_unit_test(who_does_it_is_asked_for_also_with_more_words),
		cmocka_unit_test(one_of_two_alternatives_is_enough),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
