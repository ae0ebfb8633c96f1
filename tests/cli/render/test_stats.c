#include "cli/render/render.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define NOW INT64_C(1795253400000)

#define DOT " \xc2\xb7 "
#define FULL "\xe2\x96\x88"
#define EMPTY "\xe2\x96\x91"

static const char reply_text[] =
	"{\"store\":\"/tmp/x\\u001b[2J\",\"entries\":1234,\"pinned\":1,\"promoted\":0,"
	"\"bytes\":46080,"
	"\"limits\":{\"entries_per_category\":100,\"entry_bytes\":4096,\"total_bytes\":51200,"
	"\"expiry_days\":90},"
	"\"categories\":{\"preferences\":{\"entries\":1,\"bytes\":1000},"
	"\"state\":{\"entries\":0,\"bytes\":0}},"
	"\"oldest\":{\"ref\":\"state:a\",\"created_at\":\"2026-11-19T09:30:00.000+00:00\"},"
	"\"largest\":{\"ref\":\"state:a key that is rather long\",\"bytes\":4000},"
	"\"most_used\":[{\"ref\":\"state:a\",\"uses\":1,\"hits\":2},"
	"{\"ref\":\"state:b\",\"uses\":0,\"hits\":1}],"
	"\"archive\":{\"records\":1,\"bytes\":1234567},\"cold\":{\"records\":2,\"bytes\":10},"
	"\"notes\":{\"count\":0},\"relations\":{\"count\":3,\"hidden\":1,\"bytes\":50},"
	"\"usage\":{\"bytes\":7},\"history\":{\"changes\":1,\"bytes\":999},"
	"\"writes\":{\"by\":\"history\",\"total\":1234,\"days\":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,"
	"0,0,0,"
	"0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,0,0,800,33,400]}}";

static const char *plain(const char *name)
{
	(void)name;
	return NULL;
}

static const char *colour(const char *name)
{
	return strcmp(name, "TERM") == 0 ? "xterm" : NULL;
}

static void render(struct str *out, const struct cli *cli)
{
	STR_AUTO notes = STR_INIT;
	struct json_fault fault;
	struct json doc;

	assert_int_equal(json_parse(&doc, slice_of(reply_text), &json_line_bounds, &fault), 0);
	assert_int_equal(render_reply(cli, "stats", false, &doc, NOW, out, &notes), 0);
	assert_string_equal(notes.ptr, "");
	json_release(&doc);
}

#define PARTS                                                                                      \
	"archive      1 record, 1,234,567 bytes\n"                                                 \
	"cold         2 records, 10 bytes\n"                                                       \
	"notes        0 notes\n"                                                                   \
	"relations    3 links (1 of them of entries that are not active), 50 bytes\n"              \
	"usage        7 bytes\n"                                                                   \
	"history      1 change, 999 bytes\n"                                                       \
	"writes       1,234 in 8 weeks (history)\n"

static void to_a_pipe(void **state)
{
	struct cli cli = {.env = colour, .columns = 80};
	STR_AUTO out = STR_INIT;

	(void)state;
	render(&out, &cli);
	assert_string_equal(out.ptr, "/tmp/x\\x1b[2J\n"
				     "preferences  1 of 100 entries, 1,000 bytes\n"
				     "state        0 of 100 entries, 0 bytes\n"
				     "size         46,080 of 51,200 bytes\n"
				     "entries      1,234, 1 pinned, 0 promoted\n"
				     "oldest       state:a" DOT "made 2 days ago\n"
				     "largest      state:a key that is rather long" DOT
				     "4,000 of 4,096 bytes\n"
				     "most used    state:a" DOT "1 use, 2 hits\n"
				     "             state:b" DOT "0 uses, 1 hit\n" PARTS);
}

static void to_a_terminal(void **state)
{
	struct cli cli = {.env = plain, .columns = 58, .out_is_terminal = true};
	STR_AUTO out = STR_INIT;

	(void)state;
	render(&out, &cli);
	assert_non_null(strstr(
		out.ptr, "preferences  " FULL EMPTY EMPTY EMPTY EMPTY EMPTY EMPTY EMPTY EMPTY EMPTY
			 "  1 of 100 entries, 1,000 bytes\n"));
	assert_non_null(strstr(
		out.ptr, "state        " EMPTY EMPTY EMPTY EMPTY EMPTY EMPTY EMPTY EMPTY EMPTY EMPTY
			 "  0 of 100 entries"));
	assert_non_null(strstr(out.ptr,
			       "size         " FULL FULL FULL FULL FULL FULL FULL FULL FULL EMPTY
			       "  46,080 of 51,200 bytes\n"));
	assert_non_null(strstr(out.ptr, "largest      state:a key that is \xe2\x80\xa6" DOT));
}

/* As many days a step as make it fit, the busiest the highest, and one change is seen. */
static void the_days_of_writing(void **state)
{
	static const struct {
		int columns;
		int quiet;
		const char *steps;
	} cases[] = {
		{100, 50,
		 "\xe2\x96\x82\xe2\x96\x81\xe2\x96\x81\xe2\x96\x88\xe2\x96\x82\xe2\x96\x85  1,234 "
		 "in"},
		{99, 25, "\xe2\x96\x82\xe2\x96\x88\xe2\x96\x85  1,234 in"},
		{72, 25, "\xe2\x96\x82\xe2\x96\x88\xe2\x96\x85  1,234 in"},
		{58, 12, "\xe2\x96\x82\xe2\x96\x88  1,234 in"},
		{52, 7, "\xe2\x96\x88  1,234 in"},
		{51, 0, "1,234 in"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct cli cli = {
			.env = plain, .columns = cases[i].columns, .out_is_terminal = true};
		STR_AUTO out = STR_INIT;
		STR_AUTO line = STR_INIT;

		render(&out, &cli);
		str_adds(&line, "writes       ");
		for (int n = 0; n < cases[i].quiet; n++)
			str_adds(&line, "\xe2\x96\x81");
		str_adds(&line, cases[i].steps);
		if (!strstr(out.ptr, line.ptr))
			fail_msg("%d columns: %s is not in\n%s", cases[i].columns, line.ptr,
				 out.ptr);
	}
}

static const char *no_unicode(const char *name)
{
	return strcmp(name, "LANG") == 0 ? "C" : NULL;
}

static void typed_where_it_cannot_be_drawn(void **state)
{
	struct cli cli = {.env = no_unicode, .columns = 72, .out_is_terminal = true};
	STR_AUTO out = STR_INIT;

	(void)state;
	render(&out, &cli);
	assert_non_null(strstr(out.ptr, "size         #####################...  46,080"));
	assert_non_null(strstr(out.ptr, ".#=  1,234 in 8 weeks (history)\n"));
	assert_null(strstr(out.ptr, FULL));
}

static void colour_where_it_is_nearly_full(void **state)
{
	struct cli cli = {.env = colour, .columns = 60, .out_is_terminal = true};
	STR_AUTO out = STR_INIT;

	(void)state;
	render(&out, &cli);
	assert_non_null(strstr(out.ptr, "size         \x1b[33m" FULL));
	assert_null(strstr(out.ptr, "preferences  \x1b"));
}

static void no_bars_where_there_is_no_room(void **state)
{
	struct cli cli = {.env = plain, .columns = 57, .out_is_terminal = true};
	STR_AUTO out = STR_INIT;

	(void)state;
	render(&out, &cli);
	assert_null(strstr(out.ptr, EMPTY));
	assert_non_null(strstr(out.ptr, "preferences  1 of 100"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(to_a_pipe),
		cmocka_unit_test(to_a_terminal),
		cmocka_unit_test(the_days_of_writing),
		cmocka_unit_test(typed_where_it_cannot_be_drawn),
		cmocka_unit_test(colour_where_it_is_nearly_full),
		cmocka_unit_test(no_bars_where_there_is_no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
