/*
 * What is found to recur in two years of notes that were labelled by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "similarity/recurrence.h"

#include "similarity/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOTES 256
#define FAMILIES 16

/* A year of notes; families are numbered from 1, 0 is none. */
struct year {
	struct arena arena;
	struct recurring_note notes[NOTES];
	int family[NOTES];
	char names[FAMILIES][16];
	size_t count;
	int families;
};

static char *field(char **rest)
{
	char *text = strsep(rest, "|\n");

	while (*text == ' ')
		text++;
	while (strlen(text) && text[strlen(text) - 1] == ' ')
		text[strlen(text) - 1] = '\0';
	return text;
}

static int family_of(struct year *year, const char *name)
{
	int family = 1;

	if (strcmp(name, "-") == 0)
		return 0;
	while (family <= year->families && strcmp(year->names[family], name) != 0)
		family++;
	if (family > year->families)
		snprintf(year->names[++year->families], sizeof year->names[0], "%s", name);
	return family;
}

/* Reads the year of this name, but for each `without`-th note of it from the `first` on. */
static void read_year(struct year *year, const char *name, size_t without, size_t first)
{
	const char *folder = getenv("srcdir");
	char path[512];
	char line[512];
	bool inside = false;
	size_t seen = 0;
	FILE *file;

	snprintf(path, sizeof path, "%s/tests/similarity/recurring.txt", folder ? folder : ".");
	file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof line, file)) {
		char *rest = line;
		struct recurring_note *note = &year->notes[year->count];
		int family;

		if (*line == '=')
			inside = strncmp(line + 2, name, strlen(name)) == 0;
		if (*line == '=' || *line == '#' || !inside ||
		    (without && seen++ % without == first))
			continue;
		family = family_of(year, field(&rest));
		note->day = strtol(field(&rest), NULL, 10);
		note->key = arena_copy(&year->arena, slice_of(field(&rest)));
		note->text = arena_copy(&year->arena, slice_of(field(&rest)));
		note->report = report_read(note->text) == REPORT_EVENT;
		year->family[year->count++] = family;
	}
	fclose(file);
	assert_true(year->count > 20);
}

static size_t size_of(const struct year *year, int family)
{
	size_t size = 0;

	for (size_t i = 0; i < year->count; i++)
		size += year->family[i] == family;
	return size;
}

/* How many of the group are of the family. */
static size_t common(const struct year *year, const struct recurring *group, int family)
{
	size_t both = 0;

	for (size_t i = 0; i < group->count; i++)
		both += year->family[group->notes[i]] == family;
	return both;
}

/* Families that a group has seven tenths of, and that are seven tenths of it. */
static int count_found(const struct year *year, const struct recurring *groups, size_t count,
		       bool tell)
{
	int found = 0;

	for (int f = 1; f <= year->families; f++) {
		bool is_found = false;

		for (size_t g = 0; g < count; g++) {
			size_t both = common(year, &groups[g], f);

			is_found = is_found || (both * 10 >= groups[g].count * 7 &&
						both * 10 >= size_of(year, f) * 7);
		}
		if (!is_found && tell)
			print_message("not found: %s\n", year->names[f]);
		found += is_found;
	}
	return found;
}

/* Groups that no family is half of. */
static int count_junk(const struct year *year, const struct recurring *groups, size_t count,
		      bool tell)
{
	int junk = 0;

	for (size_t g = 0; g < count; g++) {
		bool good = false;

		for (int f = 1; f <= year->families; f++)
			good = good || common(year, &groups[g], f) * 2 > groups[g].count;
		junk += !good;
		for (size_t i = 0; !good && tell && i < groups[g].count; i++)
			print_message("junk %zu: %s\n", g,
				      year->notes[groups[g].notes[i]].text.ptr);
	}
	return junk;
}

static void what_recurs_is_found(void **state)
{
	static const char *const years[] = {"orchard", "clinic"};

	(void)state;
	for (size_t y = 0; y < 2; y++) {
		struct year *year = calloc(1, sizeof *year);
		struct recurring *groups;
		size_t count;

		read_year(year, years[y], 0, 0);
		count = recurrence_find(year->notes, year->count, &year->arena, &groups);
		print_message("%s: %d of %d families, %zu groups\n", years[y],
			      count_found(year, groups, count, true), year->families, count);
		assert_int_equal(count_found(year, groups, count, false), year->families);
		assert_int_equal(count_junk(year, groups, count, true), 0);
		arena_release(&year->arena);
		free(year);
	}
}

/* With a third of the notes left out, families are of four to six. */
static void less_of_it_is_found_too(void **state)
{
	int found = 0;
	int wanted = 0;
	int junk = 0;

	(void)state;
	for (size_t round = 0; round < 6; round++) {
		struct year *year = calloc(1, sizeof *year);
		struct recurring *groups;
		size_t count;

		read_year(year, round % 2 ? "orchard" : "clinic", 3, round / 2);
		count = recurrence_find(year->notes, year->count, &year->arena, &groups);
		found += count_found(year, groups, count, true);
		junk += count_junk(year, groups, count, true);
		wanted += year->families;
		arena_release(&year->arena);
		free(year);
	}
	print_message("%d of %d, junk %d\n", found, wanted, junk);
	assert_true(found * 10 >= wanted * 8);
	assert_true(junk <= 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_recurs_is_found),
		cmocka_unit_test(less_of_it_is_found_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
