/*
 * The day that a text names. Texts that name none are not taken apart, which must not be noticed.
 */
#include "similarity/due.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "base/time.h"
#include "text/dictionary.h"

#include <ctype.h>

/* 2026-11-21T08:30:00.000Z */
#define NOW INT64_C(1795249800000)

static int64_t due(const char *text)
{
	return due_of(slice_of(text), NOW);
}

/* A text with other than ASCII characters is always taken apart. */
static int64_t due_read(const char *text)
{
	STR_AUTO longer = STR_INIT;

	str_printf(&longer, "%s \xc3\xa9\xc3\xa9", text);
	return due_of(str_slice(&longer), NOW);
}

static void days_to_come_are_found(void **state)
{
	(void)state;
	assert_true(due("Freeze until 7 January") > NOW);
	assert_true(due("conference in April") > NOW);
	assert_true(due("The slides are due by Thursday") > NOW);
	assert_true(due("Launch on 2026-12-16") > NOW);
	assert_true(due("Launch on 2026-10-16") == TIME_NONE);
	assert_true(due("The report each quarter, next on 2026-12-16") == TIME_NONE);
	assert_true(due("Tabs are wider than four") == TIME_NONE);
	assert_true(due("") == TIME_NONE);
}

static void check_word(const char *word, size_t *found)
{
	static const char *const texts[] = {
		"ready until 7 %s", "it is due by %s",        "the %s's launch on %s",
		"LAUNCH ON %s 3",   "due(%s)by-%s,next %s; ", "on 4 and 5 %s we meet",
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		STR_AUTO text = STR_INIT;

		for (const char *c = texts[i]; *c; c++) {
			if (*c == '%') {
				str_adds(&text, word);
				c++;
			} else {
				str_addc(&text, *c);
			}
		}
		for (size_t k = 0; k < text.len; k++) {
			char kept = text.ptr[k];

			/* Capitals here and there. */
			text.ptr[k] = k % 3 == 0 ? (char)toupper((unsigned char)kept) : kept;
		}
		if (due(text.ptr) != due_read(text.ptr))
			fail_msg("read otherwise: %s", text.ptr);
		*found += due(text.ptr) != TIME_NONE;
	}
}

static void all_days_and_months_are_looked_for(void **state)
{
	size_t found = 0;

	(void)state;
	for (size_t i = 0; i < dictionary_row_count; i++) {
		const struct dictionary_row *row = &dictionary_rows[i];

		if (row->list == DICTIONARY_MONTHS || row->list == DICTIONARY_DAYS)
			check_word(dictionary_spelling(row), &found);
	}
	check_word("may", &found);
	check_word("mon'day", &found);
	check_word("tower", &found);
	assert_true(found > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(days_to_come_are_found),
		cmocka_unit_test(all_days_and_months_are_looked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
