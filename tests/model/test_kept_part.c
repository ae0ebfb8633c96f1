#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "model/archive_record.h"
#include "model/kept_part.h"

#define JUNE_1_MS INT64_C(1748797200000)
#define OPENING                                                                                    \
	"{\"category\":\"state\",\"undo\":true,\"archivedAt\":\"2025-06-01T17:00:00.000+00:00\","
#define LINK "{\"from\":\"state:a\",\"to\":\"state:b\",\"strength\":1.0}"
#define RECORD "{\"key\":\"a@t\",\"originalKey\":\"a\",\"entry\":{\"value\":1e400}}"

static void assert_composed(const struct kept_part *part, const char *expected)
{
	STR_AUTO line = STR_INIT;

	kept_part_compose(&line, part);
	assert_string_equal(line.ptr, expected);
}

static void test_compose(void **state)
{
	struct kept_part part = {
		.link = true,
		.category = CATEGORY_STATE,
		.name = slice_of("rel-1"),
		.text = slice_of(LINK),
		.at_ms = JUNE_1_MS,
	};

	(void)state;
	assert_composed(&part, OPENING "\"link\":\"rel-1\",\"was\":" LINK "}");
	part.left = slice_of("{\"from\":\"state:c\"}");
	assert_composed(&part, OPENING "\"link\":\"rel-1\",\"was\":" LINK
				       ",\"left\":{\"from\":\"state:c\"}}");
	part.left = slice_of(NULL);
	part.came = true;
	assert_composed(&part, OPENING "\"link\":\"rel-1\",\"came\":" LINK "}");
	part = (struct kept_part){
		.category = CATEGORY_STATE, .name = slice_of("a@t"), .at_ms = JUNE_1_MS};
	/* A line of the cold archive as archive.json has it. */
	part.text = slice_of("{\"category\":\"state\",\"key\":\"a@t\",\"originalKey\":\"a\","
			     "\"entry\":{\"value\":1e400}}");
	assert_composed(&part, OPENING "\"record\":\"a@t\",\"was\":" RECORD "}");
}

static bool reads(const char *line, struct kept_part *part, struct arena *arena)
{
	struct json_fault fault;
	struct record record;
	JSON_AUTO doc = {0};
	bool read;

	assert_int_equal(json_parse(&doc, slice_of(line), &json_file_bounds, &fault), 0);
	read = kept_part_read(part, &doc, JSON_ROOT, arena);
	/* Nobody takes it for a record. */
	if (read)
		assert_false(record_read_line(&record, &doc, JSON_ROOT, arena));
	part->text = read ? arena_copy(arena, part->text) : slice_of(NULL);
	part->left = read ? arena_copy(arena, part->left) : slice_of(NULL);
	return read;
}

static void test_read(void **state)
{
	ARENA_AUTO arena = ARENA_INIT;
	struct kept_part part;

	(void)state;
	assert_true(reads(OPENING "\"link\":\"rel-1\",\"came\":" LINK "}", &part, &arena));
	assert_true(part.link && part.came && part.category == CATEGORY_STATE);
	assert_true(slice_is(part.name, "rel-1") && slice_is(part.text, LINK));
	assert_true(part.at_ms == JUNE_1_MS && !part.left.ptr);
	assert_true(reads(OPENING "\"link\":\"rel-1\",\"was\":" LINK ",\"left\":" RECORD "}", &part,
			  &arena));
	assert_true(!part.came && slice_is(part.text, LINK) && slice_is(part.left, RECORD));
	assert_true(reads(OPENING "\"record\":\"a@t\",\"was\":" RECORD "}", &part, &arena));
	assert_true(!part.link && !part.came && slice_is(part.text, RECORD));
	assert_false(reads(OPENING "\"record\":\"a@t\"}", &part, &arena));
	assert_false(reads(OPENING "\"was\":" RECORD "}", &part, &arena));
	assert_false(reads("{\"record\":\"a@t\",\"was\":" RECORD "}", &part, &arena));
	assert_false(reads("[1]", &part, &arena));
}

int main(void)
{
	setenv("TZ", "UTC0", 1);

	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_compose),
		cmocka_unit_test(test_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
