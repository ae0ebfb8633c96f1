/*
 * What the rules of similarity/report.h make of notes that were labelled by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "similarity/report.h"

#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE 512

static void tells_what_happened_from_what_holds(void **state)
{
	const char *folder = getenv("srcdir");
	int said[2][2] = {{0}};
	char line[LINE];
	char path[LINE];
	FILE *file;

	(void)state;
	snprintf(path, sizeof path, "%s/tests/similarity/reports.txt", folder ? folder : ".");
	file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof line, file)) {
		char *text = strstr(line, " | ");
		bool wanted = strncmp(line, "report", strlen("report")) == 0;
		bool tells;

		if (*line == '#' || !text)
			continue;
		line[strcspn(line, "\n")] = '\0';
		text += strlen(" | ");
		tells = report_read(slice_of(text)) == REPORT_EVENT;
		said[wanted][tells]++;
		if (tells != wanted)
			print_message("not so: %s\n", line);
	}
	fclose(file);
	print_message("facts: %d right, %d wrong; reports: %d right, %d missed\n", said[0][0],
		      said[0][1], said[1][1], said[1][0]);
	/* What holds must not fade: there the bar is higher. */
	assert_true(said[0][0] >= 80 && said[0][1] <= 2);
	assert_true(said[1][1] >= 76 && said[1][0] <= 5);
}

static void a_rule_says_what_has_to_be_done(void **state)
{
	static const struct {
		const char *text;
		bool is;
	} rows[] = {
		{"Boats are joined by their number, never by name", true},
		{"Each crate must be weighed twice", true},
		{"Die Pumpe muss vor dem Start entlüftet werden", true},
		{"Rechnungen gehen immer an die Zentrale", true},
		{"Crates are weighed twice", false},
		{"The mustard is in the cellar", false},
		{"", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (report_is_rule(slice_of(rows[i].text)) != rows[i].is)
			fail_msg("%s", rows[i].text);
}

static void a_value_is_no_report(void **state)
{
	static const char *const values[] = {"", "blocked", "   ", "42", "Timeout: 30 s", "May"};

	(void)state;
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		assert_int_not_equal(report_read(slice_of(values[i])), REPORT_EVENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_what_happened_from_what_holds),
		cmocka_unit_test(a_rule_says_what_has_to_be_done),
		cmocka_unit_test(a_value_is_no_report),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
