/*
 * memory_analyze on messages of people at work, in English and German: tests/data/messages.txt says
 * what is right. The bounds are what is to hold for messages that nobody has seen; here it is
 * better.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "json/doc.h"
#include "json/write.h"
#include "support/toolcall.h"

#include <stdio.h>
#include <stdlib.h>

#define FIELDS 4

/* One line, taken apart at its tabs. */
struct row {
	struct slice field[FIELDS];
	size_t count;
};

static struct row take_apart(struct slice line)
{
	struct row row = {.count = 0};

	while (row.count < FIELDS) {
		const char *tab = memchr(line.ptr, '\t', line.len);
		size_t len = tab ? (size_t)(tab - line.ptr) : line.len;

		row.field[row.count++] = slice_make(line.ptr, len);
		if (!tab)
			break;
		line = slice_make(tab + 1, line.len - len - 1);
	}
	return row;
}

/* An apostrophe would stand for a quote. */
static void add_arguments(struct str *out, const char *first, struct slice one, const char *second,
			  struct slice other)
{
	STR_AUTO text = STR_INIT;
	struct json_writer w = json_writer_to(&text, &json_compact);

	json_write_object(&w);
	json_write_member_string(&w, first, one);
	json_write_member_string(&w, second, other);
	json_write_end(&w);
	str_clear(out);
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '\'')
			str_adds(out, "\\u0027");
		else
			str_addc(out, text.ptr[i]);
	}
}

struct tally {
	int right, missed, wrong, silent;
	int categories; /* right ones, of those that are rightly saved */
	int unasked;    /* decided without asking, and wrongly */
};

static void judge(struct teststore *t, const struct row *row, struct tally *tally)
{
	bool wanted = slice_is(row->field[1], "yes");
	STR_AUTO arguments = STR_INIT;
	STR_AUTO reply = STR_INIT;
	STR_AUTO scratch = STR_INIT;
	STR_AUTO category = STR_INIT;
	struct json_fault fault;
	struct slice decision;
	struct json doc;
	bool told;

	add_arguments(&arguments, "message", row->field[3], "intent", row->field[0]);
	toolcall_reply(t, "analyze", arguments.ptr, &reply);
	assert_int_equal(json_parse(&doc, str_slice(&reply), &json_file_bounds, &fault), 0);
	decision = json_string(&doc, json_member(&doc, JSON_ROOT, "decision"), &scratch);
	told = !slice_is(decision, "skip");
	tally->right += told && wanted;
	tally->wrong += told && !wanted;
	tally->missed += !told && wanted;
	tally->silent += !told && !wanted;
	tally->unasked += slice_is(decision, "auto") && !wanted;
	if (told && wanted && row->field[2].len > 0)
		tally->categories += slice_equal(
			json_string(&doc, json_member(&doc, JSON_ROOT, "suggested_category"),
				    &category),
			row->field[2]);
	if (told != wanted)
		print_message("%.*s: %.*s\n", (int)row->field[0].len, row->field[0].ptr,
			      (int)row->field[3].len, row->field[3].ptr);
	json_release(&doc);
}

static int percent(int part, int whole)
{
	return part * 100 / whole;
}

static int accuracy(const struct tally *tally)
{
	return percent(tally->right + tally->silent,
		       tally->right + tally->silent + tally->wrong + tally->missed);
}

static void load(struct str *out)
{
	const char *dir = getenv("srcdir");
	STR_AUTO path = STR_INIT;
	char part[4096];
	size_t got;
	FILE *file;

	str_printf(&path, "%s/tests/data/messages.txt", dir ? dir : ".");
	file = fopen(path.ptr, "re");
	assert_non_null(file);
	while ((got = fread(part, 1, sizeof part, file)) > 0)
		str_add(out, slice_make(part, got));
	fclose(file);
}

static void messages_are_judged_as_people_judge_them(void **state)
{
	struct teststore *t = *state;
	struct tally save = {0};
	struct tally recall = {0};
	STR_AUTO arguments = STR_INIT;
	STR_AUTO data = STR_INIT;
	struct slice text;
	struct slice line;

	load(&data);
	text = str_slice(&data);
	while (slice_line(&text, &line)) {
		struct row row = take_apart(line);

		if (slice_is(row.field[0], "entry")) {
			add_arguments(&arguments, "key", row.field[1], "value", row.field[2]);
			toolcall_replies(t, "set", arguments.ptr, NULL);
		} else if (row.count == FIELDS) {
			judge(t, &row, slice_is(row.field[0], "save") ? &save : &recall);
		}
	}
	assert_true(save.right + save.missed >= 90 && recall.right + recall.missed >= 25);
	assert_in_range(accuracy(&save), 90, 100);
	assert_in_range(percent(save.right, save.right + save.missed), 85, 100);
	assert_in_range(percent(save.right, save.right + save.wrong), 95, 100);
	assert_in_range(percent(save.categories, save.right), 85, 100);
	assert_in_range(accuracy(&recall), 88, 100);
	assert_in_range(percent(recall.right, recall.right + recall.missed), 85, 100);
	assert_in_range(percent(recall.right, recall.right + recall.wrong), 90, 100);
	/* "Don't forget the semicolon" asks in so many words. */
	assert_true(save.unasked <= 1);
	assert_int_equal(recall.unasked, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(messages_are_judged_as_people_judge_them,
						toolcall_set_up, toolcall_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
