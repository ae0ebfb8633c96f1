#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "json/doc.h"
#include "similarity/contradiction.h"
#include "similarity/similarity.h"

#include <stdio.h>
#include <stdlib.h>

static void check(const char *a, const char *b, const char *kind, const char *reason)
{
	STR_AUTO got = STR_INIT;

	assert_string_equal(conflict_names[conflict_find(slice_of(a), slice_of(b), &got)], kind);
	assert_string_equal(got.ptr, reason);
	assert_string_equal(conflict_names[conflict_find(slice_of(b), slice_of(a), NULL)], kind);
}

static void numbers(void **state)
{
	(void)state;
	check("Room 12 has 8 seats", "Room 12 has 9 seats", "numbers",
	      "one says \"8\", the other \"9\"");
	check("Version 1.2.3 is live", "Version 1.4.5 is live", "numbers",
	      "one says \"2 3\", the other \"4 5\"");
	check("Lunch from 12 to 13", "Lunch 12-13", "none", "");
	check("Pay rent on the 3rd", "Pay rent", "none", "");
	/* Other subjects, and what only one of them says anything about. */
	check("Cats need 2 bowls", "Dogs need 3 bowls", "none", "");
	check("9", "10", "none", "");
	check("Room temperature is -4", "Room temperature is 4", "numbers",
	      "the same words with other signs");
}

static void negations(void **state)
{
	(void)state;
	check("Ola eats meat", "Ola doesn\xE2\x80\x99t eat meat", "negation",
	      "only one says \"doesnt\"");
	check("Ola eats meat", "Ola no longer eats meat", "negation",
	      "only one says \"no_longer\"");
	check("Never ship on Fridays", "Don't ship on Fridays, ever", "none", "");
	check("不喜欢咖啡", "喜欢咖啡", "negation", "only one says \"不\"");
	check("Nicht rauchen im Zimmer", "Rauchen im Zimmer", "negation",
	      "only one says \"nicht\"");
	check("Ola eats meat", "Never ship on Fridays", "none", "");
}

static void opposites(void **state)
{
	(void)state;
	check("The radio is on", "Radio is off", "opposites", "one says \"on\", the other \"off\"");
	check("Mail is opened on Mondays", "Mail is opened on Tuesdays", "opposites",
	      "one says \"mondays\", the other \"tuesdays\"");
	check("Logging is supported", "Logging is unsupported", "opposites",
	      "one says \"supported\", the other \"unsupported\"");
	/* A negation and an opposite undo each other, and so do two opposites. */
	check("The radio is not on", "The radio is off", "none", "");
	check("Shop is open on weekdays", "Shop is closed on weekends", "none", "");
	/* Words that tell things apart make two subjects. */
	check("Old desk is by the door", "New desk is by the window", "none", "");
}

static void other_answers(void **state)
{
	(void)state;
	check("Default font is Iosevka", "Default font is Hack", "other",
	      "one says \"iosevka\", the other \"hack\"");
	check("Ines owns the garden", "Paul owns the garden", "other",
	      "one says \"ines\", the other \"paul\"");
	check("The plumber is Ines", "The plumber is Paul", "other",
	      "one says \"ines\", the other \"paul\"");
	check("The plumber is tired", "The plumber is cheerful", "none", "");
	check("Prefers olive soap", "Prefers honey soap", "other",
	      "one says \"olive\", the other \"honey\"");
	check("Ines owns the garden", "Ines owns the cellar", "none", "");
	check("Ines likes tea", "Ines likes rum", "none", "");
	check("Wash before ironing", "Ironing before wash", "other",
	      "the other way round: \"before\"");
}

static void texts_of_any_length_and_form(void **state)
{
	STR_AUTO text = STR_INIT;

	(void)state;
	check("", "", "none", "");
	check("", "not", "none", "");
	check("\xFF\xFE", "\xFF not", "none", "");
	for (int i = 0; i < 5000; i++)
		str_printf(&text, "word%d is on ", i);
	check(text.ptr, text.ptr, "none", "");
}

struct measure {
	size_t cases;
	size_t conflicts;
	size_t candidates; /* offered for merging at a similarity of 0.75 */
};

enum label { DUPLICATE, CONTRADICTION, RELATED, UNRELATED, LABELS };

static const char *const labels[] = {"duplicate", "contradiction", "related", "unrelated"};

static enum label label_of(const struct json *doc, uint32_t node)
{
	STR_AUTO scratch = STR_INIT;
	struct slice text = json_string(doc, json_member(doc, node, "label"), &scratch);
	int label = 0;

	while (label < LABELS - 1 && !slice_is(text, labels[label]))
		label++;
	return (enum label)label;
}

/* Does one case, and counts it. */
static void measure_case(const struct json *doc, uint32_t node, struct measure *measures)
{
	uint32_t in = json_member(doc, node, "in");
	STR_AUTO one = STR_INIT;
	STR_AUTO other = STR_INIT;
	struct slice a = json_string(doc, json_first(doc, in), &one);
	struct slice b = json_string(doc, json_next(doc, json_first(doc, in)), &other);
	enum conflict conflict = conflict_find(a, b, NULL);
	struct measure *measure = &measures[label_of(doc, node)];
	bool want = true;

	measure->cases++;
	measure->conflicts += conflict != CONFLICT_NONE;
	measure->candidates += similar_texts(a, b) >= 0.75;
	assert_true(json_bool(doc, json_member(doc, node, "merge_unattended"), &want));
	if (conflict_may_merge(a, b) != want || conflict_may_merge(b, a) != want)
		fail_msg("%.*s | %.*s: merged %d", (int)a.len, a.ptr, (int)b.len, b.ptr, !want);
	if (want && (conflict != CONFLICT_NONE || label_of(doc, node) != DUPLICATE))
		fail_msg("%.*s | %.*s: must not be merged", (int)a.len, a.ptr, (int)b.len, b.ptr);
}

static void read_whole(const char *path, struct str *out)
{
	FILE *file = fopen(path, "r");
	char buffer[4096];
	size_t got;

	assert_non_null(file);
	while ((got = fread(buffer, 1, sizeof buffer, file)) > 0)
		str_add(out, slice_make(buffer, got));
	assert_int_equal(fclose(file), 0);
}

/* At least seven of ten contradictions are seen, and at most one of ten other pairs is taken for
 * one. */
static void check_pairs(const char *path)
{
	struct measure measures[LABELS] = {{0}};
	STR_AUTO text = STR_INIT;
	struct json_fault fault;
	struct json doc;
	uint32_t cases;

	read_whole(path, &text);
	assert_int_equal(json_parse(&doc, str_slice(&text), &json_file_bounds, &fault), 0);
	cases = json_member(&doc, JSON_ROOT, "cases");
	for (uint32_t c = json_first(&doc, cases); c != JSON_NONE; c = json_next(&doc, c))
		measure_case(&doc, c, measures);
	json_release(&doc);
	for (int i = 0; i < LABELS; i++)
		print_message("%s: %zu pairs, %zu conflicts, %zu similar\n", labels[i],
			      measures[i].cases, measures[i].conflicts, measures[i].candidates);
	assert_true(10 * measures[CONTRADICTION].conflicts >= 7 * measures[CONTRADICTION].cases);
	for (int i = 0; i < LABELS; i++)
		assert_true(i == CONTRADICTION || 10 * measures[i].conflicts <= measures[i].cases);
}

static void labelled_pairs(void **state)
{
	const char *dir = getenv("srcdir");
	STR_AUTO path = STR_INIT;

	(void)state;
	str_printf(&path, "%s/tests/similarity/pairs.json", dir ? dir : ".");
	check_pairs(path.ptr);
}

/* Pairs that were labelled by others, where they are there. */
static void labelled_pairs_of_others(void **state)
{
	const char *dir = getenv("GOLDEN");
	STR_AUTO path = STR_INIT;
	FILE *file;

	(void)state;
	str_printf(&path, "%s/similar_pairs.json", dir ? dir : ".");
	file = fopen(path.ptr, "r");
	if (!file) {
		str_release(&path);
		skip();
	}
	fclose(file);
	check_pairs(path.ptr);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(negations),
		cmocka_unit_test(opposites),
		cmocka_unit_test(other_answers),
		cmocka_unit_test(texts_of_any_length_and_form),
		cmocka_unit_test(labelled_pairs),
		cmocka_unit_test(labelled_pairs_of_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
