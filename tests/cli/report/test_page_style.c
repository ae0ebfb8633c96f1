#include "cli/report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on

/* Least contrast of text, and of what is drawn: WCAG 2.2, level AA. */
#define TEXT 4.5
#define DRAWN 3.0

static const struct {
	const char *front;
	const char *back;
	double least;
} pairs[] = {
	{"ink", "paper", TEXT},     {"ink", "card", TEXT},    {"soft", "paper", TEXT},
	{"soft", "card", TEXT},     {"soft", "shade", TEXT},  {"accent", "paper", TEXT},
	{"warn", "paper", TEXT},    {"warn", "card", TEXT},   {"accent", "paper", DRAWN},
	{"accent", "track", DRAWN}, {"warn", "track", DRAWN}, {"accent", "card", DRAWN},
};

/* A part of a colour, 0 to 1, as light. */
static double light(long part)
{
	double share = (double)part / 255;

	return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4);
}

static double luminance(long colour)
{
	return 0.2126 * light(colour >> 16 & 255) + 0.7152 * light(colour >> 8 & 255) +
	       0.0722 * light(colour & 255);
}

static double contrast(long a, long b)
{
	double one = luminance(a);
	double other = luminance(b);

	return (fmax(one, other) + 0.05) / (fmin(one, other) + 0.05);
}

/* "--ink: #23272b;" in the block that begins at the place. */
static long colour_of(const char *block, const char *name)
{
	char start[32];
	const char *end = strchr(block, '}');
	const char *at;

	snprintf(start, sizeof start, "--%s: #", name);
	at = strstr(block, start);
	if (!at || at > end)
		fail_msg("no colour %s", name);
	return strtol(at + strlen(start), NULL, 16);
}

static void check_block(const char *block, const char *scheme)
{
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		double found = contrast(colour_of(block, pairs[i].front),
					colour_of(block, pairs[i].back));

		if (found < pairs[i].least)
			fail_msg("%s: %s on %s has %.2f, less than %.1f", scheme, pairs[i].front,
				 pairs[i].back, found, pairs[i].least);
	}
}

static void test_the_measure(void **state)
{
	(void)state;
	assert_true(fabs(contrast(0xffffff, 0x000000) - 21) < 1e-9);
	assert_true(fabs(contrast(0x777777, 0xffffff) - 4.478) < 1e-3);
}

static void test_contrast_in_each_scheme(void **state)
{
	static const char *const schemes[] = {":root {", "(prefers-color-scheme: dark)",
					      "@media print"};

	(void)state;
	for (int i = 0; i < 3; i++) {
		const char *at = strstr(page_style, schemes[i]);

		assert_non_null(at);
		check_block(strstr(at, "--paper"), schemes[i]);
	}
}

/* Colours are named in one place, so that the test above speaks of all of them. */
static void test_no_other_colours(void **state)
{
	(void)state;
	for (const char *at = strchr(page_style, '#'); at; at = strchr(at + 1, '#'))
		assert_true(at - page_style > 2 && strncmp(at - 2, ": ", 2) == 0 && at[7] == ';');
	assert_null(strstr(page_style, "rgb"));
	assert_null(strstr(page_style, "url("));
	assert_null(strstr(page_style, "@import"));
	assert_null(strstr(page_style, "@font-face"));
}

static void test_what_people_ask_their_systems_for(void **state)
{
	(void)state;
	assert_non_null(strstr(page_style, "prefers-reduced-motion"));
	assert_non_null(strstr(page_style, "forced-colors: active"));
	assert_non_null(strstr(page_style, "@media print"));
	assert_non_null(strstr(page_style, ":focus-visible"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_measure),
		cmocka_unit_test(test_contrast_in_each_scheme),
		cmocka_unit_test(test_no_other_colours),
		cmocka_unit_test(test_what_people_ask_their_systems_for),
	};

	return cmocka_run_group_tests_name("page_style", tests, NULL, NULL);
}
