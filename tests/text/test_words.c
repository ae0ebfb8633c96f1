#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "text/words.h"

static void check_content(const char *question, const char *content)
{
	struct arena arena = ARENA_INIT;
	struct text text;
	struct text rest;

	text_make(&arena, slice_of(question), &text);
	words_content(&arena, &text, &rest);
	assert_true(slice_is(rest.bytes, content));
	arena_release(&arena);
}

static void question_words_go_from_both_ends(void **state)
{
	(void)state;
	check_content("what is the work context", "work context");
	check_content("where do i find my editor please", "editor");
	check_content("capital of mongolia", "capital of mongolia");
	check_content("editor", "editor");
	check_content("where is the format from", "format from");
	check_content("show me the editor please", "editor");
	check_content("", "");
}

static void what_somebody_does_is_no_content(void **state)
{
	(void)state;
	check_content("where did i put the editor", "editor");
	check_content("what did we set the work context to", "work context");
	check_content("which editor do we use", "editor");
	check_content("what was the editor again", "editor");
	check_content("what is the editor called now", "editor");
	/* without a question they are words like others */
	check_content("set format to", "set format to");
	check_content("use now", "use now");
	check_content("my play again", "play again");
	check_content("you use", "you use");
}

static void a_question_of_question_words_stays(void **state)
{
	(void)state;
	check_content("what is the", "what is the");
	check_content("about me", "about me");
}

static bool is_question_at(const char *question, uint32_t word)
{
	struct arena arena = ARENA_INIT;
	struct text text;
	bool result;

	text_make(&arena, slice_of(question), &text);
	result = words_is_listed_at(&text, word, DICTIONARY_ASKING);
	arena_release(&arena);
	return result;
}

/* The list is searched by halving: a word out of order would be lost. */
static void question_words_are_known(void **state)
{
	(void)state;
	assert_true(is_question_at("a", 0));
	assert_true(is_question_at("your", 0));
	assert_true(is_question_at("remember", 0));
	assert_true(is_question_at("recall", 0));
	assert_true(is_question_at("please", 0));
	assert_true(is_question_at("editor what", 1));
	assert_false(is_question_at("whatever", 0));
	assert_false(is_question_at("é", 0));
	assert_false(is_question_at("averyveryverylongword", 0));
}

static struct words_likeness compare(const char *query, const char *word)
{
	struct arena arena = ARENA_INIT;
	struct words_likeness result;
	struct text a;
	struct text b;

	text_make(&arena, slice_of(query), &a);
	text_make(&arena, slice_of(word), &b);
	result = words_compare(a.chars, a.len, b.chars, b.len);
	arena_release(&arena);
	return result;
}

static void words_resemble_each_other(void **state)
{
	(void)state;
	assert_true(compare("work", "work").likeness == 1 && compare("work", "work").near);
	assert_true(compare("wrok", "work").likeness == 0.75 && compare("wrok", "work").near);
	assert_true(compare("notif", "notification").likeness == WORDS_PREFIX);
	assert_false(compare("notif", "notification").near);
	assert_true(compare("no", "notification").likeness == 0);
	assert_true(compare("context", "contest").near);
	assert_true(compare("goals", "topics").likeness == 0);
	assert_true(compare("abc", "abd").likeness > 0.66 && !compare("abc", "abd").near);
	assert_true(compare("goals", "gaosl").likeness == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(question_words_go_from_both_ends),
		cmocka_unit_test(what_somebody_does_is_no_content),
		cmocka_unit_test(a_question_of_question_words_stays),
		cmocka_unit_test(question_words_are_known),
		cmocka_unit_test(words_resemble_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
