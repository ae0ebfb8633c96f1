#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/utf8.h"
#include "secrets/withhold.h"
#include "support/secret_sample.h"

#include <string.h>
#include <time.h>

static void becomes(const char *sentence, const char *expected)
{
	STR_AUTO scratch = STR_INIT;
	STR_AUTO got = STR_INIT;

	str_add(&got, withhold(&scratch, slice_of(sentence)));
	assert_string_equal(got.ptr, expected);
}

static void test_sentences_stay(void **state)
{
	static const char *const sentences[] = {
		"",
		"there is no entry \"editor\"",
		"value: holds a secret (password); leave it out, or keep it with --allow-secret",
		"limit: expected a whole number from 1 to 100, not \"many\"",
		"state.json:3:7: a comma before \"}\"",
		"cannot read /home/ada/a/very/long/path/that/has/many/parts/and/goes/on/fo...",
		"there is no entry \"preferences:what she likes to have for breakfast on a Su...\"",
		"\"",
	};
	STR_AUTO scratch = STR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++)
		assert_ptr_equal(withhold(&scratch, slice_of(sentences[i])).ptr, sentences[i]);
}

/* Each secret that is refused, as it comes in sentences: quoted, at the end, before a colon. */
static void test_each_secret_is_named(void **state)
{
	static const char *const before[] = {"there is no entry \"state:", "unknown tool: ", ""};
	static const char *const behind[] = {"\"; see kota list", "", ": not known here"};
	uint64_t seed = 3;

	(void)state;
	for (const struct secret_sample *sample = secret_samples; sample->rule; sample++) {
		for (size_t i = 0; i < 3; i++) {
			STR_AUTO secret = STR_INIT;
			STR_AUTO sentence = STR_INIT;
			STR_AUTO mark = STR_INIT;
			STR_AUTO scratch = STR_INIT;
			STR_AUTO got = STR_INIT;

			secret_make(sample->pattern, &seed, &secret);
			str_printf(&sentence, "%s%s%s", before[i], secret.ptr, behind[i]);
			str_printf(&mark, "[withheld: %s]", sample->rule);
			str_add(&got, withhold(&scratch, str_slice(&sentence)));
			if (strstr(got.ptr, secret.ptr) || !strstr(got.ptr, mark.ptr))
				fail_msg("%s\nbecomes %s", sentence.ptr, got.ptr);
		}
	}
}

static void test_the_rest_is_kept(void **state)
{
	STR_AUTO token = STR_INIT;
	STR_AUTO sentence = STR_INIT;
	uint64_t seed = 3;

	(void)state;
	secret_make("ghp_%A36;", &seed, &token);
	str_printf(&sentence, "there is no \"%s\", nor %s: look again", token.ptr, token.ptr);
	becomes(sentence.ptr, "there is no \"[withheld: GitHub token]\", nor "
			      "[withheld: GitHub token]: look again");
	becomes("there is no entry \"postgres://ada:x9Kq2-vTz@db/x\"",
		"there is no entry \"[withheld: password in a URL]\"");
	becomes("there is no entry \"password: x9Kq2-vTz\"",
		"there is no entry \"[withheld: password]\"");
}

/* Most of a token is not shown either, though no rule knows it. */
static void test_cut_words(void **state)
{
	uint64_t seed = 3;

	(void)state;
	for (const struct secret_sample *sample = secret_samples; sample->rule; sample++) {
		STR_AUTO secret = STR_INIT;
		STR_AUTO visible = STR_INIT;
		STR_AUTO sentence = STR_INIT;
		STR_AUTO scratch = STR_INIT;
		STR_AUTO got = STR_INIT;

		secret_make(sample->pattern, &seed, &secret);
		if (secret.len <= SHOWN_CHARACTERS || strpbrk(secret.ptr, " /:=\n"))
			continue;
		str_printf(&sentence, "there is no entry \"%s\"",
			   shown(&visible, str_slice(&secret)));
		str_add(&got, withhold(&scratch, str_slice(&sentence)));
		if (strchr(got.ptr, '[') == NULL)
			assert_true(got.len <= strlen("there is no entry \"...\"") + 16);
		str_truncate(&secret, 17);
		assert_null(strstr(got.ptr, secret.ptr));
	}
	becomes("no \"abcdefghijklmnop...\"", "no \"abcdefghijklmnop...\"");
	becomes("no \"abcdefghijklmnopq...\", b...", "no \"abcdefghijklmnop...\", b...");
	becomes("abcdefghijklmnopqrst.......", "abcdefghijklmnop.......");
}

static double milliseconds_for(const struct str *sentence)
{
	STR_AUTO scratch = STR_INIT;
	struct timespec begin;
	struct timespec end;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
	withhold(&scratch, str_slice(sentence));
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	return (double)(end.tv_sec - begin.tv_sec) * 1e3 +
	       (double)(end.tv_nsec - begin.tv_nsec) / 1e6;
}

/* Twice the sentence takes about twice the time: here, not four times. */
static void test_time(void **state)
{
	static const char *const pieces[] = {"a...", "\"", "abcdefghijklmnopqrstu...", "ghp_ \""};

	(void)state;
	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
		STR_AUTO one = STR_INIT;
		STR_AUTO eight = STR_INIT;
		double first;

		while (one.len < 1 << 16)
			str_adds(&one, pieces[i]);
		for (int n = 0; n < 8; n++)
			str_add(&eight, str_slice(&one));
		first = milliseconds_for(&one);
		assert_true(milliseconds_for(&eight) < 32 * first + 20);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sentences_stay),
		cmocka_unit_test(test_each_secret_is_named),
		cmocka_unit_test(test_the_rest_is_kept),
		cmocka_unit_test(test_cut_words),
		cmocka_unit_test(test_time),
	};

	return cmocka_run_group_tests_name("withhold", tests, NULL, NULL);
}
