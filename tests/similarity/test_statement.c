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
	struct statement a = {.text = slice_of(older), .key = slice_of("a")};
	struct statement b = {.text = slice_of(newer), .key = slice_of("b")};
	ARENA_AUTO arena = ARENA_INIT;
	enum statement_says says = statement_compare(&a, &b);

	/* What is read before says the same. */
	statement_read(&a, &arena);
	statement_read_clauses(&a, &arena);
	assert_int_equal(statement_compare(&a, &b), says);
	statement_read(&b, &arena);
	statement_read_clauses(&b, &arena);
	assert_int_equal(statement_compare(&a, &b), says);
	return says;
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

/* Counts what is said of the pairs of a file, by what is wanted. */
static void judge(const char *name, int said[4][4])
{
	const char *folder = getenv("srcdir");
	char line[LINE];
	char path[LINE];
	FILE *file;

	snprintf(path, sizeof path, "%s/tests/similarity/%s", folder ? folder : ".", name);
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
	for (int k = 0; k < 4; k++)
		print_message("%s: none %d, same %d, other %d, related %d\n", kinds[k], said[k][0],
			      said[k][1], said[k][2], said[k][3]);
}

static int row(int said[4][4], int wanted)
{
	return said[wanted][0] + said[wanted][1] + said[wanted][2] + said[wanted][3];
}

static int column(int said[4][4], int says)
{
	return said[0][says] + said[1][says] + said[2][says] + said[3][says];
}

static void judges_labelled_pairs(void **state)
{
	int said[4][4] = {{0}};
	int others;
	int sames;

	(void)state;
	judge("statements.txt", said);
	others = column(said, STATEMENT_OTHER);
	sames = column(said, STATEMENT_SAME);
	assert_true(share(said[STATEMENT_OTHER][STATEMENT_OTHER], others) >= 95);
	assert_true(share(said[STATEMENT_OTHER][STATEMENT_OTHER], row(said, STATEMENT_OTHER)) >=
		    90);
	assert_true(share(said[STATEMENT_SAME][STATEMENT_SAME] +
				  said[STATEMENT_RELATED][STATEMENT_SAME],
			  sames) >= 95);
}

/* What replaces a fact in a year, and what is merely about the same: each in other words. */
static void sees_what_replaces_a_fact(void **state)
{
	int said[4][4] = {{0}};

	(void)state;
	judge("changes.txt", said);
	assert_true(share(said[STATEMENT_OTHER][STATEMENT_OTHER], row(said, STATEMENT_OTHER)) >=
		    80);
	assert_true(share(said[STATEMENT_NOTHING][STATEMENT_NOTHING],
			  row(said, STATEMENT_NOTHING)) >= 97);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(judges_labelled_pairs),
		cmocka_unit_test(sees_what_replaces_a_fact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
