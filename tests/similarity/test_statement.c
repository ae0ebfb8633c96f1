/*
 * What the rules of similarity/statement.h make of pairs that were labelled by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "similarity/statement.h"

#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE 512

static const char *const kinds[] = {"none", "same", "other", "related"};

static enum statement_says compare(const char *older, const char *newer)
{
	const struct statement a = {slice_of(older), slice_of("a"), 0};
	const struct statement b = {slice_of(newer), slice_of("b"), 0};

	return statement_compare(&a, &b);
}

/* The next field of a line, blanks at its ends cut. */
static char *field(char **rest)
{
	char *text = strsep(rest, "|\n");

	while (*text == ' ')
		text++;
	while (strlen(text) && text[strlen(text) - 1] == ' ')
		text[strlen(text) - 1] = '\0';
	return text;
}

static int share(int part, int whole)
{
	return whole ? 100 * part / whole : 100;
}

static void judges_labelled_pairs(void **state)
{
	const char *folder = getenv("srcdir");
	int said[4][4] = {{0}};
	int others = 0;
	int sames = 0;
	int due = 0;
	char line[LINE];
	char path[LINE];
	FILE *file;

	(void)state;
	snprintf(path, sizeof path, "%s/tests/similarity/statements.txt", folder ? folder : ".");
	file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof line, file)) {
		char *rest = line;
		char *kind = field(&rest);
		char *first;
		int wanted = 0;
		int says;

		if (!rest || *kind == '#')
			continue;
		while (strcmp(kind, kinds[wanted]) != 0)
			wanted++;
		first = field(&rest);
		rest = field(&rest);
		says = (int)compare(first, rest);
		said[wanted][says]++;
		if (says != wanted)
			print_message("%s, not %s: %s | %s\n", kinds[says], kind, first, rest);
	}
	fclose(file);
	for (int k = 0; k < 4; k++) {
		others += said[k][STATEMENT_OTHER];
		sames += said[k][STATEMENT_SAME];
		print_message("%s: none %d, same %d, other %d, related %d\n", kinds[k], said[k][0],
			      said[k][1], said[k][2], said[k][3]);
	}
	for (int says = 0; says < 4; says++)
		due += said[STATEMENT_OTHER][says];
	assert_true(share(said[STATEMENT_OTHER][STATEMENT_OTHER], others) >= 95);
	assert_true(share(said[STATEMENT_OTHER][STATEMENT_OTHER], due) >= 90);
	assert_true(share(said[STATEMENT_SAME][STATEMENT_SAME] +
				  said[STATEMENT_RELATED][STATEMENT_SAME],
			  sames) >= 95);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(judges_labelled_pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
