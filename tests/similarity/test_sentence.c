#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "similarity/contradiction.h"

#include "base/str.h"

/* The words of a text; those that are no content in brackets, those that are shared with a star. */
static void check(const char *text, const char *other, const char *want)
{
	struct arena arena = ARENA_INIT;
	STR_AUTO got = STR_INIT;
	struct sentence a;
	struct sentence b;

	sentence_make(&arena, slice_of(text), &a);
	sentence_make(&arena, slice_of(other), &b);
	sentence_share(&a, &b);
	for (size_t i = 0; i < a.count; i++) {
		bool content = sentence_is_content(&a.words[i]);

		str_printf(&got, "%s%s", i ? " " : "", content ? "" : "(");
		str_add(&got, a.words[i].text);
		str_printf(&got, "%s%s", content ? "" : ")", a.words[i].shared ? "*" : "");
	}
	assert_string_equal(got.ptr, want);
	arena_release(&arena);
}

static void words_have_their_part(void **state)
{
	(void)state;
	check("The cat doesn't sleep", "", "(the) cat (doesnt) sleep");
	check("Paul no longer sleeps", "", "paul (no_longer) sleeps");
	check("不喜欢", "", "(不) 喜 欢");
	check("", "", "");
}

static void words_are_shared_one_by_one(void **state)
{
	(void)state;
	check("cats and cats", "a cat", "cats* (and) cats");
	check("sleeping sleeps", "sleeps", "sleeping sleeps*");
	check("two cats", "two dogs", "two* cats");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_have_their_part),
		cmocka_unit_test(words_are_shared_one_by_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
